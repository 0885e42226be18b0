package org.entrepot.storage.file;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;

/** Numbers that are mostly small: seven bits a byte, the lowest first; the high bit says that more follow. Stateless. */
final class Varints {
    /** The most bytes that a number takes. */
    static final int BYTES_MAX = 10;

    private static final int MORE = 0x80;
    private static final int BITS = 7;

    private Varints() {}

    static void write(ByteBuf out, long value) {
        long left = value;
        while ((left & -MORE) != 0) {
            out.writeByte((int) left | MORE);
            left >>>= BITS;
        }
        out.writeByte((int) left);
    }

    /**
     * Reads a number.
     *
     * @throws DamagedException when it does not end
     */
    static long read(ByteBuf in) throws DamagedException {
        long value = 0;
        for (int shift = 0; shift < Long.SIZE; shift += BITS) {
            if (!in.isReadable()) {
                throw new DamagedException("a number ends too early");
            }
            byte next = in.readByte();
            value |= (long) (next & (MORE - 1)) << shift;
            if (next >= 0) {
                return value;
            }
        }
        throw new DamagedException("a number does not end");
    }

    /** Reads a number of bytes that follow; never more than there are. */
    static int readLength(ByteBuf in) throws DamagedException {
        long length = read(in);
        if (length < 0 || length > in.readableBytes()) {
            throw new DamagedException("a length of " + length + " where " + in.readableBytes() + " bytes are left");
        }
        return (int) length;
    }

    static void writeText(ByteBuf out, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        write(out, bytes.length);
        out.writeBytes(bytes);
    }

    static String readText(ByteBuf in) throws DamagedException {
        int length = readLength(in);
        String text = in.toString(in.readerIndex(), length, StandardCharsets.UTF_8);
        in.skipBytes(length);
        return text;
    }
}
