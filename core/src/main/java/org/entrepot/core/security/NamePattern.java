package org.entrepot.core.security;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A regular expression of a permission, as RabbitMQ reads it: names are searched for it, and the empty one stands for the
 * empty name. Immutable. Matches in time linear to the name (RE2).
 */
final class NamePattern {
    static final int CHARS_MAX = 4096;

    /** Matches no name. */
    static final NamePattern NOTHING = new NamePattern(null, false);

    private static final NamePattern EVERYTHING = new NamePattern(null, true);
    private static final NamePattern EMPTY_NAME = new NamePattern(Pattern.compile("^$"), false);

    private final @Nullable Pattern pattern;
    private final boolean everything;

    private NamePattern(@Nullable Pattern pattern, boolean everything) {
        this.pattern = pattern;
        this.everything = everything;
    }

    /** The pattern that {@code text} writes, or why it writes none. */
    static Reading read(String text) {
        switch (text) {
            case "" -> {
                return new Reading(EMPTY_NAME, Optional.empty());
            }
            case ".*", "^.*", ".*$" -> {
                return new Reading(EVERYTHING, Optional.empty());
            }
            default -> {}
        }
        if (text.length() > CHARS_MAX) {
            return refused("it is longer than " + CHARS_MAX + " characters");
        }
        if (!PatternSize.bearable(text)) {
            return refused("its repetitions or groups are too many or nested too deep");
        }
        try {
            return new Reading(new NamePattern(Pattern.compile(text), false), Optional.empty());
        } catch (PatternSyntaxException malformed) {
            return refused(
                    malformed.getDescription() + " (the syntax is RE2's: without look-around and back references)");
        }
    }

    /**
     * What came of reading.
     *
     * @param pattern matches nothing where there is a fault
     */
    record Reading(NamePattern pattern, Optional<String> fault) {}

    boolean matches(String name) {
        return everything || (pattern != null && pattern.matcher(name).find());
    }

    private static Reading refused(String why) {
        return new Reading(NOTHING, Optional.of(why));
    }
}
