package org.entrepot.mqtt;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.mqtt.MqttMessage;
import org.entrepot.mqtt.wire.PublishWriter;
import org.entrepot.spi.protocol.Connection;
import org.entrepot.spi.protocol.OutputBuffer;

/**
 * What a connection sends: gathered during a pass of the loop, handed to the socket when the pass ends. Owned by the
 * connection's loop.
 */
final class Outbound {
    private static final int ANSWER_BYTES = 8;

    private final Connection broker;
    private final ChannelHandlerContext encoder;
    private final OutputBuffer buffer;
    private boolean passEndAsked;

    /** With the context from which messages are written through the encoder. */
    Outbound(Channel socket, Connection broker, ChannelHandlerContext encoder) {
        this.broker = broker;
        this.encoder = encoder;
        this.buffer = new OutputBuffer(socket);
    }

    /** The buffer to append about so many bytes to, which are sent when the pass ends. */
    ByteBuf room(int bytes) {
        askForPassEnd();
        return buffer.room(bytes);
    }

    /** Sends a packet of the rarer kind. */
    void send(MqttMessage message) {
        buffer.write();
        encoder.write(message);
        askForPassEnd();
    }

    /** Sends a PUBACK, PUBREC, PUBREL or PUBCOMP. */
    void answer(int type, int packetId, int reason) {
        PublishWriter.answer(room(ANSWER_BYTES), type, packetId, reason);
    }

    void pong() {
        PublishWriter.pong(room(ANSWER_BYTES));
    }

    private void askForPassEnd() {
        if (!passEndAsked) {
            passEndAsked = true;
            broker.flushSoon();
        }
    }

    /** The pass ends: hands what was gathered to the socket. */
    void flush() {
        passEndAsked = false;
        buffer.write();
    }

    /** The socket is closed. */
    void close() {
        buffer.close();
    }
}
