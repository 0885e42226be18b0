package org.entrepot.amqp.v091;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.entrepot.amqp.v091.wire.DeliveryWriter;
import org.entrepot.amqp.v091.wire.Frames;
import org.entrepot.amqp.v091.wire.Method;
import org.entrepot.amqp.v091.wire.MethodWriter;
import org.entrepot.spi.protocol.Connection;
import org.entrepot.spi.protocol.OutputBuffer;
import org.jspecify.annotations.Nullable;

/**
 * What a connection sends: gathered during a pass of the loop, handed to the socket when the pass ends. Owned by the
 * connection's loop.
 */
final class Outbound {

    /** Room that any method but one with a table fits into. */
    private static final int METHOD_BYTES = 256;

    private final Channel socket;
    private final Connection broker;
    private final OutputBuffer buffer;
    private final List<AmqpChannel> withConfirms = new ArrayList<>(1);
    private final AmqpMessageFormat format;
    private @Nullable DeliveryWriter deliveryWriter;
    private @Nullable DeliveredContent deliveredContent;
    private boolean passEndAsked;
    /** Whether what was gathered is more than a heartbeat. */
    private boolean spoke;

    Outbound(Channel socket, Connection broker, AmqpMessageFormat format) {
        this.socket = socket;
        this.broker = broker;
        this.format = format;
        this.buffer = new OutputBuffer(socket);
    }

    /** The frame size was agreed on. */
    void frameMax(int frameMax) {
        deliveryWriter = new DeliveryWriter(frameMax);
        deliveredContent = new DeliveredContent(format, frameMax);
    }

    DeliveryWriter deliveryWriter() {
        return Objects.requireNonNull(deliveryWriter, "there are no channels before tune-ok");
    }

    DeliveredContent deliveredContent() {
        return Objects.requireNonNull(deliveredContent, "there are no channels before tune-ok");
    }

    /** The buffer to append about so many bytes to, which are sent when the pass ends. */
    ByteBuf room(int bytes) {
        askForPassEnd();
        spoke = true;
        return buffer.room(bytes);
    }

    /** Sends a method on a channel. */
    void send(int channel, Method method) {
        MethodWriter.write(room(METHOD_BYTES), channel, method);
    }

    /** Sends a method on the connection's own channel. */
    void send(Method method) {
        send(0, method);
    }

    /** Sends a heartbeat, unless the client reads so slowly that it has enough to read. */
    void heartbeat() {
        if (socket.isWritable()) {
            boolean spokeElse = spoke;
            Frames.heartbeat(room(Frames.OVERHEAD_BYTES));
            spoke = spokeElse;
        }
    }

    /** The channel has confirms to tell when the pass ends. */
    void confirmsDue(AmqpChannel channel) {
        withConfirms.add(channel);
        askForPassEnd();
    }

    private void askForPassEnd() {
        if (!passEndAsked) {
            passEndAsked = true;
            broker.flushSoon();
        }
    }

    /**
     * The pass ends: hands what was gathered to the socket.
     *
     * @return whether that was more than a heartbeat
     */
    boolean flush() {
        passEndAsked = false;
        for (int i = 0; i < withConfirms.size(); i++) {
            withConfirms.get(i).tellConfirms();
        }
        withConfirms.clear();
        if (buffer.isEmpty()) {
            return false;
        }
        buffer.write();
        boolean more = spoke;
        spoke = false;
        return more;
    }

    /** The channels are gone. */
    void forgetConfirms() {
        withConfirms.clear();
    }

    /** The socket is closed. */
    void close() {
        withConfirms.clear();
        buffer.close();
    }
}
