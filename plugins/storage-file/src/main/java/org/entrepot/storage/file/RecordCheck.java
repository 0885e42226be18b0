package org.entrepot.storage.file;

import io.netty.buffer.ByteBuf;
import java.util.zip.CRC32C;

/** Tells records that are whole, and what was written, from others. Used by one thread. */
final class RecordCheck {
    private final CRC32C crc = new CRC32C();
    private final Checksums checksums;

    RecordCheck(Checksums checksums) {
        this.checksums = checksums;
    }

    /**
     * The length, with all, of the record at an index, if it is whole and what was written.
     *
     * @param to where readable bytes end
     */
    int length(ByteBuf in, int start, int to, long seed) throws DamagedException {
        if (to - start < Records.HEAD) {
            throw new DamagedException("a record ends too early");
        }
        long length = Records.longLength(in, start);
        if (length < Records.HEAD || length > to - start) {
            throw new DamagedException("a record of " + length + " bytes where there are " + (to - start));
        }
        if (!checksums.agree(
                Records.checksum(crc, in, start, (int) length, seed), Records.writtenChecksum(in, start))) {
            throw new DamagedException("a record's checksum is wrong");
        }
        return (int) length;
    }
}
