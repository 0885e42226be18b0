package org.entrepot.storage.file;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;
import org.entrepot.spi.storage.DiskFile;
import org.jspecify.annotations.Nullable;

/**
 * Reads the records of a table from the first to the last, also past what is damaged, where it looks for the next record
 * that is whole. Used once, by one thread.
 */
final class TableScan {
    private static final int WINDOW = 1 << 20;
    private static final int LENGTH_BYTES = 4;
    private static final int CRC_END = 8;

    private final DiskFile file;
    private final long number;
    private final long end;
    private final CRC32C crc = new CRC32C();
    private long windowAt;
    private ByteBuf window = Unpooled.EMPTY_BUFFER;

    /** Hears what is there. Records are valid until the call returns. */
    interface Visitor {
        void message(long at, ByteBuf content) throws IOException;

        /**
         * An entry.
         *
         * @param content behind the record's kind; its reader index stands behind the head
         */
        void entry(long at, byte kind, EntryCodec.Head head, ByteBuf content) throws IOException, DamagedException;

        /** There is no record between these places that can be read. */
        void damaged(long from, long to, String why);
    }

    /** The records of a file up to a place, whose checksums were made with the table's number. */
    TableScan(DiskFile file, long number, long end) {
        this.file = file;
        this.number = number;
        this.end = end;
    }

    void run(Visitor visitor) throws IOException {
        long at = 0;
        while (at < end) {
            String why = wrong(at);
            if (why == null) {
                at += visit(at, visitor);
            } else {
                long next = nextWhole(at);
                visitor.damaged(at, next, why);
                at = next;
            }
        }
    }

    private long visit(long at, Visitor visitor) throws IOException {
        int length = (int) length(at);
        ByteBuf content = Records.content(bytes(at, length), 0, length);
        byte kind = kind(at);
        if (kind == Records.MESSAGE) {
            visitor.message(at, content);
            return length;
        }
        try {
            EntryCodec.Head head = EntryCodec.read(content);
            visitor.entry(at, kind, head, content);
        } catch (DamagedException senseless) {
            visitor.damaged(at, at + length, "a record is whole but makes no sense: " + senseless.getMessage());
        }
        return length;
    }

    /** The next place at which a record is whole, or the end. */
    private long nextWhole(long damaged) throws IOException {
        // Mostly the length is right, and something behind it wrong.
        long length = damaged + Records.HEAD > end ? -1 : length(damaged);
        if (length >= Records.HEAD && damaged + length <= end && isGood(damaged + length)) {
            return damaged + length;
        }
        for (long at = damaged + 1; at < end; at++) {
            if (wrong(at) == null) {
                return at;
            }
        }
        return end;
    }

    private boolean isGood(long at) throws IOException {
        return at == end || wrong(at) == null;
    }

    /** What is wrong with the record at a place; null where it is whole. */
    private @Nullable String wrong(long at) throws IOException {
        if (end - at < Records.HEAD) {
            return "a record ends too early";
        }
        long length = length(at);
        byte kind = kind(at);
        if (length < Records.HEAD || length > end - at) {
            return "a record of " + length + " bytes where there are " + (end - at);
        }
        if (kind != Records.ENTRY && kind != Records.REFERENCE && kind != Records.MESSAGE) {
            return "a record of kind " + kind;
        }
        return checksum(at, length) == bytes(at, CRC_END).getInt(LENGTH_BYTES) ? null : "a record's checksum is wrong";
    }

    private long length(long at) throws IOException {
        return bytes(at, LENGTH_BYTES).getInt(0) + (long) CRC_END;
    }

    private byte kind(long at) throws IOException {
        return bytes(at, Records.HEAD).getByte(CRC_END);
    }

    /** By pieces, for what claims to be long may not be a record at all. */
    private int checksum(long at, long length) throws IOException {
        crc.reset();
        for (int shift = Long.SIZE - Byte.SIZE; shift >= 0; shift -= Byte.SIZE) {
            crc.update((int) (number >>> shift));
        }
        long last = at + length;
        for (long piece = at + CRC_END; piece < last; ) {
            int bytes = (int) Math.min(WINDOW / 2, last - piece);
            crc.update(bytes(piece, bytes).nioBuffer());
            piece += bytes;
        }
        return (int) crc.getValue();
    }

    private ByteBuf bytes(long at, int length) throws IOException {
        if (at < windowAt || at + length > windowAt + window.writerIndex()) {
            window = read(at, (int) Math.min(Math.max(length, WINDOW), end - at));
            windowAt = at;
        }
        return window.slice((int) (at - windowAt), length);
    }

    private ByteBuf read(long at, int length) throws IOException {
        ByteBuffer target = ByteBuffer.wrap(new byte[length]);
        while (target.hasRemaining()) {
            if (file.read(target, at + target.position()) < 0) {
                throw new IOException("the file has become shorter");
            }
        }
        return Unpooled.wrappedBuffer(target.array());
    }
}
