package org.entrepot.core.config;

import java.util.Collection;
import org.jspecify.annotations.Nullable;

/** Finds what a mistyped name was probably meant to be, by edit distance. Stateless. */
final class Nearest {
    private static final int NAME_CHARS_MAX = 100;

    private Nearest() {}

    /** "; did you mean X?", or nothing where no candidate is near. */
    static String hint(String name, Collection<String> candidates) {
        String nearest = nearest(name, candidates);
        return nearest == null ? "" : "; did you mean " + nearest + "?";
    }

    private static @Nullable String nearest(String name, Collection<String> candidates) {
        if (name.length() > NAME_CHARS_MAX) {
            return null;
        }
        int best = Math.max(2, name.length() / 3) + 1;
        String nearest = null;
        for (String candidate : candidates) {
            int distance = distance(name, candidate);
            if (distance < best) {
                best = distance;
                nearest = candidate;
            }
        }
        return nearest;
    }

    /** Insertions, deletions, replacements and swaps of neighbours that turn one into the other. */
    static int distance(String from, String to) {
        int[] beforeLast = new int[to.length() + 1];
        int[] last = new int[to.length() + 1];
        int[] current = new int[to.length() + 1];
        for (int j = 0; j <= to.length(); j++) {
            last[j] = j;
        }
        for (int i = 1; i <= from.length(); i++) {
            current[0] = i;
            for (int j = 1; j <= to.length(); j++) {
                int cost = from.charAt(i - 1) == to.charAt(j - 1) ? 0 : 1;
                int least = Math.min(Math.min(current[j - 1], last[j]) + 1, last[j - 1] + cost);
                if (i > 1
                        && j > 1
                        && from.charAt(i - 1) == to.charAt(j - 2)
                        && from.charAt(i - 2) == to.charAt(j - 1)) {
                    least = Math.min(least, beforeLast[j - 2] + 1);
                }
                current[j] = least;
            }
            int[] oldest = beforeLast;
            beforeLast = last;
            last = current;
            current = oldest;
        }
        return last[to.length()];
    }
}
