package org.entrepot.storage.file;

/**
 * Says whether the checksum of what was read is the one that was written with it. Immutable. The engine knows one that is
 * exact; tests of this package have one that is content with everything, to see what the checksums are for.
 */
@FunctionalInterface
interface Checksums {
    Checksums EXACT = (read, written) -> read == written;

    boolean agree(int read, int written);
}
