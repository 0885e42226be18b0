package org.entrepot.storage.file;

/**
 * Where a record begins in the journal: the segment's number and the offset in it, as one long. 0 is nowhere: segments are
 * numbered from 1. Stateless.
 */
final class Place {
    static final long NOWHERE = 0;

    private Place() {}

    static long of(long segment, int offset) {
        assert segment > 0 && segment <= Integer.MAX_VALUE : segment;
        return segment << Integer.SIZE | offset;
    }

    static long segment(long place) {
        return place >>> Integer.SIZE;
    }

    static int offset(long place) {
        return (int) place;
    }
}
