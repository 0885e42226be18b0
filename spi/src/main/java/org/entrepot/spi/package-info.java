/**
 * What a plugin sees of the broker, and the only thing it sees besides Netty, slf4j, Micrometer and the JDK.
 *
 * <p>Start with {@link org.entrepot.spi.BrokerPlugin}: its methods are the list of everything a plugin can add. Each
 * public type says whether a vendor <em>implements</em> it or only <em>calls</em> it; types that are only called may
 * gain methods in any release.
 */
@NullMarked
package org.entrepot.spi;

import org.jspecify.annotations.NullMarked;
