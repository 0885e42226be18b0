package org.entrepot.amqp.v091.wire;

import io.netty.buffer.ByteBuf;
import java.util.List;
import org.entrepot.spi.message.RoutingKey;

/**
 * The content header of a publish, checked in full and read in place: what the broker needs, by where it stands. Owned
 * by a connection's loop and reused; valid until the next parse, and as long as the buffer is.
 */
@SuppressWarnings({"DoNotCallSuggester", "UnusedVariable", "UnusedMethod", "InlineMeSuggester"})
public final class HeaderCursor {

    /** Where something is that is not there. */
    public static final int ABSENT = -1;

    /** Largest body that may be announced, whatever is configured. */
    public static final long BODY_BYTES_MAX = 512L << 20;

    /**
     * Reads the payload that {@link FrameSink#header} was given.
     *
     * @throws WireException UNEXPECTED_FRAME for another class than basic or a weight, FRAME_ERROR for what is not well
     *     formed or too large, INTERNAL_ERROR for unknown properties and types
     */
    public void parse(ByteBuf buffer, int index, int length) {
        throw new UnsupportedOperationException();
    }

    /** How many bytes of body follow, as announced; at most {@link #BODY_BYTES_MAX}. */
    public long bodySize() {
        throw new UnsupportedOperationException();
    }

    /** Bytes of property flags and properties as {@link #copyHeader} writes them. */
    public int headerLength() {
        throw new UnsupportedOperationException();
    }

    /**
     * Copies property flags and properties, without BCC: what {@link org.entrepot.spi.message.Message#header} of this
     * format is.
     */
    public void copyHeader(byte[] target, int offset) {
        throw new UnsupportedOperationException();
    }

    /** Whether the delivery mode is 2. */
    public boolean persistent() {
        throw new UnsupportedOperationException();
    }

    /** 0 to 255, or {@link org.entrepot.spi.message.Envelope#NO_PRIORITY}. */
    public int priority() {
        throw new UnsupportedOperationException();
    }

    /**
     * The expiration in milliseconds, or {@link org.entrepot.spi.message.Envelope#NO_TTL}.
     *
     * @throws WireException PRECONDITION_FAILED when it is no such number
     */
    public long ttlMillis() {
        throw new UnsupportedOperationException();
    }

    /** Where the user id begins, after its length, or {@link #ABSENT}. */
    public int userIdIndex() {
        throw new UnsupportedOperationException();
    }

    public int userIdLength() {
        throw new UnsupportedOperationException();
    }

    /** Where the reply-to begins, after its length, or {@link #ABSENT}. */
    public int replyToIndex() {
        throw new UnsupportedOperationException();
    }

    public int replyToLength() {
        throw new UnsupportedOperationException();
    }

    /** Whether there is a header CC or BCC, so that {@link #copies} and {@link #blindCopies} are worth a call. */
    public boolean hasCopies() {
        throw new UnsupportedOperationException();
    }

    /**
     * The keys in the header CC.
     *
     * @throws WireException PRECONDITION_FAILED when it is no array
     */
    public List<RoutingKey> copies() {
        throw new UnsupportedOperationException();
    }

    /** The keys in the header BCC. Throws like {@link #copies}. */
    public List<RoutingKey> blindCopies() {
        throw new UnsupportedOperationException();
    }
}
