package org.entrepot.core.security;

/**
 * Judges how large a regular expression gets when it is compiled, without compiling it: counted repetitions are unrolled,
 * and nested ones multiply. Owned by one call.
 *
 * <p>Follows RE2's syntax closely enough that whatever it does not understand counts as more, not less: in quotes
 * ({@code \Q...\E}), escapes and character classes nothing groups or repeats.
 */
final class PatternSize {
    /** Instructions that a pattern may compile to. Matching takes time in proportion to them and to the name. */
    static final long STEPS_MAX = 4000;

    static final int DEPTH_MAX = 100;

    private final String pattern;
    private final long[] sums = new long[DEPTH_MAX + 1];
    private int depth;
    private int at;
    private long lastAtom;

    private PatternSize(String pattern) {
        this.pattern = pattern;
    }

    /** Whether the pattern is within the limits. */
    static boolean bearable(String pattern) {
        return new PatternSize(pattern).count() <= STEPS_MAX;
    }

    private long count() {
        while (at < pattern.length()) {
            if (sums[depth] > STEPS_MAX) {
                return Long.MAX_VALUE;
            }
            char c = pattern.charAt(at);
            switch (c) {
                case '\\' -> escape();
                case '[' -> characterClass();
                case '(' -> {
                    if (depth == DEPTH_MAX) {
                        return Long.MAX_VALUE;
                    }
                    sums[++depth] = 0;
                    at++;
                }
                case ')' -> close();
                case '{' -> repeat();
                default -> {
                    atom(1);
                    at++;
                }
            }
        }
        while (depth > 0) {
            close();
        }
        return sums[0];
    }

    private void atom(long size) {
        lastAtom = size;
        sums[depth] += size;
    }

    private void close() {
        at++;
        if (depth == 0) {
            // Not well-formed: let what follows repeat everything.
            lastAtom = sums[0];
            return;
        }
        long group = sums[depth--] + 2;
        atom(group);
    }

    private void escape() {
        if (pattern.startsWith("\\Q", at)) {
            int end = pattern.indexOf("\\E", at + 2);
            int stop = end < 0 ? pattern.length() : end;
            sums[depth] += Math.max(0, stop - at - 2);
            lastAtom = 1;
            at = end < 0 ? stop : end + 2;
            return;
        }
        atom(1);
        at += 2;
        // \p{Greek} and \x{10ffff} have braces that do not repeat.
        if (at < pattern.length() && pattern.charAt(at) == '{' && "pPx".indexOf(pattern.charAt(at - 1)) >= 0) {
            int end = pattern.indexOf('}', at);
            at = end < 0 ? pattern.length() : end + 1;
        }
    }

    private void characterClass() {
        atom(1);
        at++;
        if (at < pattern.length() && pattern.charAt(at) == '^') {
            at++;
        }
        boolean first = true;
        while (at < pattern.length() && (first || pattern.charAt(at) != ']')) {
            first = false;
            if (pattern.startsWith("[:", at) && pattern.indexOf(":]", at + 2) >= 0) {
                at = pattern.indexOf(":]", at + 2) + 2;
            } else {
                at += pattern.charAt(at) == '\\' ? 2 : 1;
            }
        }
        at++;
    }

    /** {@code {n}}, {@code {n,}} or {@code {n,m}} behind an atom; other braces are literal. */
    private void repeat() {
        int end = pattern.indexOf('}', at);
        String inside = end < 0 ? "" : pattern.substring(at + 1, end);
        int comma = inside.indexOf(',');
        long least = number(comma < 0 ? inside : inside.substring(0, comma));
        long most = comma < 0 || comma == inside.length() - 1 ? least : number(inside.substring(comma + 1));
        if (least < 0 || most < 0) {
            atom(1);
            at++;
            return;
        }
        long times = Math.max(1, Math.max(least, most));
        sums[depth] += lastAtom * (times - 1);
        lastAtom *= times;
        at = end + 1;
    }

    /** The number that the text is, bounded, or -1. */
    private static long number(String text) {
        if (text.isEmpty() || text.length() > 5) {
            return text.chars().allMatch(c -> c >= '0' && c <= '9') && !text.isEmpty() ? 100_000 : -1;
        }
        long number = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c < '0' || c > '9') {
                return -1;
            }
            number = number * 10 + (c - '0');
        }
        return number;
    }
}
