package org.entrepot.amqp.v091.wire;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * Finds the properties of class basic in their list: flags, then the values of those whose flag is set. Checks that the
 * list is well formed, the headers table in full. Owned by whoever scans; reused.
 */
final class PropertyScanner {
    // Bits of the flags; a property's number is its bit.
    static final int CONTENT_TYPE = 15;
    static final int CONTENT_ENCODING = 14;
    static final int HEADERS = 13;
    static final int DELIVERY_MODE = 12;
    static final int PRIORITY = 11;
    static final int CORRELATION_ID = 10;
    static final int REPLY_TO = 9;
    static final int EXPIRATION = 8;
    static final int MESSAGE_ID = 7;
    static final int TIMESTAMP = 6;
    static final int TYPE = 5;
    static final int USER_ID = 4;
    static final int APP_ID = 3;
    static final int CLUSTER_ID = 2;

    static final int FLAG_BYTES = 2;

    /** One flag that the specification leaves out, and the one that says that more flags follow. */
    private static final int UNKNOWN_FLAGS = 3;

    private static final int NUMBERS = 16;

    private final FieldScanner fields = new FieldScanner();
    private final int[] starts = new int[NUMBERS];
    private int flags;
    private int end;

    /** Hears of the fields of the headers table while they are checked. */
    interface Fields {
        /**
         * One field.
         *
         * @param key where the key's length stands
         * @param letter where the type letter stands; the key ends here
         * @param end where the value ends
         */
        void field(ByteBuf buffer, int key, int letter, int end);
    }

    /**
     * Scans the list of {@code length} bytes from {@code index}.
     *
     * @param visitor hears of the headers, where there are any; null for nobody
     * @throws WireException FRAME_ERROR when it is not well formed, INTERNAL_ERROR for unknown properties and types
     */
    void scan(ByteBuf buffer, int index, int length, @Nullable Fields visitor) {
        int limit = index + length;
        if (length < FLAG_BYTES) {
            throw malformed();
        }
        flags = buffer.getUnsignedShort(index);
        if ((flags & UNKNOWN_FLAGS) != 0) {
            throw new WireException(
                    ReplyCode.INTERNAL_ERROR,
                    "unknown property flags " + Integer.toBinaryString(flags),
                    Methods.BASIC_PUBLISH);
        }
        int at = index + FLAG_BYTES;
        int rest = flags;
        while (rest != 0) {
            int property = 31 - Integer.numberOfLeadingZeros(rest);
            rest ^= 1 << property;
            starts[property] = at;
            at = skip(buffer, property, at, limit);
            if (at < 0) {
                throw malformed();
            }
        }
        if (at != limit) {
            throw malformed();
        }
        end = at;
        if (has(HEADERS)) {
            headers(buffer, visitor);
        }
    }

    int flags() {
        return flags;
    }

    boolean has(int property) {
        return (flags & 1 << property) != 0;
    }

    /** Where the value begins, with its length where it has one; only of what is {@linkplain #has there}. */
    int start(int property) {
        return starts[property];
    }

    /** Where the value ends: where the next one begins. */
    int end(int property) {
        int lower = flags & (1 << property) - 1;
        return lower == 0 ? end : starts[31 - Integer.numberOfLeadingZeros(lower)];
    }

    /** Walks the fields of the headers table once more. */
    void headers(ByteBuf buffer, @Nullable Fields visitor) {
        int at = starts[HEADERS] + 4;
        int limit = end(HEADERS);
        fields.begin(Methods.BASIC_PUBLISH);
        while (at < limit) {
            int key = at;
            int letter = fields.key(buffer, key, limit);
            at = fields.value(buffer, letter, limit);
            if (visitor != null) {
                visitor.field(buffer, key, letter, at);
            }
        }
    }

    /** Where a value ends; it may be beyond {@code limit}, where the next one sees it. Below 0 where it is cut off. */
    private static int skip(ByteBuf buffer, int property, int at, int limit) {
        switch (property) {
            case DELIVERY_MODE, PRIORITY -> {
                return at + 1;
            }
            case TIMESTAMP -> {
                return at + 8;
            }
            case HEADERS -> {
                if (limit - at < 4) {
                    return -1;
                }
                int length = buffer.getInt(at);
                return length < 0 || length > limit - at - 4 ? -1 : at + 4 + length;
            }
            default -> {
                return at >= limit ? -1 : at + 1 + buffer.getUnsignedByte(at);
            }
        }
    }

    private static WireException malformed() {
        return new WireException(ReplyCode.FRAME_ERROR, "malformed content header", Methods.BASIC_PUBLISH);
    }
}
