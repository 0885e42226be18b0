package org.entrepot.stomp;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.io.IOException;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.entrepot.spi.BrokerException;
import org.entrepot.spi.message.Bytes;
import org.entrepot.spi.protocol.Connection;
import org.entrepot.spi.protocol.ConnectionHandler;
import org.entrepot.spi.protocol.TimerWheel;
import org.entrepot.stomp.wire.FrameBody;
import org.entrepot.stomp.wire.FrameDecoder;
import org.entrepot.stomp.wire.FrameHead;
import org.entrepot.stomp.wire.FrameSink;
import org.entrepot.stomp.wire.Header;
import org.entrepot.stomp.wire.LineBuffer;
import org.entrepot.stomp.wire.WireException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One client's connection: reads frames, has them performed one after the other, closes in good order. Owned by the
 * connection's loop.
 */
final class StompConnection extends ChannelInboundHandlerAdapter
        implements ConnectionHandler, FrameSink, HeartBeat.Peer {
    private static final Logger log = LoggerFactory.getLogger(StompConnection.class);

    /** How long a client that is closed upon may take to read why, while what it still sends is thrown away. */
    private static final int LINGER_MILLIS = 250;

    private final Stomp stomp;
    private final Channel socket;
    private final Connection broker;
    private final TimerWheel wheel;
    private final Outbound outbound;
    private final FrameDecoder decoder;
    private final Login login;
    private final CloseDeadline closeDeadline = new CloseDeadline();

    private State state = State.LOGIN;
    private @Nullable StompSession session;
    private @Nullable HeartBeat heartBeat;
    /** Answers that frames wait for. */
    private int awaited;

    private boolean paused;
    private @Nullable Runnable afterLogin;

    private enum State {
        LOGIN,
        OPEN,
        /** The client said goodbye; what it asked for before is being done. */
        DISCONNECTING,
        /** What still comes is thrown away; the broker lets go of what it holds. */
        CLOSING,
        /** All was said. */
        CLOSED
    }

    StompConnection(Stomp stomp, Channel socket, Connection broker) {
        this.stomp = stomp;
        this.socket = socket;
        this.broker = broker;
        LoopRooms.LoopRoom room = stomp.rooms().of(socket.eventLoop());
        this.wheel = room.timers();
        StompSettings settings = stomp.settings();
        this.outbound = new Outbound(socket, broker, settings.trailingLineFeed());
        this.decoder = new FrameDecoder(
                room.window(),
                settings.limits(),
                Math.min(settings.frameMax(), settings.loginFrameMax()),
                new UnfinishedBytes(stomp.gatheringRoom()));
        this.login = new Login(this, broker, settings);
    }

    // ---- what comes from the socket

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        ByteBuf buffer = (ByteBuf) message;
        try {
            if (heartBeat != null) {
                heartBeat.heard();
            }
            decoder.read(buffer, this);
            if (decoder.isHeld() && !paused) {
                paused = true;
                broker.pauseReading();
            }
        } catch (WireException lost) {
            lost(lost);
        } finally {
            buffer.release();
        }
    }

    /** The bytes are no frames: nothing that follows can be read, and as with RabbitMQ the client is not told. */
    private void lost(WireException fault) {
        broker.complain("unreadable bytes, closing the connection: " + fault.text());
        drop();
        closeSocket();
    }

    @Override
    public void frame(FrameHead head, FrameBody body) {
        try {
            switch (state) {
                case LOGIN -> firstFrame(head, body);
                case OPEN -> session().frame(head, body);
                case DISCONNECTING, CLOSING, CLOSED -> {}
            }
        } catch (RuntimeException fault) {
            refuse(fault, head.raw(Header.RECEIPT));
        }
    }

    private void firstFrame(FrameHead head, FrameBody body) {
        if (!login.isImplicit(head)) {
            login.frame(head);
            return;
        }
        FrameHead kept = head.copy();
        Bytes keptBody = body.toBytes();
        afterLogin = () -> session().frame(kept, FrameBody.of(keptBody));
        login.implicit();
    }

    private StompSession session() {
        return Objects.requireNonNull(session, "an open connection has a session");
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        if (!(cause instanceof IOException)) {
            log.error("A fault of a STOMP connection: this is a defect, please report it with this trace", cause);
        }
        context.close();
    }

    // ---- what frames need

    /**
     * Holds all frames back until the stage completes, and goes on then; what it fails with, or {@code then} throws, is told
     * to the client.
     *
     * @param receipt that of the frame
     */
    <T> void await(CompletionStage<? extends T> stage, byte @Nullable [] receipt, Consumer<? super T> then) {
        awaited++;
        decoder.hold();
        stage.whenComplete((value, fault) -> {
            awaited--;
            if (state != State.LOGIN && state != State.OPEN) {
                return;
            }
            try {
                if (fault == null) {
                    then.accept(value);
                } else {
                    refuse(fault, receipt);
                }
            } catch (RuntimeException | AssertionError failure) {
                // Thrown on, it would vanish in the stage.
                refuse(failure, receipt);
            }
            resume();
        });
    }

    private void resume() {
        if (awaited > 0 || !decoder.isHeld()) {
            return;
        }
        try {
            decoder.resume(this);
        } catch (WireException lost) {
            lost(lost);
            return;
        }
        if (paused && !decoder.isHeld()) {
            paused = false;
            broker.resumeReading();
        }
    }

    /** Tells the client what is wrong, and closes the connection where that is too much. */
    void refuse(Throwable fault, byte @Nullable [] receipt) {
        if (state != State.LOGIN && state != State.OPEN) {
            return;
        }
        StompError error = StompError.of(fault);
        broker.complain(error.toString());
        outbound.error(error, receipt);
        if (error.closes()) {
            close(() -> wheel.set(closeDeadline, LINGER_MILLIS));
        }
    }

    /** The login is done. */
    void loggedIn(Login.Agreement agreement) {
        StompSession opened = new StompSession(this, outbound, stomp, agreement.version(), broker);
        session = opened;
        state = State.OPEN;
        decoder.frameMax(stomp.settings().frameMax());
        if (agreement.version() == StompVersion.V1_0) {
            decoder.trimValues();
        }
        if (agreement.announced()) {
            announce(agreement, opened.name());
        }
        if (agreement.sentSeconds() > 0 || agreement.heardSeconds() > 0) {
            heartBeat = new HeartBeat(wheel, this, agreement.sentSeconds(), agreement.heardSeconds());
            heartBeat.start();
        }
        Runnable work = afterLogin;
        if (work != null) {
            afterLogin = null;
            work.run();
        }
    }

    private void announce(Login.Agreement agreement, String sessionName) {
        LineBuffer lines = new LineBuffer();
        String server = stomp.settings().server();
        if (!server.isEmpty()) {
            lines.line("server", server);
        }
        lines.line("session", sessionName);
        lines.line("heart-beat", agreement.sentSeconds() * 1000L + "," + agreement.heardSeconds() * 1000L);
        lines.line("version", agreement.version().text());
        outbound.frame("CONNECTED", lines, "");
    }

    // ---- heart-beats

    @Override
    public boolean audible() {
        return !broker.readingPaused();
    }

    @Override
    public void sendHeartBeat() {
        outbound.heartBeat();
    }

    @Override
    public void dead() {
        broker.complain("missed heart-beats from client");
        drop();
        state = State.CLOSED;
        socket.close();
    }

    // ---- the end of a pass

    @Override
    public void flush() {
        outbound.flush();
    }

    // ---- the end

    /** The client said goodbye; what it has sent is not safe yet. */
    void disconnecting() {
        state = State.DISCONNECTING;
        decoder.stop();
        wheel.set(closeDeadline, stomp.settings().closeMillis());
    }

    /** All that the client asked for is done: lets go of what the broker holds, says so, and closes. */
    void disconnected(byte @Nullable [] receipt) {
        close(() -> {
            if (receipt != null) {
                outbound.receipt(receipt);
            }
            closeSocket();
        });
    }

    @Override
    public void close(BrokerException reason) {
        switch (state) {
            case OPEN -> {
                outbound.error(StompError.of(reason), null);
                close(this::closeSocket);
            }
            case LOGIN -> closeSocket();
            case DISCONNECTING, CLOSING -> {}
            // All was said, and the client takes its time to hang up.
            case CLOSED -> socket.close();
        }
    }

    /** Has the broker let go of everything, and then does the rest. */
    private void close(Runnable then) {
        drop();
        state = State.CLOSING;
        wheel.set(closeDeadline, stomp.settings().closeMillis());
        broker.release().whenComplete((released, fault) -> {
            if (state == State.CLOSING) {
                then.run();
            }
        });
    }

    private void drop() {
        decoder.stop();
        if (heartBeat != null) {
            heartBeat.stop();
        }
        if (session != null) {
            session.drop();
        }
        if (paused) {
            // What still comes is thrown away, and has to be read for that.
            paused = false;
            broker.resumeReading();
        }
    }

    /** Closes the socket when what was sent has gone out, or when the client takes too long to read it. */
    private void closeSocket() {
        state = State.CLOSED;
        decoder.stop();
        flush();
        wheel.set(closeDeadline, stomp.settings().closeMillis());
        socket.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(ChannelFutureListener.CLOSE);
    }

    @Override
    public void closed() {
        state = State.CLOSED;
        decoder.stop();
        if (heartBeat != null) {
            heartBeat.stop();
        }
        if (session != null) {
            session.drop();
        }
        wheel.clear(closeDeadline);
        outbound.close();
    }

    private final class CloseDeadline extends TimerWheel.Timer {
        @Override
        protected void fire() {
            socket.close();
        }
    }
}
