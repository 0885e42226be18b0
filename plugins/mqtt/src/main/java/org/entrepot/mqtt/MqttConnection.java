package org.entrepot.mqtt;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.codec.mqtt.MqttConnectMessage;
import io.netty.handler.codec.mqtt.MqttDecoder;
import io.netty.handler.codec.mqtt.MqttEncoder;
import io.netty.handler.codec.mqtt.MqttIdentifierRejectedException;
import io.netty.handler.codec.mqtt.MqttMessage;
import io.netty.handler.codec.mqtt.MqttSubscribeMessage;
import io.netty.handler.codec.mqtt.MqttUnsubscribeMessage;
import java.io.IOException;
import java.util.Objects;
import org.entrepot.mqtt.wire.ControlCheck;
import org.entrepot.mqtt.wire.PacketException;
import org.entrepot.mqtt.wire.PacketFramer;
import org.entrepot.mqtt.wire.Packets;
import org.entrepot.mqtt.wire.Reason;
import org.entrepot.spi.BrokerException;
import org.entrepot.spi.protocol.Connection;
import org.entrepot.spi.protocol.ConnectionHandler;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One client's connection: reads packets, hands them to the session, closes in good order. Owned by the connection's loop.
 *
 * <p>Packets that come with every message are read in place; the codec, which is next in the pipeline, gets the others, each
 * alone and checked for what it lets pass.
 */
final class MqttConnection extends ChannelInboundHandlerAdapter
        implements ConnectionHandler, PacketFramer.Sink, KeepAlive.Peer {
    private static final Logger log = LoggerFactory.getLogger(MqttConnection.class);

    /** Largest packet before the client is known. */
    private static final int CONNECT_BYTES_MAX = 256 << 10;

    /** How long a client that was told goodbye may take to hang up. */
    private static final int CLOSE_MILLIS = 2_000;

    private static final int CLIENT_ID_MAX = 65_535;

    private final MqttShared shared;
    private final Channel socket;
    private final Connection broker;
    private final LoopTools tools;
    private final Outbound outbound;
    private final PacketFramer framer;
    private @Nullable ChannelHandlerContext context;

    private State state = State.CONNECT;
    private int level = 4;
    private boolean decoded;
    private @Nullable Handshake handshake;
    private @Nullable MqttSession session;
    private @Nullable KeepAlive keepAlive;

    private enum State {
        /** The CONNECT is to come. */
        CONNECT,
        /** The CONNECT is being answered. */
        HANDSHAKE,
        OPEN,
        /** All was said: what still comes is thrown away. */
        CLOSED
    }

    private MqttConnection(MqttShared shared, Channel socket, Connection broker, ChannelHandlerContext encoder) {
        this.shared = shared;
        this.socket = socket;
        this.broker = broker;
        this.tools = shared.tools(socket.eventLoop());
        this.outbound = new Outbound(socket, broker, encoder);
        this.framer =
                new PacketFramer(Math.min(CONNECT_BYTES_MAX, shared.settings().packetBytesMax()), shared::incomplete);
    }

    /** Takes a connection over whose first bytes are still to come. */
    static MqttConnection open(MqttShared shared, ChannelPipeline pipeline, Connection broker) {
        Control control = new Control();
        pipeline.addLast("mqtt-control", control);
        pipeline.addBefore("mqtt-control", "mqtt-encoder", MqttEncoder.INSTANCE);
        pipeline.addBefore("mqtt-encoder", "mqtt-decoder", new MqttDecoder(Integer.MAX_VALUE, CLIENT_ID_MAX, true));
        MqttConnection connection = new MqttConnection(
                shared, pipeline.channel(), broker, Objects.requireNonNull(pipeline.context(control)));
        control.connection = connection;
        pipeline.addBefore("mqtt-decoder", "mqtt", connection);
        return connection;
    }

    /** Takes what the codec has read. */
    private static final class Control extends ChannelInboundHandlerAdapter {
        private @Nullable MqttConnection connection;

        private MqttConnection connection() {
            return Objects.requireNonNull(connection);
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            connection().control((MqttMessage) message);
        }

        /** What is thrown while a packet is handled does not come out of the pipeline: it comes here. */
        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            if (cause instanceof PacketException fault) {
                connection().fail(fault);
            } else {
                connection().exceptionCaught(context, cause);
            }
        }
    }

    @Override
    public void handlerAdded(ChannelHandlerContext added) {
        context = added;
    }

    // ---- what comes from the socket

    @Override
    public void channelRead(ChannelHandlerContext from, Object message) {
        ByteBuf buffer = (ByteBuf) message;
        try {
            if (keepAlive != null) {
                keepAlive.heard();
            }
            framer.read(buffer, this);
        } catch (PacketException fault) {
            fail(fault);
        } finally {
            buffer.release();
        }
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext from) {
        from.fireChannelWritabilityChanged();
        if (session != null && socket.isWritable()) {
            session.writable();
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext from, Throwable cause) {
        if (!(cause instanceof IOException)) {
            log.error("A fault of an MQTT connection: this is a defect, please report it with this trace", cause);
        }
        from.close();
    }

    @Override
    public void packet(int head, ByteBuf buffer, int start, int index, int length) {
        int type = Packets.type(head);
        switch (state) {
            case OPEN -> openPacket(type, head, buffer, start, index, length);
            case CONNECT -> connect(type, head, buffer, start, index, length);
            case HANDSHAKE -> {
                if (type != Packets.AUTH || level < 5) {
                    throw PacketException.protocol(Packets.name(type) + " before the connection is accepted");
                }
                ControlCheck.auth(head, buffer, index, length, level);
                decode(buffer, start, index + length);
            }
            case CLOSED -> {}
        }
    }

    private void connect(int type, int head, ByteBuf buffer, int start, int index, int length) {
        if (type != Packets.CONNECT) {
            broker.complain("sent " + Packets.name(type) + " before CONNECT");
            closeSocket();
            return;
        }
        try {
            level = ControlCheck.connect(head, buffer, index, length);
            // The codec knows no flags here; MQTT 3.1 lets a client set them.
            buffer.setByte(start, Packets.CONNECT << 4);
            decode(buffer, start, index + length);
        } catch (ControlCheck.UnknownLevelException unknown) {
            broker.complain(unknown.getMessage() + " is not spoken");
            Replies.refuse3(outbound, Reason.UNSUPPORTED_VERSION);
            end();
        }
    }

    private void openPacket(int type, int head, ByteBuf buffer, int start, int index, int length) {
        MqttSession open = Objects.requireNonNull(session);
        switch (type) {
            case Packets.PUBLISH -> open.publish(head, buffer, index, length);
            case Packets.PUBACK, Packets.PUBREC, Packets.PUBREL, Packets.PUBCOMP -> {
                int reason = ControlCheck.answer(head, buffer, index, length, level);
                open.answer(type, buffer.getUnsignedShort(index), reason);
            }
            case Packets.PINGREQ -> {
                ControlCheck.ping(head, length);
                outbound.pong();
            }
            case Packets.SUBSCRIBE -> {
                ControlCheck.subscribe(head, buffer, index, length, level);
                decode(buffer, start, index + length);
            }
            case Packets.UNSUBSCRIBE -> {
                ControlCheck.unsubscribe(head, buffer, index, length, level);
                decode(buffer, start, index + length);
            }
            case Packets.DISCONNECT -> {
                ControlCheck.disconnect(head, buffer, index, length, level);
                decode(buffer, start, index + length);
            }
            case Packets.AUTH -> {
                ControlCheck.auth(head, buffer, index, length, level);
                decode(buffer, start, index + length);
            }
            case Packets.CONNECT -> throw PacketException.protocol("a second CONNECT");
            default -> throw PacketException.protocol(Packets.name(type) + " from a client");
        }
    }

    /** Has the codec read one whole packet. */
    private void decode(ByteBuf buffer, int start, int end) {
        decoded = false;
        Objects.requireNonNull(context).fireChannelRead(buffer.retainedSlice(start, end - start));
        if (!decoded) {
            throw PacketException.malformed("a packet that ends too early");
        }
    }

    /** A packet that the codec has read. */
    private void control(MqttMessage message) {
        decoded = true;
        if (message.decoderResult().cause() instanceof MqttIdentifierRejectedException) {
            broker.complain("an empty client identifier");
            Replies.refuse3(outbound, Reason.CLIENT_ID_NOT_VALID);
            end();
            return;
        }
        if (message.decoderResult().isFailure()) {
            throw PacketException.malformed(
                    String.valueOf(message.decoderResult().cause().getMessage()));
        }
        if (message instanceof MqttConnectMessage connect) {
            state = State.HANDSHAKE;
            handshake = new Handshake(this, outbound, broker, shared, connect, level);
            handshake.begin();
        } else if (message instanceof MqttSubscribeMessage subscribe) {
            Objects.requireNonNull(session).subscribe(subscribe);
        } else if (message instanceof MqttUnsubscribeMessage unsubscribe) {
            Objects.requireNonNull(session).unsubscribe(unsubscribe);
        } else if (state == State.HANDSHAKE) {
            Objects.requireNonNull(handshake).auth(message);
        } else {
            openControl(message);
        }
    }

    private void openControl(MqttMessage message) {
        switch (message.fixedHeader().messageType()) {
            case DISCONNECT -> disconnected(message);
            case AUTH ->
                throw new PacketException(
                        Reason.BAD_AUTHENTICATION_METHOD, "re-authentication of a login without a method");
            default -> throw PacketException.protocol(message.fixedHeader().messageType() + " from a client");
        }
    }

    /** The client says goodbye. */
    private void disconnected(MqttMessage message) {
        framer.stop();
        state = State.CLOSED;
        Objects.requireNonNull(session).disconnected(message);
    }

    // ---- the handshake's doings

    /** Passes nothing on until {@link #resume}. */
    void hold() {
        framer.hold();
        broker.pauseReading();
    }

    void resume() {
        broker.resumeReading();
        try {
            framer.resume(this);
        } catch (PacketException fault) {
            fail(fault);
        }
    }

    boolean shakesHands() {
        return state == State.HANDSHAKE;
    }

    /** The client is let in. */
    void opened(MqttSession opened, int keepAliveSeconds) {
        handshake = null;
        session = opened;
        state = State.OPEN;
        framer.packetMax(shared.settings().packetBytesMax());
        if (keepAliveSeconds > 0) {
            keepAlive = new KeepAlive(tools.wheel(), this, keepAliveSeconds);
            keepAlive.start();
        }
    }

    LoopTools tools() {
        return tools;
    }

    Channel socket() {
        return socket;
    }

    // ---- the end of a pass

    @Override
    public void flush() {
        outbound.flush();
    }

    // ---- keep alive

    @Override
    public boolean audible() {
        return !broker.readingPaused();
    }

    @Override
    public void silent() {
        broker.complain("was silent for more than one and a half keep-alive intervals");
        goodbye(Reason.KEEP_ALIVE_TIMEOUT, "");
    }

    // ---- closing

    @Override
    public void close(BrokerException reason) {
        goodbye(Replies.disconnectReason(reason), reason.text());
    }

    /** The client has broken the protocol. */
    void fail(PacketException fault) {
        if (state == State.CLOSED) {
            return;
        }
        broker.complain(fault.text());
        goodbye(fault.reason(), fault.text());
    }

    /** The broker refuses what cannot be refused otherwise. */
    void fail(BrokerException refusal) {
        broker.complain(refusal.text());
        goodbye(Replies.reason(refusal), refusal.text());
    }

    /** Tells the client why its connection ends, where its version has words for it, and closes. */
    void goodbye(int reason, String why) {
        switch (state) {
            case OPEN -> {
                if (level == 5) {
                    Replies.disconnect(
                            outbound, reason, Objects.requireNonNull(session).wantsReasons() ? why : "");
                }
                end();
            }
            case HANDSHAKE -> Objects.requireNonNull(handshake).refuse(reason, why);
            case CONNECT, CLOSED -> closeSocket();
        }
    }

    /** Nothing more is said or heard; the socket is closed once all is sent. */
    void end() {
        state = State.CLOSED;
        framer.stop();
        outbound.flush();
        socket.writeAndFlush(io.netty.buffer.Unpooled.EMPTY_BUFFER).addListener(ChannelFutureListener.CLOSE);
        // A client that does not read what it was told last does not keep its socket.
        socket.eventLoop().schedule(() -> socket.close(), CLOSE_MILLIS, java.util.concurrent.TimeUnit.MILLISECONDS);
    }

    private void closeSocket() {
        state = State.CLOSED;
        framer.stop();
        socket.close();
    }

    @Override
    public void closed() {
        state = State.CLOSED;
        framer.stop();
        if (keepAlive != null) {
            keepAlive.stop();
        }
        if (handshake != null) {
            handshake.closed();
        }
        if (session != null) {
            session.closed();
        }
        outbound.close();
    }
}
