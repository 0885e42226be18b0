package org.entrepot.amqp.v091.wire;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import org.entrepot.spi.message.Envelope;
import org.entrepot.spi.message.RoutingKey;

/**
 * The content header of a publish, checked in full and read in place: what the broker needs, by where it stands. Owned
 * by a connection's loop and reused; valid until the next parse, and as long as the buffer is.
 */
public final class HeaderCursor {

    /** Where something is that is not there. */
    public static final int ABSENT = -1;

    /** Largest body that may be announced, whatever is configured. */
    public static final long BODY_BYTES_MAX = 512L << 20;

    /** Class, weight and body size. */
    static final int FIXED_BYTES = 12;

    private static final int PERSISTENT = 2;

    private final PropertyScanner properties = new PropertyScanner();
    private final PropertyScanner.Fields copyFinder = this::findCopies;
    private ByteBuf buffer;
    private int index;
    private int length;
    private long bodySize;

    /** Where the type letters of the first CC and BCC stand. */
    private int copiesLetter;

    private int blindCopiesLetter;

    /** Bytes of all fields BCC. */
    private int blindBytes;

    /** Reads nothing yet. */
    public HeaderCursor() {
        this.buffer = Unpooled.EMPTY_BUFFER;
    }

    /**
     * Reads the payload that {@link FrameSink#header} was given.
     *
     * @throws WireException UNEXPECTED_FRAME for another class than basic or a weight, FRAME_ERROR for what is not well
     *     formed or too large, INTERNAL_ERROR for unknown properties and types
     */
    public void parse(ByteBuf buffer, int index, int length) {
        if (length < FIXED_BYTES) {
            throw error(ReplyCode.FRAME_ERROR, "malformed content header");
        }
        int classAndWeight = buffer.getInt(index);
        if (classAndWeight != Methods.BASIC << 16) {
            int classId = classAndWeight >>> 16;
            throw error(
                    ReplyCode.UNEXPECTED_FRAME,
                    "expected content header for class " + Methods.BASIC
                            + (classId == Methods.BASIC
                                    ? ", got non content header frame instead"
                                    : ", got one for class " + classId + " instead"));
        }
        bodySize = buffer.getLong(index + 4);
        if (bodySize < 0 || bodySize > BODY_BYTES_MAX) {
            throw error(
                    ReplyCode.FRAME_ERROR,
                    "content body size " + Long.toUnsignedString(bodySize) + " exceeds maximum allowed size "
                            + BODY_BYTES_MAX);
        }
        this.buffer = buffer;
        this.index = index + FIXED_BYTES;
        this.length = length - FIXED_BYTES;
        copiesLetter = ABSENT;
        blindCopiesLetter = ABSENT;
        blindBytes = 0;
        properties.scan(buffer, this.index, this.length, copyFinder);
    }

    /** How many bytes of body follow, as announced; at most {@link #BODY_BYTES_MAX}. */
    public long bodySize() {
        return bodySize;
    }

    /** Bytes of property flags and properties as {@link #copyHeader} writes them. */
    public int headerLength() {
        return length - blindBytes;
    }

    /**
     * Copies property flags and properties, without BCC: what {@link org.entrepot.spi.message.Message#header} of this
     * format is.
     */
    public void copyHeader(byte[] target, int offset) {
        if (blindBytes == 0) {
            buffer.getBytes(index, target, offset, length);
        } else {
            new BlindCopy(target, offset).copy();
        }
    }

    /** Whether the delivery mode is 2. */
    public boolean persistent() {
        return properties.has(PropertyScanner.DELIVERY_MODE)
                && buffer.getByte(properties.start(PropertyScanner.DELIVERY_MODE)) == PERSISTENT;
    }

    /** 0 to 255, or {@link Envelope#NO_PRIORITY}. */
    public int priority() {
        return properties.has(PropertyScanner.PRIORITY)
                ? buffer.getUnsignedByte(properties.start(PropertyScanner.PRIORITY))
                : Envelope.NO_PRIORITY;
    }

    /**
     * The expiration in milliseconds, or {@link Envelope#NO_TTL}.
     *
     * @throws WireException PRECONDITION_FAILED when it is no such number
     */
    public long ttlMillis() {
        if (!properties.has(PropertyScanner.EXPIRATION)) {
            return Envelope.NO_TTL;
        }
        int start = properties.start(PropertyScanner.EXPIRATION);
        return Expiration.parse(buffer, start + 1, buffer.getUnsignedByte(start));
    }

    /** Where the user id begins, after its length, or {@link #ABSENT}. */
    public int userIdIndex() {
        return textIndex(PropertyScanner.USER_ID);
    }

    public int userIdLength() {
        return textLength(PropertyScanner.USER_ID);
    }

    /** Where the reply-to begins, after its length, or {@link #ABSENT}. */
    public int replyToIndex() {
        return textIndex(PropertyScanner.REPLY_TO);
    }

    public int replyToLength() {
        return textLength(PropertyScanner.REPLY_TO);
    }

    /** Whether there is a header CC or BCC, so that {@link #copies} and {@link #blindCopies} are worth a call. */
    public boolean hasCopies() {
        return copiesLetter != ABSENT || blindCopiesLetter != ABSENT;
    }

    /**
     * The keys in the header CC.
     *
     * @throws WireException PRECONDITION_FAILED when it is no array
     */
    public List<RoutingKey> copies() {
        return keys("CC", copiesLetter);
    }

    /** The keys in the header BCC. Throws like {@link #copies}. */
    public List<RoutingKey> blindCopies() {
        return keys("BCC", blindCopiesLetter);
    }

    private int textIndex(int property) {
        return properties.has(property) ? properties.start(property) + 1 : ABSENT;
    }

    private int textLength(int property) {
        return properties.has(property) ? buffer.getUnsignedByte(properties.start(property)) : 0;
    }

    private void findCopies(ByteBuf buffer, int key, int letter, int end) {
        if (isBlindCopy(buffer, key)) {
            blindBytes += end - key;
            if (blindCopiesLetter == ABSENT) {
                blindCopiesLetter = letter;
            }
        } else if (buffer.getByte(key) == 2 && buffer.getShort(key + 1) == ('C' << 8 | 'C') && copiesLetter == ABSENT) {
            copiesLetter = letter;
        }
    }

    private static boolean isBlindCopy(ByteBuf buffer, int key) {
        return buffer.getByte(key) == 3 && buffer.getInt(key) == (3 << 24 | 'B' << 16 | 'C' << 8 | 'C');
    }

    /** As in RabbitMQ, elements that are no long strings are passed over. */
    private List<RoutingKey> keys(String header, int letter) {
        if (letter == ABSENT) {
            return List.of();
        }
        FieldType type = FieldType.of(buffer.getByte(letter));
        if (type != FieldType.ARRAY) {
            throw error(
                    ReplyCode.PRECONDITION_FAILED,
                    "invalid message: {unacceptable_type_in_header,\"" + header + "\"," + type.label() + '}');
        }
        FieldScanner elements = new FieldScanner();
        List<RoutingKey> keys = new ArrayList<>();
        int at = letter + 5;
        int end = at + buffer.getInt(letter + 1);
        while (at < end) {
            int next = elements.value(buffer, at, end);
            if (buffer.getByte(at) == 'S') {
                keys.add(RoutingKey.copyOf(buffer, at + 5, next - at - 5));
            }
            at = next;
        }
        return List.copyOf(keys);
    }

    private static WireException error(ReplyCode code, String text) {
        return new WireException(code, text, Methods.BASIC_PUBLISH);
    }

    /** Copies the header field by field, because some of them are left out. */
    private final class BlindCopy implements PropertyScanner.Fields {
        private final byte[] target;
        private int offset;

        BlindCopy(byte[] target, int offset) {
            this.target = target;
            this.offset = offset;
        }

        void copy() {
            int headers = properties.start(PropertyScanner.HEADERS);
            append(index, headers);
            int table = buffer.getInt(headers) - blindBytes;
            for (int shift = 24; shift >= 0; shift -= 8) {
                target[offset++] = (byte) (table >>> shift);
            }
            properties.headers(buffer, this);
            append(properties.end(PropertyScanner.HEADERS), index + length);
        }

        @Override
        public void field(ByteBuf buffer, int key, int letter, int end) {
            if (!isBlindCopy(buffer, key)) {
                append(key, end);
            }
        }

        private void append(int from, int to) {
            buffer.getBytes(from, target, offset, to - from);
            offset += to - from;
        }
    }
}
