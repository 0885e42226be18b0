package org.entrepot.amqp.v091.wire;

import io.netty.buffer.ByteBuf;

/** The eight bytes that a client begins with. */
@SuppressWarnings({"DoNotCallSuggester", "UnusedVariable", "UnusedMethod", "InlineMeSuggester"})
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
    /** Any other version of 0-9: {@code 0, 0, at least 9, anything}. */
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

    /** Looks at the readable bytes of {@code buffer}, whose indexes stay as they are. */
    public static ProtocolHeader of(ByteBuf buffer) {
        throw new UnsupportedOperationException();
    }

    /** Appends the header of 0-9-1, which is also the answer to one that is not served. */
    public static void write091(ByteBuf out) {
        throw new UnsupportedOperationException();
    }
}
