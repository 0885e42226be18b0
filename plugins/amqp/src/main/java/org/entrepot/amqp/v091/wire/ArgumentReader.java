package org.entrepot.amqp.v091.wire;

import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import org.entrepot.spi.message.Bytes;

/**
 * Reads the arguments of one method, one after the other. Belongs to one call of {@link MethodReader#read}. Throws {@link
 * WireException} FRAME_ERROR where the arguments end too soon.
 */
final class ArgumentReader {
    private final int method;
    private final ByteBuf buffer;
    private final int start;
    private final int end;
    private int at;
    private int bits;

    ArgumentReader(int method, ByteBuf buffer, int index, int length) {
        this.method = method;
        this.buffer = buffer;
        this.start = index;
        this.end = index + length;
        this.at = index;
    }

    int octet() {
        return buffer.getUnsignedByte(take(1));
    }

    int shortNumber() {
        return buffer.getUnsignedShort(take(2));
    }

    long longNumber() {
        return buffer.getUnsignedInt(take(4));
    }

    long longLong() {
        return buffer.getLong(take(8));
    }

    /** The first of up to eight bits that share an octet. */
    boolean firstBit() {
        bits = octet();
        return (bits & 1) != 0;
    }

    /** The bit after the last one. */
    boolean nextBit() {
        bits >>>= 1;
        return (bits & 1) != 0;
    }

    /** A short string, which has to be UTF-8. */
    String shortText() {
        int length = octet();
        byte[] bytes = new byte[length];
        buffer.getBytes(take(length), bytes);
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
        } catch (CharacterCodingException e) {
            throw new WireException(ReplyCode.FRAME_ERROR, "Malformed UTF-8 in shortstr", method);
        }
    }

    /** A short string of any bytes. */
    Bytes shortBytes() {
        int length = octet();
        return Bytes.copyOf(buffer, take(length), length);
    }

    Bytes longBytes() {
        int length = length();
        return Bytes.copyOf(buffer, take(length), length);
    }

    FieldTable table() {
        int length = length();
        return FieldTable.read(buffer, take(length), length, method);
    }

    ArgumentReader afterTicket() {
        take(2);
        return this;
    }

    void skipShortString() {
        take(octet());
    }

    void skipLongString() {
        take(length());
    }

    void skipBits() {
        take(1);
    }

    /** Checks that nothing is left. */
    void end() {
        if (at != end) {
            throw cannotDecode();
        }
    }

    /** A length of 32 bits, compared with what is there before anything is made of that size. */
    private int length() {
        long length = longNumber();
        if (length > end - at) {
            throw cannotDecode();
        }
        return (int) length;
    }

    private int take(int length) {
        int taken = at;
        if (length > end - taken) {
            throw cannotDecode();
        }
        at = taken + length;
        return taken;
    }

    private WireException cannotDecode() {
        return MethodReader.cannotDecode(method, buffer, start, end - start);
    }
}
