package org.entrepot.core.loop;

import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.nio.NioIoHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.EventExecutor;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** The loops of a broker: one group, as many as cores. Immutable but for being shut down. */
public final class Loops {
    private final EventLoopGroup group;
    private final List<Loop> loops;
    private final boolean epoll;

    /** Starts {@code count} loops, on epoll where the system has it. */
    public Loops(int count, LongSupplier clockMillis) {
        epoll = Epoll.isAvailable();
        DefaultThreadFactory threads = new DefaultThreadFactory("loop", true);
        group = new MultiThreadIoEventLoopGroup(
                count, threads, epoll ? EpollIoHandler.newFactory() : NioIoHandler.newFactory());
        loops = new ArrayList<>(count);
        for (EventExecutor executor : group) {
            loops.add(new Loop((EventLoop) executor, loops.size(), clockMillis));
        }
    }

    /** All of them, by index. */
    public List<Loop> all() {
        return List.copyOf(loops);
    }

    public Loop get(int index) {
        return loops.get(index);
    }

    public int count() {
        return loops.size();
    }

    /** The loop that runs on a Netty event loop of this group. */
    public Loop of(EventLoop eventLoop) {
        for (Loop loop : loops) {
            if (loop.eventLoop() == eventLoop) {
                return loop;
            }
        }
        throw new IllegalArgumentException("not an event loop of this group");
    }

    /** The Netty group, for bootstraps. */
    public EventLoopGroup group() {
        return group;
    }

    /** Whether channels must be epoll channels. */
    public boolean epoll() {
        return epoll;
    }

    /** Ends all loops; what is posted afterwards is refused. */
    public CompletionStage<Void> close() {
        CompletableFuture<Void> closed = new CompletableFuture<>();
        group.shutdownGracefully(0, 5, TimeUnit.SECONDS).addListener(done -> closed.complete(null));
        return closed;
    }
}
