package org.entrepot.storage.file;

/**
 * Where the entries of one log from one position to another are in a table. Immutable.
 *
 * @param log the log's id
 * @param lasting whether a restart is to find them
 * @param first the least position
 * @param last the greatest position
 * @param gaps pairs of positions, both included, between which there is nothing
 * @param positions the first position of each block
 * @param offsets where each block begins, and where the last one ends
 * @param bytes of all its records
 */
record TableRun(
        long log,
        boolean lasting,
        long first,
        long last,
        LongList gaps,
        LongList positions,
        LongList offsets,
        long bytes) {

    /** How many entries it has. */
    long entries() {
        long count = last - first + 1;
        for (int i = 0; i < gaps.size(); i += 2) {
            count -= gaps.get(i + 1) - gaps.get(i) + 1;
        }
        return count;
    }

    /** The block that a position is in, or would be. */
    int block(long position) {
        int low = 0;
        int high = positions.size() - 1;
        while (low < high) {
            int middle = (low + high + 1) >>> 1;
            if (positions.get(middle) <= position) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        return low;
    }
}
