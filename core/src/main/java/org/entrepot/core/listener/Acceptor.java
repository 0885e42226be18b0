package org.entrepot.core.listener;

import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.SocketChannelConfig;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import org.entrepot.core.loop.OwnedBy;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Takes in the connections of one server socket, within the limits, and spreads them over the loops. */
@OwnedBy("the server socket's loop")
final class Acceptor extends ChannelInboundHandlerAdapter {
    private static final Logger log = LoggerFactory.getLogger(Acceptor.class);

    /** How long no connection is accepted after accepting has failed, mostly for want of file descriptors. */
    static final long PAUSE_MILLIS = TimeUnit.SECONDS.toMillis(1);

    private final Entrance entrance;
    private final Port port;
    private final SocketSpec sockets;
    private final RecvByteBufAllocator reads;
    private final WriteBufferWaterMark writes;

    Acceptor(Entrance entrance, Port port) {
        this.entrance = entrance;
        this.port = port;
        this.sockets = entrance.settings().sockets();
        this.reads = new AdaptiveRecvByteBufAllocator(
                        SocketSpec.READ_BYTES_MIN, SocketSpec.READ_BYTES_FIRST, sockets.readBytesMax())
                .maxMessagesPerRead(sockets.readsInARow());
        this.writes = new WriteBufferWaterMark(sockets.writeLowBytes(), sockets.writeHighBytes());
    }

    static String addressFull(Admissions admissions) {
        return "has " + admissions.perAddressMax() + " connections, the most that one address may have; closed";
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        SocketChannel connection = (SocketChannel) message;
        InetSocketAddress peer = connection.remoteAddress();
        if (peer == null) {
            // Gone before it was accepted.
            connection.unsafe().closeForcibly();
            return;
        }
        Admissions admissions = entrance.admissions();
        if (!admissions.enter()) {
            port.first().meters().refused(Refusal.NODE_FULL);
            entrance.complaints()
                    .complain(
                            "listener " + port.first().listener(),
                            "there are " + admissions.connectionsMax()
                                    + " connections, the most that the node may have; new ones are closed",
                            "");
            connection.unsafe().closeForcibly();
            return;
        }
        Ticket ticket = new Ticket(admissions);
        boolean viaProxy = entrance.isProxy(peer.getAddress());
        // A proxy brings many clients: they are counted by the addresses that it announces.
        if (!viaProxy && !ticket.enterFrom(peer.getAddress())) {
            ticket.giveBack();
            port.first().meters().refused(Refusal.ADDRESS_FULL);
            entrance.complaints().complain(peer, peer, port.first().listener(), addressFull(admissions), "");
            connection.unsafe().closeForcibly();
            return;
        }
        admit(connection, ticket, peer, viaProxy);
    }

    private void admit(SocketChannel connection, Ticket ticket, InetSocketAddress peer, boolean viaProxy) {
        try {
            configure(connection.config());
        } catch (RuntimeException e) {
            log.debug("The socket of {} cannot be set", peer, e);
            connection.unsafe().closeForcibly();
            ticket.giveBack();
            return;
        }
        Newcomers loop = entrance.nextLoop();
        connection.pipeline().addLast(new Newcomer(entrance, loop, port, ticket, peer, viaProxy));
        connection.closeFuture().addListener(ticket);
        loop.loop().eventLoop().register(connection);
    }

    private void configure(SocketChannelConfig config) {
        config.setTcpNoDelay(true);
        config.setKeepAlive(true);
        if (sockets.sendBufferBytes() > 0) {
            config.setSendBufferSize(sockets.sendBufferBytes());
        }
        if (sockets.receiveBufferBytes() > 0) {
            config.setReceiveBufferSize(sockets.receiveBufferBytes());
        }
        config.setRecvByteBufAllocator(reads);
        config.setWriteBufferWaterMark(writes);
    }

    /** Accepting failed. Trying again at once would fail again, and keep the loop busy with nothing else. */
    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        if (ctx.channel().config().isAutoRead()) {
            ctx.channel().config().setAutoRead(false);
            ctx.channel()
                    .eventLoop()
                    .schedule(() -> ctx.channel().config().setAutoRead(true), PAUSE_MILLIS, TimeUnit.MILLISECONDS);
        }
        if (!(cause instanceof IOException)) {
            log.error(
                    "Listener {} failed: this is a defect, please report it with this trace",
                    port.first().listener(),
                    cause);
            return;
        }
        entrance.complaints()
                .complain(
                        "listener " + port.first().listener(),
                        "no connection can be accepted; trying again every " + PAUSE_MILLIS + " ms. If there are too"
                                + " many open files, raise the limit of the broker's process (ulimit -n)",
                        "" + cause.getMessage());
    }
}
