package org.entrepot.core.listener;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.entrepot.core.loop.Loop;
import org.entrepot.core.loop.OwnedBy;
import org.entrepot.spi.message.Bytes;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Last words to a connection that is refused. The socket's sending half is closed after them and the rest only when the
 * client has closed too, or after a while: closing a socket with unread bytes would make the system take the words back.
 */
@OwnedBy("the connection's loop")
final class Farewell extends ChannelInboundHandlerAdapter {
    private static final Logger log = LoggerFactory.getLogger(Farewell.class);

    /** How long a client may take to read the words and go. */
    static final long LINGER_MILLIS = TimeUnit.SECONDS.toMillis(2);

    /** Most bytes of a client that are read and dropped meanwhile. */
    static final int DROPPED_BYTES_MAX = 256 * 1024;

    private final Loop loop;
    private final Bytes words;
    private final @Nullable SslHandler tls;
    private @Nullable Future<?> closing;
    private int dropped;

    Farewell(Loop loop, Bytes words, @Nullable SslHandler tls) {
        this.loop = loop;
        this.words = words;
        this.tls = tls;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        closing = loop.schedule(ctx::close, LINGER_MILLIS);
        ByteBuf out = ctx.alloc().buffer(words.length());
        words.writeTo(out);
        ctx.writeAndFlush(out).addListener(written -> {
            if (!written.isSuccess()) {
                ctx.close();
            } else if (tls == null) {
                closeSendingHalf(ctx);
            } else {
                tls.closeOutbound().addListener(said -> closeSendingHalf(ctx));
            }
        });
    }

    private static void closeSendingHalf(ChannelHandlerContext ctx) {
        ((DuplexChannel) ctx.channel()).shutdownOutput().addListener(done -> {
            if (!done.isSuccess()) {
                ctx.close();
            }
        });
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        if (message instanceof ByteBuf bytes) {
            dropped += bytes.readableBytes();
        }
        ReferenceCountUtil.release(message);
        if (dropped > DROPPED_BYTES_MAX) {
            ctx.close();
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        if (closing != null) {
            closing.cancel(false);
        }
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        // TLS tells that it is closed. Nobody needs to know.
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        log.debug("A connection that was refused failed", cause);
        ctx.close();
    }
}
