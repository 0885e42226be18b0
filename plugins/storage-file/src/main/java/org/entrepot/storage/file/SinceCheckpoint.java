package org.entrepot.storage.file;

/** What a replay has to read and tell: the newest checkpoint's place, and what came after it. Owned as its log. */
final class SinceCheckpoint {
    /** Facts or released ranges after which a new checkpoint is cheaper. */
    private static final int LONG = 10_000;

    private long place = Place.NOWHERE;
    private int length;
    private long tail;
    private final LongList factPlaces = new LongList();
    private final LongList factLengths = new LongList();
    private final Ranges released = new Ranges();

    void checkpoint(long at, int bytes, long tailThen) {
        place = at;
        length = bytes;
        tail = tailThen;
        factPlaces.clear();
        factLengths.clear();
        released.clear();
    }

    void fact(long at, int bytes) {
        factPlaces.add(at);
        factLengths.add(bytes);
    }

    void released(long from, long to) {
        if (from < tail) {
            released.add(from, Math.min(to, tail - 1));
        }
    }

    boolean hasCheckpoint() {
        return place != Place.NOWHERE;
    }

    boolean isLong() {
        return factPlaces.size() >= LONG || released.size() >= LONG;
    }

    long place() {
        return place;
    }

    int length() {
        return length;
    }

    /** Entries from this position on came after the checkpoint. */
    long tail() {
        return tail;
    }

    LongList factPlaces() {
        return factPlaces;
    }

    LongList factLengths() {
        return factLengths;
    }

    Ranges released() {
        return released;
    }
}
