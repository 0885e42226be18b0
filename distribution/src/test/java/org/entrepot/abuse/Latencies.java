package org.entrepot.abuse;

import java.util.Arrays;

/** How long messages took, in order of length. Immutable. */
final class Latencies {
    private final long[] sortedNanos;

    Latencies(long[] nanos) {
        sortedNanos = nanos.clone();
        Arrays.sort(sortedNanos);
    }

    int count() {
        return sortedNanos.length;
    }

    double medianMillis() {
        return millis(0.5);
    }

    double p99Millis() {
        return millis(0.99);
    }

    double worstMillis() {
        return millis(1);
    }

    private double millis(double part) {
        int index = Math.max(0, (int) Math.ceil(sortedNanos.length * part) - 1);
        return sortedNanos[index] / 1e6;
    }

    @Override
    public String toString() {
        return "%.1f / %.1f / %.1f ms".formatted(medianMillis(), p99Millis(), worstMillis());
    }
}
