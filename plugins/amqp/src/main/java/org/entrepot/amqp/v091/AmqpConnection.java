package org.entrepot.amqp.v091;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.collection.IntObjectHashMap;
import java.io.IOException;
import java.util.List;
import java.util.Objects;
import org.entrepot.amqp.v091.wire.FrameDecoder;
import org.entrepot.amqp.v091.wire.FrameSink;
import org.entrepot.amqp.v091.wire.HeaderCursor;
import org.entrepot.amqp.v091.wire.Method;
import org.entrepot.amqp.v091.wire.MethodReader;
import org.entrepot.amqp.v091.wire.Methods;
import org.entrepot.amqp.v091.wire.ProtocolHeader;
import org.entrepot.amqp.v091.wire.PublishCursor;
import org.entrepot.amqp.v091.wire.ReplyCode;
import org.entrepot.amqp.v091.wire.WireException;
import org.entrepot.spi.BrokerException;
import org.entrepot.spi.protocol.Connection;
import org.entrepot.spi.protocol.ConnectionHandler;
import org.entrepot.spi.protocol.TimerWheel;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One client's connection: reads frames, hands them to channels, closes in good order. Owned by the connection's loop.
 */
final class AmqpConnection extends ChannelInboundHandlerAdapter
        implements ConnectionHandler, FrameSink, Heartbeat.Peer {
    private static final Logger log = LoggerFactory.getLogger(AmqpConnection.class);

    /** Bytes that a client may send ahead while its login is being answered. */
    private static final int HELD_BYTES_MAX = 512 << 10;

    private final Amqp091 amqp091;
    private final Channel socket;
    private final Connection broker;
    private final TimerWheel wheel;
    private final Outbound outbound;
    private final FrameDecoder decoder;
    private final UnfinishedBytes unfinished;
    private final IntObjectHashMap<AmqpChannel> channels = new IntObjectHashMap<>(2);
    private final CloseDeadline closeDeadline = new CloseDeadline();
    private final PublishCursor publishCursor = new PublishCursor();
    private final HeaderCursor headerCursor = new HeaderCursor();

    private State state = State.GREETING;
    private @Nullable Greeting greeting = new Greeting();
    private @Nullable Handshake handshake;
    private @Nullable Heartbeat heartbeat;
    private Capabilities capabilities = Capabilities.NONE;
    private int channelMax;
    private int channelsToFinish;

    private enum State {
        /** The protocol header is to come. */
        GREETING,
        HANDSHAKE,
        OPEN,
        /** The client said goodbye; what it asked for before is done, and the broker lets go of what it holds. */
        RELEASING,
        /** The connection was closed by us; the client is to answer. */
        CLOSING,
        /** All was said: what still comes is thrown away. */
        CLOSED
    }

    AmqpConnection(Amqp091 amqp091, Channel socket, Connection broker) {
        this.amqp091 = amqp091;
        this.socket = socket;
        this.broker = broker;
        this.wheel = amqp091.timers().of(socket.eventLoop());
        this.outbound = new Outbound(socket, broker, amqp091.format());
        this.decoder = new FrameDecoder(amqp091.settings().initialFrameMax());
        // Whatever is configured, a message of the greatest size must be let in while another is on its way.
        this.unfinished = new UnfinishedBytes(
                Math.max(amqp091.settings().unfinishedBytesMax(), 2L * broker.messageBytesMax()),
                amqp091.gatheringRoom());
    }

    // ---- what comes from the socket

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        ByteBuf buffer = (ByteBuf) message;
        try {
            if (heartbeat != null) {
                heartbeat.heard();
            }
            if (state != State.GREETING || greeted(buffer)) {
                decoder.read(buffer, this);
            }
            if (state == State.HANDSHAKE && decoder.keptBytes() > HELD_BYTES_MAX) {
                refuse("more than " + HELD_BYTES_MAX + " bytes before the login is answered");
            }
        } catch (WireException lost) {
            lost(lost);
        } finally {
            buffer.release();
        }
    }

    /** Whether the protocol header has come and the connection goes on. */
    private boolean greeted(ByteBuf buffer) {
        Greeting present = Objects.requireNonNull(greeting);
        if (!present.read(buffer)) {
            return false;
        }
        greeting = null;
        ProtocolHeader header = present.header();
        if (header == ProtocolHeader.AMQP_0_9_1 || header == ProtocolHeader.AMQP_0_9) {
            state = State.HANDSHAKE;
            handshake = new Handshake(this, outbound, broker, amqp091.settings());
            handshake.start(amqp091.serverProperties());
            return true;
        }
        broker.complain(present.complaint());
        ProtocolHeader.write091(outbound.room(ProtocolHeader.BYTES));
        closeSocket();
        return false;
    }

    /** The bytes are no frames: nothing that follows can be read. */
    private void lost(WireException fault) {
        AmqpError error = AmqpError.of(fault, Methods.NONE);
        switch (state) {
            case HANDSHAKE -> refuse("during the handshake, " + error);
            case OPEN -> {
                broker.complain(error.toString());
                decoder.stop();
                close(error, amqp091.settings().refusalMillis());
            }
            case CLOSING -> {
                // An answer can no longer be told from what else comes, so none is waited for.
                decoder.stop();
                closeDeadlineIn(amqp091.settings().refusalMillis());
            }
            case GREETING -> closeSocket();
            case RELEASING, CLOSED -> decoder.stop();
        }
    }

    @Override
    public void method(int channel, int method, ByteBuf buffer, int index, int length) {
        try {
            switch (state) {
                case OPEN -> {
                    if (channel == 0) {
                        connectionMethod(method, buffer, index, length);
                    } else {
                        channelMethod(channel, method, buffer, index, length);
                    }
                }
                case HANDSHAKE -> Objects.requireNonNull(handshake).method(channel, method, buffer, index, length);
                case RELEASING, CLOSING -> closingMethod(channel, method);
                case GREETING, CLOSED -> {}
            }
        } catch (RuntimeException fault) {
            fail(AmqpError.of(fault, method));
        }
    }

    private void connectionMethod(int number, ByteBuf buffer, int index, int length) {
        Method method = MethodReader.read(number, buffer, index, length);
        if (method instanceof Method.ConnectionClose) {
            closedByClient();
        } else if (method instanceof Method.ConnectionUpdateSecret update) {
            updateSecret(update);
        } else {
            throw new WireException(ReplyCode.CHANNEL_ERROR, "unexpected method in connection state running", number);
        }
    }

    private void updateSecret(Method.ConnectionUpdateSecret method) {
        broker.renew(method.newSecret().toArray()).whenComplete((renewed, fault) -> {
            if (state != State.OPEN) {
                return;
            }
            if (fault == null) {
                outbound.send(new Method.ConnectionUpdateSecretOk());
                return;
            }
            AmqpError error = AmqpError.of(fault, method.number());
            fail(
                    error.code() == ReplyCode.ACCESS_REFUSED
                            ? AmqpError.of(
                                    ReplyCode.NOT_ALLOWED,
                                    "New secret was refused by one of the backends",
                                    method.number())
                            : error);
        });
    }

    private void closingMethod(int channel, int method) {
        if (channel != 0 || state != State.CLOSING) {
            return;
        }
        if (method == Methods.CONNECTION_CLOSE) {
            outbound.send(new Method.ConnectionCloseOk());
        } else if (method == Methods.CONNECTION_CLOSE_OK) {
            closeSocket();
        }
    }

    private void channelMethod(int number, int method, ByteBuf buffer, int index, int length) {
        AmqpChannel channel = channels.get(number);
        if (channel != null) {
            channel.method(method, buffer, index, length);
        } else if (method == Methods.CHANNEL_OPEN) {
            openChannel(number);
        } else {
            throw new WireException(ReplyCode.CHANNEL_ERROR, "expected 'channel.open'", method);
        }
    }

    /** The number may be any; how many there are is limited. */
    private void openChannel(int number) {
        if (channels.size() >= channelMax) {
            throw new WireException(
                    ReplyCode.NOT_ALLOWED,
                    "number of channels opened (" + channels.size() + ") has reached the negotiated channel_max ("
                            + channelMax + ")",
                    Methods.CHANNEL_OPEN);
        }
        channels.put(number, new AmqpChannel(this, outbound, number, amqp091, broker));
        outbound.send(number, new Method.ChannelOpenOk());
    }

    @Override
    public void header(int channel, ByteBuf buffer, int index, int length) {
        AmqpChannel present = contentChannel(channel);
        if (present != null) {
            try {
                present.header(buffer, index, length);
            } catch (RuntimeException fault) {
                fail(AmqpError.of(fault, Methods.BASIC_PUBLISH));
            }
        }
    }

    @Override
    public void body(int channel, ByteBuf buffer, int index, int length) {
        AmqpChannel present = contentChannel(channel);
        if (present != null) {
            try {
                present.body(buffer, index, length);
            } catch (RuntimeException fault) {
                fail(AmqpError.of(fault, Methods.BASIC_PUBLISH));
            }
        }
    }

    private @Nullable AmqpChannel contentChannel(int number) {
        if (state == State.HANDSHAKE) {
            Objects.requireNonNull(handshake)
                    .violation(AmqpError.of(
                            ReplyCode.UNEXPECTED_FRAME, "content before the connection is open", Methods.NONE));
        }
        if (state != State.OPEN) {
            return null;
        }
        AmqpChannel channel = channels.get(number);
        if (channel == null) {
            fail(AmqpError.of(
                    ReplyCode.UNEXPECTED_FRAME, "expected method frame, got non method frame instead", Methods.NONE));
        }
        return channel;
    }

    @Override
    public void heartbeat() {}

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        if (!(cause instanceof IOException)) {
            log.error("A fault of an AMQP connection: this is a defect, please report it with this trace", cause);
        }
        context.close();
    }

    // ---- the handshake's doings

    boolean shakesHands() {
        return state == State.HANDSHAKE;
    }

    /** Passes nothing on to the handshake until {@link #resume}. */
    void hold() {
        decoder.hold();
        broker.pauseReading();
    }

    void resume() {
        broker.resumeReading();
        try {
            decoder.resume(this);
        } catch (WireException lost) {
            lost(lost);
        }
    }

    void tuned(Agreement agreement) {
        channelMax = agreement.channelMax();
        decoder.frameMax(agreement.frameMax());
        outbound.frameMax(agreement.frameMax());
        if (agreement.heartbeatSeconds() > 0) {
            heartbeat = new Heartbeat(wheel, this, agreement.heartbeatSeconds());
            heartbeat.start();
        }
    }

    void opened(Capabilities clients) {
        capabilities = clients;
        handshake = null;
        state = State.OPEN;
        outbound.send(new Method.ConnectionOpenOk());
    }

    /** Complains of a client that cannot be trusted, and keeps it waiting. */
    void refuse(String complaint) {
        broker.complain(complaint);
        keepWaiting();
    }

    /** Says nothing more to a client that cannot be trusted, and closes its socket after a while. */
    void keepWaiting() {
        state = State.CLOSED;
        decoder.stop();
        closeDeadlineIn(amqp091.settings().refusalMillis());
    }

    // ---- what channels need

    Capabilities capabilities() {
        return capabilities;
    }

    UnfinishedBytes unfinished() {
        return unfinished;
    }

    PublishCursor publishCursor() {
        return publishCursor;
    }

    HeaderCursor headerCursor() {
        return headerCursor;
    }

    /** The channel's number is free. */
    void forget(AmqpChannel channel) {
        channels.remove(channel.number());
    }

    // ---- the end of a pass

    @Override
    public void flush() {
        if (outbound.flush() && heartbeat != null) {
            heartbeat.sent();
        }
    }

    // ---- heartbeats

    @Override
    public boolean audible() {
        return !broker.readingPaused();
    }

    @Override
    public void sendHeartbeat() {
        outbound.heartbeat();
    }

    @Override
    public void dead() {
        broker.complain("missed heartbeats from client");
        state = State.CLOSED;
        decoder.stop();
        socket.close();
    }

    // ---- what the broker wants

    @Override
    public void blocked(String reason) {
        if (state == State.OPEN && capabilities.connectionBlocked()) {
            outbound.send(new Method.ConnectionBlocked(reason));
        }
    }

    @Override
    public void unblocked() {
        if (state == State.OPEN && capabilities.connectionBlocked()) {
            outbound.send(new Method.ConnectionUnblocked());
        }
    }

    @Override
    public void close(BrokerException reason) {
        switch (state) {
            case OPEN ->
                close(AmqpError.of(reason, Methods.NONE), amqp091.settings().closeMillis());
            case GREETING, HANDSHAKE -> closeSocket();
            case RELEASING, CLOSING -> {}
            // All was said, and the client takes its time to hang up.
            case CLOSED -> socket.close();
        }
    }

    @Override
    public void closed() {
        state = State.CLOSED;
        decoder.stop();
        if (heartbeat != null) {
            heartbeat.stop();
        }
        wheel.clear(closeDeadline);
        dropChannels();
        outbound.close();
    }

    // ---- closing

    /** What was sent on channels before the goodbye is still done, and answered before it. */
    private void closedByClient() {
        state = State.RELEASING;
        closeDeadlineIn(amqp091.settings().closeMillis());
        channelsToFinish = 1;
        for (AmqpChannel channel : List.copyOf(channels.values())) {
            channelsToFinish++;
            channel.whenDone(this::channelFinished);
        }
        channelFinished();
    }

    private void channelFinished() {
        channelsToFinish--;
        if (channelsToFinish == 0 && state == State.RELEASING) {
            release();
        }
    }

    private void release() {
        dropChannels();
        broker.release().whenComplete((released, fault) -> {
            if (state == State.RELEASING) {
                outbound.send(new Method.ConnectionCloseOk());
                awaitEnd();
            }
        });
    }

    /**
     * Leaves closing the socket to the client. Its goodbye may overtake what it sends on its channels, and a socket
     * closed before all of that was read is reset, which can cost the client the answer.
     */
    private void awaitEnd() {
        state = State.CLOSED;
        decoder.stop();
        closeDeadlineIn(amqp091.settings().closeMillis());
    }

    /** Closes the connection because of a fault of the client's, or of ours. */
    void fail(AmqpError error) {
        if (state == State.OPEN || state == State.HANDSHAKE) {
            broker.complain(error.toString());
            close(error, amqp091.settings().closeMillis());
        }
    }

    /** Lets go of what the broker holds, because clients expect that to be done when they are told, and tells. */
    private void close(AmqpError error, int withinMillis) {
        state = State.CLOSING;
        dropChannels();
        closeDeadlineIn(withinMillis);
        broker.release().whenComplete((released, fault) -> {
            if (state == State.CLOSING) {
                sendClose(error);
            }
        });
    }

    private void dropChannels() {
        for (AmqpChannel channel : channels.values()) {
            channel.drop();
        }
        channels.clear();
        outbound.forgetConfirms();
    }

    void sendClose(AmqpError error) {
        outbound.send(new Method.ConnectionClose(
                error.code().number(), error.replyText(), error.classId(), error.methodId()));
    }

    /** Closes the socket when what was sent has gone out, or when the client takes too long to read it. */
    private void closeSocket() {
        state = State.CLOSED;
        decoder.stop();
        flush();
        closeDeadlineIn(amqp091.settings().closeMillis());
        socket.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(ChannelFutureListener.CLOSE);
    }

    private void closeDeadlineIn(int millis) {
        if (heartbeat != null) {
            heartbeat.stop();
        }
        wheel.set(closeDeadline, millis);
    }

    private final class CloseDeadline extends TimerWheel.Timer {
        @Override
        protected void fire() {
            socket.close();
        }
    }
}
