package org.entrepot.core.routing;

import org.entrepot.spi.topology.Matcher;

/**
 * A matcher that picks one binding for a message and is therefore asked once a message, by its own key and not by its
 * copies.
 */
interface PicksOne extends Matcher {}
