package org.entrepot.core.topology;

import java.util.Map;
import java.util.Optional;

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
        ALL("all"),
        EXCHANGES("exchanges"),
        QUEUES("queues"),
        CLASSIC_QUEUES("classic_queues"),
        QUORUM_QUEUES("quorum_queues"),
        STREAMS("streams");

        private final String word;

        ApplyTo(String word) {
            this.word = word;
        }

        /** How operators write it. */
        public String word() {
            return word;
        }

        /** The one that operators write like this. */
        public static Optional<ApplyTo> of(String word) {
            for (ApplyTo each : values()) {
                if (each.word.equals(word)) {
                    return Optional.of(each);
                }
            }
            return Optional.empty();
        }
    }
}
