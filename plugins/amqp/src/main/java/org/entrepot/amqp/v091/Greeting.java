package org.entrepot.amqp.v091;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.entrepot.amqp.v091.wire.ProtocolHeader;

/** The protocol header that a connection begins with, which may come in pieces. Owned by the connection's loop. */
final class Greeting {
    private final ByteBuf bytes = Unpooled.buffer(ProtocolHeader.BYTES, ProtocolHeader.BYTES);

    /** Takes what is missing from {@code buffer}; whether the header is complete. */
    boolean read(ByteBuf buffer) {
        bytes.writeBytes(buffer, Math.min(bytes.writableBytes(), buffer.readableBytes()));
        return !bytes.isWritable();
    }

    ProtocolHeader header() {
        return ProtocolHeader.of(bytes);
    }

    /** What is wrong with a header that is not served, for operators. */
    String complaint() {
        return switch (header()) {
            case AMQP_1_0, AMQP_1_0_SASL, AMQP_1_0_TLS -> "the client speaks AMQP 1.0, which is not built yet";
            case AMQP_0_9_1, AMQP_0_9, AMQP_0_9_OTHER, AMQP_OTHER ->
                "the client speaks a version of AMQP that is not served: " + bytes.getUnsignedByte(4) + "-"
                        + bytes.getUnsignedByte(5) + "-" + bytes.getUnsignedByte(6) + "-" + bytes.getUnsignedByte(7);
            case HTTP, TLS, OTHER, INCOMPLETE -> "the client does not begin with AMQP's protocol header";
        };
    }
}
