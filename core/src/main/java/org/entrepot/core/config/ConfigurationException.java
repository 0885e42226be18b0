package org.entrepot.core.config;

import java.util.List;

/** Everything that is wrong with a configuration, at once. Immutable. */
public final class ConfigurationException extends Exception {
    private static final long serialVersionUID = 1;

    private final transient List<Problem> problems;

    /**
     * One thing that is wrong.
     *
     * @param origin where, such as "entrepot.conf:12"
     * @param text what, and what is allowed instead
     */
    public record Problem(String origin, String text) {
        @Override
        public String toString() {
            return origin + ": " + text;
        }
    }

    ConfigurationException(List<Problem> problems) {
        super(message(problems), null, false, false);
        this.problems = List.copyOf(problems);
    }

    /** What is wrong, in the order of the sources. */
    public List<Problem> problems() {
        return problems;
    }

    private static String message(List<Problem> problems) {
        StringBuilder text = new StringBuilder(problems.size() == 1 ? "1 problem" : problems.size() + " problems");
        text.append(" in the configuration:");
        for (Problem problem : problems) {
            text.append("\n  ").append(problem);
        }
        return text.toString();
    }
}
