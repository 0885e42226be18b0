package org.entrepot.amqp.v091.wire;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** The eight bytes that a client begins with. */
public enum ProtocolHeader {
    /** AMQP 0-9-1. */
    AMQP_0_9_1,
    /** AMQP 0-9, which is near enough to be served as 0-9-1. */
    AMQP_0_9,
    /** AMQP 1.0 without a security layer. */
    AMQP_1_0,
    /** AMQP 1.0 with SASL. */
    AMQP_1_0_SASL,
    /** AMQP 1.0 over TLS of its own. */
    AMQP_1_0_TLS,
    /** Another revision of 0-9 or a later 0-x. */
    AMQP_0_9_OTHER,
    /** Any other AMQP. */
    AMQP_OTHER,
    /** An HTTP request. */
    HTTP,
    /** A TLS client hello. */
    TLS,
    /** Anything else. */
    OTHER,
    /** Too few bytes to tell. */
    INCOMPLETE;

    /** Bytes of a header. */
    public static final int BYTES = 8;

    private static final long AMQP = 0x414D5150L;
    private static final List<byte[]> HTTP_VERBS = List.of(
            verb("GET "),
            verb("HEAD"),
            verb("POST"),
            verb("PUT "),
            verb("DELE"),
            verb("OPTI"),
            verb("PATC"),
            verb("PRI "));

    /** Looks at the readable bytes of {@code buffer}, whose indexes stay as they are. */
    public static ProtocolHeader of(ByteBuf buffer) {
        int index = buffer.readerIndex();
        int length = buffer.readableBytes();
        if (length == 0) {
            return INCOMPLETE;
        }
        if (begins(buffer, index, length, verb("AMQP"))) {
            return length < BYTES ? INCOMPLETE : version(buffer.getInt(index + 4));
        }
        if (buffer.getByte(index) == 0x16) {
            return length == 1 ? INCOMPLETE : buffer.getByte(index + 1) == 3 ? TLS : OTHER;
        }
        for (byte[] verb : HTTP_VERBS) {
            if (begins(buffer, index, length, verb)) {
                return length < verb.length ? INCOMPLETE : HTTP;
            }
        }
        return OTHER;
    }

    /** Appends the header of 0-9-1, which is also the answer to one that is not served. */
    public static void write091(ByteBuf out) {
        out.writeLong(AMQP << 32 | 0x0000_0901L);
    }

    private static ProtocolHeader version(int version) {
        return switch (version) {
            case 0x0000_0901 -> AMQP_0_9_1;
            case 0x0101_0009 -> AMQP_0_9;
            case 0x0001_0000 -> AMQP_1_0;
            case 0x0301_0000 -> AMQP_1_0_SASL;
            case 0x0201_0000 -> AMQP_1_0_TLS;
            default -> version >>> 16 == 0 && (version >>> 8 & 0xFF) >= 9 ? AMQP_0_9_OTHER : AMQP_OTHER;
        };
    }

    /** Whether all there is of {@code expected} is as expected. */
    private static boolean begins(ByteBuf buffer, int index, int length, byte[] expected) {
        for (int i = 0, n = Math.min(length, expected.length); i < n; i++) {
            if (buffer.getByte(index + i) != expected[i]) {
                return false;
            }
        }
        return true;
    }

    private static byte[] verb(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
