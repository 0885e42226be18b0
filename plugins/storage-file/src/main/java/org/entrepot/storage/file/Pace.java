package org.entrepot.storage.file;

/** Holds the moving of entries back to a number of bytes a second. Used by one thread. */
final class Pace {
    private static final long NANOS = 1_000_000_000L;
    private static final long CHECK_BYTES = 1 << 20;

    private final long bytesPerSecond;
    private long started;
    private long bytes;
    private long unchecked;

    Pace(long bytesPerSecond) {
        this.bytesPerSecond = bytesPerSecond;
    }

    void begin() {
        started = System.nanoTime();
        bytes = 0;
    }

    void wrote(int count) {
        unchecked += count;
        if (unchecked < CHECK_BYTES) {
            return;
        }
        bytes += unchecked;
        unchecked = 0;
        long ahead = bytes * NANOS / bytesPerSecond - (System.nanoTime() - started);
        if (ahead > 0) {
            try {
                Thread.sleep(ahead / 1_000_000, (int) (ahead % 1_000_000));
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
