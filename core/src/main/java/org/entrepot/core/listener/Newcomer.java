package org.entrepot.core.listener;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpRequestDecoder;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.ClosedChannelException;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;
import org.entrepot.core.loop.OwnedBy;
import org.entrepot.spi.message.Bytes;
import org.entrepot.spi.protocol.ConnectionFacts;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A connection until it is known what it is: reads the PROXY header where one must come, starts TLS, answers the handshake
 * of WebSocket where the port is for that, waits for first bytes that a protocol recognises, hands the connection over and leaves the pipeline. What it holds of a client is
 * bounded in bytes and time.
 */
@OwnedBy("the connection's loop")
final class Newcomer extends ChannelInboundHandlerAdapter {
    private static final Logger log = LoggerFactory.getLogger(Newcomer.class);

    /** Most bytes that a protocol may ask for before it recognises itself or not. */
    static final int FIRST_BYTES_MAX = 4_096;

    /** Most bytes of the first line, and of the headers, of an HTTP request. */
    static final int HTTP_BYTES_MAX = 8 * 1_024;

    private static final String HTTP = "http";
    private static final String WEBSOCKET = "websocket";

    /** Links and deadline, kept by {@link Newcomers}. */
    @Nullable Newcomer older;

    @Nullable Newcomer newer;

    long deadlineNanos;
    boolean waiting;

    private final Entrance entrance;
    private final Newcomers others;
    private final Ticket ticket;
    private final InetSocketAddress peer;
    private Port port;
    private InetSocketAddress announcedPeer;
    private Stage stage;
    private @Nullable ByteBuf held;
    private @Nullable TlsHandler tls;
    private WebSocketHandshake.@Nullable Accepted accepted;
    private @Nullable WebSocketFrames frames;
    private @Nullable ChannelHandlerContext context;
    private boolean heard;

    private enum Stage {
        PROXY_HEADER,
        TLS_START,
        TLS_HANDSHAKE,
        HTTP_START,
        HTTP_REQUEST,
        FIRST_BYTES,
        /** Handed over, or being closed. */
        OVER
    }

    Newcomer(Entrance entrance, Newcomers others, Port port, Ticket ticket, InetSocketAddress peer, boolean viaProxy) {
        this.entrance = entrance;
        this.others = others;
        this.port = port;
        this.ticket = ticket;
        this.peer = peer;
        this.announcedPeer = peer;
        this.stage = viaProxy ? Stage.PROXY_HEADER : afterProxy();
    }

    private Stage afterProxy() {
        return port.tls() == null ? afterTls() : Stage.TLS_START;
    }

    private Stage afterTls() {
        return port.isWebSocket() ? Stage.HTTP_START : Stage.FIRST_BYTES;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        context = ctx;
        if (!others.add(this)) {
            turnAway();
        }
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext ctx) {
        others.remove(this);
        releaseHeld();
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        if (stage == Stage.OVER) {
            ReferenceCountUtil.release(message);
        } else if (message instanceof HttpObject http) {
            readRequest(ctx, http);
            ReferenceCountUtil.release(http);
        } else {
            heard = true;
            hold((ByteBuf) message);
            proceed(ctx);
        }
    }

    private void hold(ByteBuf bytes) {
        if (held == null) {
            held = bytes;
        } else {
            held.writeBytes(bytes);
            bytes.release();
        }
    }

    private void proceed(ChannelHandlerContext ctx) {
        ByteBuf bytes = held;
        if (bytes == null || !bytes.isReadable()) {
            return;
        }
        switch (stage) {
            case PROXY_HEADER -> readProxyHeader(ctx, bytes);
            case TLS_START -> startTls(ctx, bytes);
            case HTTP_START -> startHttp(ctx, bytes);
            case TLS_HANDSHAKE -> {
                stage = afterTls();
                proceed(ctx);
            }
            case FIRST_BYTES -> recognise(ctx, bytes);
            case HTTP_REQUEST, OVER -> {}
        }
    }

    private void readProxyHeader(ChannelHandlerContext ctx, ByteBuf bytes) {
        ProxyHeader header = ProxyHeader.read(bytes);
        if (header instanceof ProxyHeader.Incomplete) {
            return;
        }
        if (header instanceof ProxyHeader.Malformed malformed) {
            refuse(
                    Refusal.NO_PROXY_HEADER,
                    "is a trusted proxy but sent " + malformed.why() + "; closed",
                    FirstBytes.shown(bytes));
            return;
        }
        if (header instanceof ProxyHeader.Announced announced) {
            announcedPeer = announced.client();
            if (!ticket.enterFrom(announcedPeer.getAddress())) {
                refuse(Refusal.ADDRESS_FULL, Acceptor.addressFull(entrance.admissions()), "");
                return;
            }
        }
        stage = afterProxy();
        proceed(ctx);
    }

    /** TLS costs its memory when the client has begun it, not before. */
    private void startTls(ChannelHandlerContext ctx, ByteBuf bytes) {
        if (!FirstBytes.mayBeTls(bytes)) {
            Port.Entry plain = port.recognise(bytes);
            String looksLike =
                    plain == null ? port.stranger(bytes) : plain.protocol().name() + " without TLS";
            refuse(Refusal.NOT_TLS, "sent " + looksLike + " to a port with TLS; closed", FirstBytes.shown(bytes));
            return;
        }
        tls = newTlsHandler(Objects.requireNonNull(port.tls()).newEngine(ctx.alloc()));
        stage = Stage.TLS_HANDSHAKE;
        held = null;
        ctx.pipeline().addBefore(ctx.name(), "tls", tls);
        ctx.pipeline().fireChannelRead(bytes);
    }

    private TlsHandler newTlsHandler(SSLEngine engine) {
        ComplaintLog complaints = entrance.complaints();
        InetSocketAddress from = announcedPeer;
        String listener = port.first().listener();
        TlsHandler handler = new TlsHandler(
                engine,
                entrance.background(),
                () -> complaints.complain(peer, from, listener, "tried to renegotiate TLS; closed", ""));
        handler.setHandshakeTimeoutMillis(entrance.settings().limits().tlsHandshakeMillis());
        return handler;
    }

    private void startHttp(ChannelHandlerContext ctx, ByteBuf bytes) {
        Port.Entry bare = port.recognise(bytes);
        if (bare != null || !FirstBytes.mayBeHttp(bytes)) {
            String looksLike =
                    bare == null ? port.stranger(bytes) : bare.protocol().name() + " without WebSocket";
            refuse(
                    Refusal.WEBSOCKET_REFUSED,
                    "sent " + looksLike + " to a port for WebSocket; closed",
                    FirstBytes.shown(bytes));
            return;
        }
        stage = Stage.HTTP_REQUEST;
        held = null;
        ctx.pipeline()
                .addBefore(
                        ctx.name(),
                        HTTP,
                        new HttpRequestDecoder(new HttpDecoderConfig()
                                .setMaxInitialLineLength(HTTP_BYTES_MAX)
                                .setMaxHeaderSize(HTTP_BYTES_MAX)));
        if (tls == null) {
            ctx.pipeline().fireChannelRead(bytes);
        } else {
            ctx.pipeline().context(tls).fireChannelRead(bytes);
        }
    }

    private void readRequest(ChannelHandlerContext ctx, HttpObject part) {
        if (part instanceof HttpRequest request) {
            WebSocketHandshake handshake = WebSocketHandshake.judge(request, port);
            if (handshake instanceof WebSocketHandshake.Refused refused) {
                refuse(Refusal.WEBSOCKET_REFUSED, refused.why(), request.uri(), refused.answer());
            } else {
                accepted = (WebSocketHandshake.Accepted) handshake;
            }
        } else if (part instanceof LastHttpContent && accepted != null) {
            startWebSocket(ctx, accepted);
        }
    }

    private void startWebSocket(ChannelHandlerContext ctx, WebSocketHandshake.Accepted handshake) {
        accepted = null;
        port = port.only(handshake.entry());
        ByteBuf answer = ctx.alloc().buffer(handshake.answer().length());
        handshake.answer().writeTo(answer);
        ctx.writeAndFlush(answer);
        stage = Stage.FIRST_BYTES;
        frames = newFrames(handshake);
        ctx.pipeline().addBefore(ctx.name(), WEBSOCKET, frames);
        // Passes on what it has read beyond the request.
        ctx.pipeline().remove(HTTP);
    }

    /** Refers to nothing that is of no use any more when the connection is established. */
    private WebSocketFrames newFrames(WebSocketHandshake.Accepted handshake) {
        ComplaintLog complaints = entrance.complaints();
        InetSocketAddress from = peer;
        InetSocketAddress announced = announcedPeer;
        String listener = handshake.entry().listener();
        return new WebSocketFrames(
                handshake.spec(), what -> complaints.complain(from, announced, listener, what, ""), entrance::leaving);
    }

    private void recognise(ChannelHandlerContext ctx, ByteBuf bytes) {
        Port.Entry entry = port.recognise(bytes);
        if (entry != null) {
            handOver(ctx, entry, bytes);
        } else if (!port.needsMore(bytes) || bytes.readableBytes() >= FIRST_BYTES_MAX) {
            Bytes answer = port.first().protocol().refusal(bytes);
            String what = "sent " + port.stranger(bytes) + " to a port for " + port.protocols() + "; closed";
            refuse(Refusal.UNKNOWN_PROTOCOL, what, FirstBytes.shown(bytes), answer);
        }
    }

    private void handOver(ChannelHandlerContext ctx, Port.Entry entry, ByteBuf bytes) {
        ConnectionFacts facts = new ConnectionFacts(
                peer,
                announcedPeer,
                (InetSocketAddress) ctx.channel().localAddress(),
                entry.listener(),
                tlsInWords(),
                certificates());
        stage = Stage.OVER;
        held = null;
        others.remove(this);
        ticket.opened(entry.meters());
        try {
            entrance.opener().open(ctx.channel(), others.loop(), entry.protocol(), facts);
        } catch (RuntimeException | Error fault) {
            bytes.release();
            throw fault;
        }
        ctx.fireChannelRead(bytes);
        if (!ctx.isRemoved()) {
            ctx.pipeline().remove(this);
        }
    }

    private Optional<String> tlsInWords() {
        if (tls == null) {
            return Optional.empty();
        }
        SSLSession session = tls.engine().getSession();
        return Optional.of(session.getProtocol() + " " + session.getCipherSuite());
    }

    private List<X509Certificate> certificates() {
        if (tls == null) {
            return List.of();
        }
        try {
            List<X509Certificate> chain = new ArrayList<>();
            for (Certificate certificate : tls.engine().getSession().getPeerCertificates()) {
                chain.add((X509Certificate) certificate);
            }
            return chain;
        } catch (SSLPeerUnverifiedException none) {
            return List.of();
        }
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        if (event instanceof SslHandshakeCompletionEvent handshake && stage == Stage.TLS_HANDSHAKE) {
            if (handshake.isSuccess()) {
                stage = afterTls();
            } else if (!(handshake.cause() instanceof ClosedChannelException)) {
                // The TLS handler closes the channel itself, after its alert.
                stage = Stage.OVER;
                others.remove(this);
                complain(
                        Refusal.TLS_FAILED,
                        "failed in its TLS handshake; closed",
                        "" + handshake.cause().getMessage());
            }
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        if (stage == Stage.OVER) {
            return;
        }
        if (heard) {
            ByteBuf bytes = held;
            String detail = bytes == null ? "" : FirstBytes.shown(bytes);
            complain(Refusal.LEFT, "closed the connection " + during(), detail);
        } else {
            port.first().meters().refused(Refusal.SILENT);
            log.debug("{} came and went without a word", peer);
        }
        stage = Stage.OVER;
        releaseHeld();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        if (cause instanceof IOException || cause.getCause() instanceof SSLException) {
            // The first means that the client is gone. The second was told by the handshake's end.
            log.debug("{} failed", peer, cause);
        } else {
            log.error(
                    "A new connection from {} failed: this is a defect, please report it with this trace", peer, cause);
            port.first().meters().refused(Refusal.FAULT);
            stage = Stage.OVER;
        }
        ctx.close();
    }

    /** Its time is over. Called by {@link Newcomers}. */
    void tooLate() {
        refuse(
                Refusal.TOO_SLOW,
                "was still " + during() + " after "
                        + entrance.settings().limits().firstBytesMillis() + " ms; closed",
                "");
    }

    /** The broker does not accept any more. Called by {@link Newcomers}. */
    void turnAway() {
        port.first().meters().refused(Refusal.STOPPING);
        over(Bytes.EMPTY);
    }

    private String during() {
        return switch (stage) {
            case PROXY_HEADER -> "before its PROXY protocol header was complete";
            case TLS_START, TLS_HANDSHAKE -> "before its TLS handshake was complete";
            case HTTP_START, HTTP_REQUEST -> "before its WebSocket handshake was complete";
            case FIRST_BYTES, OVER -> "before it had said what protocol it speaks";
        };
    }

    private void refuse(Refusal reason, String what, String detail) {
        refuse(reason, what, detail, Bytes.EMPTY);
    }

    private void refuse(Refusal reason, String what, String detail, Bytes answer) {
        complain(reason, what, detail);
        over(answer);
    }

    private void complain(Refusal reason, String what, String detail) {
        // Counted last: who sees the count finds the line.
        entrance.complaints().complain(peer, announcedPeer, port.first().listener(), what, detail);
        port.first().meters().refused(reason);
    }

    /** Closes, after the answer if there is one. */
    private void over(Bytes answer) {
        stage = Stage.OVER;
        others.remove(this);
        releaseHeld();
        ChannelHandlerContext ctx = Objects.requireNonNull(context);
        if (answer.length() == 0) {
            ctx.close();
            return;
        }
        Bytes words = frames == null ? answer : frames.lastWords(answer, WebSocketFrames.PROTOCOL_ERROR);
        removeIfThere(ctx, HTTP);
        removeIfThere(ctx, WEBSOCKET);
        ctx.pipeline().replace(this, "farewell", new Farewell(others.loop(), words, tls));
    }

    private static void removeIfThere(ChannelHandlerContext ctx, String name) {
        if (ctx.pipeline().get(name) != null) {
            ctx.pipeline().remove(name);
        }
    }

    private void releaseHeld() {
        if (held != null) {
            held.release();
            held = null;
        }
    }
}
