package org.entrepot.core.topology;

import java.util.OptionalLong;

/**
 * How much a virtual host may hold. Immutable.
 *
 * @param connections most connections; empty for no limit
 * @param queues most queues; empty for no limit but the broker's own
 */
public record VirtualHostLimits(OptionalLong connections, OptionalLong queues) {
    public static final VirtualHostLimits NONE = new VirtualHostLimits(OptionalLong.empty(), OptionalLong.empty());
}
