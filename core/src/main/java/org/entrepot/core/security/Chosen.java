package org.entrepot.core.security;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.entrepot.core.config.Printable;

/** Picks the parts that a configuration names. Stateless. */
final class Chosen {
    private Chosen() {}

    static <T> List<T> of(String key, List<String> names, List<T> available, Function<T, String> nameOf) {
        List<T> chosen = new ArrayList<>();
        for (String name : names) {
            chosen.add(available.stream()
                    .filter(one -> nameOf.apply(one).equals(name))
                    .findFirst()
                    .orElseThrow(() -> new IllegalArgumentException(
                            key + " names '" + Printable.of(name, 60) + "'; allowed: " + shown(available, nameOf))));
        }
        if (chosen.isEmpty()) {
            throw new IllegalArgumentException(key + " is empty; allowed: " + shown(available, nameOf));
        }
        return chosen;
    }

    private static <T> String shown(List<T> available, Function<T, String> nameOf) {
        return available.stream().map(nameOf).collect(Collectors.joining(", "));
    }
}
