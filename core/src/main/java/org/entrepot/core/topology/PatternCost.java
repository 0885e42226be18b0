package org.entrepot.core.topology;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import org.entrepot.spi.BrokerException;
import org.entrepot.spi.ErrorKind;

/**
 * Refuses regular expressions that are none, or that would take much memory: RE2 matches in linear time, but a counted
 * repetition is written out when it is compiled, and nested ones multiply. Stateless.
 */
final class PatternCost {
    static final int CHARS_MAX = 4_096;

    /** Characters times the product of all counts: more than a compiled pattern can have steps. */
    private static final long STEPS_MAX = 100_000;

    private PatternCost() {}

    /**
     * Checks a pattern.
     *
     * @param where what it is the pattern of, for the text
     * @throws BrokerException PRECONDITION_FAILED with the reason
     */
    static void check(String pattern, String where) {
        if (pattern.length() > CHARS_MAX) {
            throw refused(
                    where, "a regular expression of " + pattern.length() + " characters; the most is " + CHARS_MAX);
        }
        if (steps(pattern) > STEPS_MAX) {
            throw refused(where, "the repetitions of '" + pattern + "' are too many");
        }
        try {
            Pattern.compile(pattern);
        } catch (PatternSyntaxException bad) {
            throw refused(where, "'" + pattern + "' is not a regular expression: " + bad.getDescription());
        }
    }

    private static long steps(String pattern) {
        long steps = pattern.length();
        int at = pattern.indexOf('{');
        while (at >= 0 && steps <= STEPS_MAX) {
            long most = 1;
            long number = 0;
            for (at++; at < pattern.length(); at++) {
                char c = pattern.charAt(at);
                if (c >= '0' && c <= '9') {
                    number = Math.min(number * 10 + (c - '0'), STEPS_MAX);
                    most = Math.max(most, number);
                } else if (c == ',') {
                    number = 0;
                } else {
                    break;
                }
            }
            steps *= most;
            at = pattern.indexOf('{', at);
        }
        return steps;
    }

    private static BrokerException refused(String where, String why) {
        return BrokerException.session(ErrorKind.PRECONDITION_FAILED, where + ": " + why);
    }
}
