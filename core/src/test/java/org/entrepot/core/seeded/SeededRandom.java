package org.entrepot.core.seeded;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Random choices that a seed decides: the same seed makes the same ones. Used by one thread. */
public final class SeededRandom {
    private final long seed;
    private long state;

    public SeededRandom(long seed) {
        this.seed = seed;
        this.state = seed;
    }

    public long seed() {
        return seed;
    }

    /** Any long: SplitMix64. */
    public long next() {
        state += 0x9E3779B97F4A7C15L;
        long z = state;
        z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
        z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
        return z ^ (z >>> 31);
    }

    /** A number from 0 to {@code bound - 1}. */
    public int below(int bound) {
        return (int) Long.remainderUnsigned(next(), bound);
    }

    /** A number from {@code least} to {@code most}. */
    public int between(int least, int most) {
        return least + below(most - least + 1);
    }

    /** True in so many of a hundred cases. */
    public boolean percent(int cases) {
        return below(100) < cases;
    }

    /** One of these. */
    @SafeVarargs
    public final <T> T oneOf(T... choices) {
        return choices[below(choices.length)];
    }

    /** One of these. */
    public <T> T oneOf(List<T> choices) {
        return choices.get(below(choices.size()));
    }

    /** The same things in another order. */
    public <T> List<T> shuffled(List<T> things) {
        List<T> shuffled = new ArrayList<>(things);
        for (int i = shuffled.size() - 1; i > 0; i--) {
            Collections.swap(shuffled, i, below(i + 1));
        }
        return shuffled;
    }
}
