package org.entrepot.core.topology;

import java.util.Map;

/**
 * Settings for all exchanges and queues whose names match. Immutable. Of the policies that match one thing only that of
 * the highest priority has effect, of those with equal priority that whose name comes first; an operator policy has
 * effect besides it.
 *
 * @param pattern a regular expression that names are searched for
 * @param definition the settings by key; values as {@link org.entrepot.spi.message.MessageFormat} lists them
 * @param operator whether it is an operator policy, which only sets limits
 */
public record Policy(
        String name, String pattern, ApplyTo applyTo, int priority, Map<String, Object> definition, boolean operator) {

    public Policy {
        definition = Map.copyOf(definition);
    }

    /** What a policy may have effect on. */
    public enum ApplyTo {
        ALL,
        EXCHANGES,
        QUEUES,
        CLASSIC_QUEUES,
        QUORUM_QUEUES,
        STREAMS
    }
}
