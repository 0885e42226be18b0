package org.entrepot.core.routing;

import java.util.List;

/** Matches topics in the plainest way: word by word, trying every length for a hash. For comparison. */
final class SlowTopics {
    private SlowTopics() {}

    static boolean matches(String pattern, String key) {
        return matches(words(pattern), words(key));
    }

    private static boolean matches(List<String> pattern, List<String> key) {
        if (pattern.isEmpty()) {
            return key.isEmpty();
        }
        List<String> rest = pattern.subList(1, pattern.size());
        if (pattern.get(0).equals("#")) {
            for (int taken = 0; taken <= key.size(); taken++) {
                if (matches(rest, key.subList(taken, key.size()))) {
                    return true;
                }
            }
            return false;
        }
        return !key.isEmpty()
                && (pattern.get(0).equals("*") || pattern.get(0).equals(key.get(0)))
                && matches(rest, key.subList(1, key.size()));
    }

    private static List<String> words(String text) {
        return text.isEmpty() ? List.of() : List.of(text.split("\\.", -1));
    }
}
