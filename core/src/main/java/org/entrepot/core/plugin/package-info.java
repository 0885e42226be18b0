/**
 * Plugins: what lies in {@code plugins/}, unpacked by our own code, each loaded into a class loader that shows it the SPI
 * and nothing else of the broker. The only room that imports PF4J.
 */
@NullMarked
package org.entrepot.core.plugin;

import org.jspecify.annotations.NullMarked;
