package org.entrepot.core.listener;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.ssl.SslHandler;
import java.util.List;
import java.util.concurrent.Executor;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import org.entrepot.core.loop.OwnedBy;

/**
 * The TLS of one connection, on which a client may not begin a second handshake: that costs the broker much and the
 * client little. It is a subclass because the JDK can only be told so for a whole process, and a handler of its own
 * before this one would stay in every pipeline.
 */
@OwnedBy("the connection's loop")
final class TlsHandler extends SslHandler {
    private final Runnable renegotiated;

    /** Calls {@code renegotiated}, and closes, when the client begins another handshake. */
    TlsHandler(SSLEngine engine, Executor costly, Runnable renegotiated) {
        super(engine, false, costly);
        this.renegotiated = renegotiated;
    }

    /**
     * Called at the begin of a record (RFC 5246 section 6.2.1). After the handshake a record that shows itself as one
     * of a handshake can only begin another: TLS 1.3 hides what else there is behind the type of application data.
     */
    @Override
    protected void decode(ChannelHandlerContext ctx, ByteBuf in, List<Object> out) throws SSLException {
        if (in.isReadable()
                && in.getByte(in.readerIndex()) == FirstBytes.TLS_HANDSHAKE
                && handshakeFuture().isSuccess()) {
            in.skipBytes(in.readableBytes());
            renegotiated.run();
            ctx.close();
            return;
        }
        super.decode(ctx, in, out);
    }
}
