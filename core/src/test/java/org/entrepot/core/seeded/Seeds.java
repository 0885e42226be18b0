package org.entrepot.core.seeded;

import java.util.function.Consumer;

/**
 * Runs a test once for each of many seeds, and names the seed that fails.
 *
 * <p>The system property {@code seed} runs that one alone; {@code seeds} changes how many are run, {@code seeds.first} from
 * which one on.
 */
public final class Seeds {
    private Seeds() {}

    public static void each(int count, Consumer<SeededRandom> test) {
        Long only = Long.getLong("seed");
        long first = only == null ? Long.getLong("seeds.first", 1) : only;
        long last = only == null ? first + Long.getLong("seeds", count) - 1 : only;
        for (long seed = first; seed <= last; seed++) {
            try {
                test.accept(new SeededRandom(seed));
            } catch (RuntimeException | AssertionError failure) {
                throw new AssertionError(
                        "seed " + seed + " (again with -Dseed=" + seed + "): " + failure.getMessage(), failure);
            }
        }
    }
}
