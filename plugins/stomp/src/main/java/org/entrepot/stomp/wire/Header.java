package org.entrepot.stomp.wire;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The headers that mean something to the broker, by the names that they have in frames. */
public enum Header {
    ACCEPT_VERSION,
    ACK,
    AMQP_MESSAGE_ID,
    APP_ID,
    AUTO_DELETE,
    CONTENT_ENCODING,
    CONTENT_LENGTH,
    CONTENT_TYPE,
    CORRELATION_ID,
    DESTINATION,
    DURABLE,
    EXCLUSIVE,
    EXPIRATION,
    HEART_BEAT,
    HOST,
    ID,
    LOGIN,
    MESSAGE_ID,
    PASSCODE,
    PERSISTENT,
    PREFETCH_COUNT,
    PRIORITY,
    RECEIPT,
    REDELIVERED,
    REPLY_TO,
    REQUEUE,
    SELECTOR,
    SUBSCRIPTION,
    TIMESTAMP,
    TRANSACTION,
    TYPE,
    USER_ID,
    X_DEAD_LETTER_EXCHANGE,
    X_DEAD_LETTER_ROUTING_KEY,
    X_DELIVERY_LIMIT,
    X_EXPIRES,
    X_MAX_LENGTH,
    X_MAX_LENGTH_BYTES,
    X_MAX_PRIORITY,
    X_MESSAGE_TTL,
    X_OVERFLOW,
    X_PRIORITY,
    X_QUEUE_NAME,
    X_QUEUE_TYPE,
    X_SINGLE_ACTIVE_CONSUMER,
    X_STREAM_FILTER,
    X_STREAM_MATCH_UNFILTERED,
    X_STREAM_OFFSET;

    /** How many there are. */
    static final int COUNT = values().length;

    /** Places of the table by hash, a power of two: few enough collisions with a quarter of them taken. */
    private static final int PLACES = 256;

    private static final @Nullable Header[] TABLE = table();

    private final String text = name().toLowerCase(Locale.ROOT).replace('_', '-');

    @SuppressWarnings("ImmutableEnumChecker") // nobody writes to it
    private final byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);

    /** The name in frames. */
    public String text() {
        return text;
    }

    /** A place in tables of {@link #COUNT}. */
    @SuppressWarnings("EnumOrdinal") // of this process only, and never stored
    int index() {
        return ordinal();
    }

    /** One step of the hash that {@link #of} takes: over all bytes of the name in order, from 0 on. */
    static int hash(int hash, byte next) {
        return 31 * hash + next;
    }

    /** The header of this name, whose hash is {@code hash}; null where it means nothing to the broker. */
    static @Nullable Header of(byte[] array, int from, int to, int hash) {
        for (int place = place(hash); ; place = (place + 1) & (PLACES - 1)) {
            Header header = TABLE[place];
            if (header == null || Arrays.equals(header.bytes, 0, header.bytes.length, array, from, to)) {
                return header;
            }
        }
    }

    /** The header of this name; null where it means nothing to the broker. */
    public static @Nullable Header named(String name) {
        byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
        int hash = 0;
        for (byte b : bytes) {
            hash = hash(hash, b);
        }
        return of(bytes, 0, bytes.length, hash);
    }

    private static @Nullable Header[] table() {
        @Nullable Header[] table = new Header[PLACES];
        for (Header header : values()) {
            int hash = 0;
            for (byte b : header.bytes) {
                hash = hash(hash, b);
            }
            int place = place(hash);
            while (table[place] != null) {
                place = (place + 1) & (PLACES - 1);
            }
            table[place] = header;
        }
        return table;
    }

    private static int place(int hash) {
        return (hash ^ (hash >>> 8) ^ (hash >>> 16)) & (PLACES - 1);
    }
}
