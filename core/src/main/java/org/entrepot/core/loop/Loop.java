package org.entrepot.core.loop;

import io.netty.channel.EventLoop;
import io.netty.util.concurrent.ScheduledFuture;
import java.util.ArrayDeque;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A thread that owns state: connections, queues and what is cached for them. Work from other threads comes in through
 * {@link #post} only, and nothing on a loop waits.
 *
 * <p>A loop works in <em>passes</em>: it reads every socket that has bytes, runs what was posted, and then what was due
 * {@linkplain #atEndOfPass at the end of the pass}, in the order of {@link Phase}. That is where batching comes from:
 * queues hand out, loops hand over and sockets are flushed once a pass, however much one pass brought.
 */
@OwnedBy("itself; post and owns may be called by any thread")
public final class Loop implements Executor {
    private static final Logger log = LoggerFactory.getLogger(Loop.class);

    /** Pass work done in a row before sockets get their turn again. */
    private static final int WORK_IN_A_ROW_MAX = 1_000;

    private final EventLoop eventLoop;
    private final int index;
    private final LongSupplier clockMillis;
    private final ArrayDeque<PassWork> dispatch = new ArrayDeque<>();
    private final ArrayDeque<PassWork> handOver = new ArrayDeque<>();
    private final ArrayDeque<PassWork> flush = new ArrayDeque<>();
    private boolean scheduled;
    private long now = Long.MIN_VALUE;
    private boolean nowIsFresh;

    /** What the end of a pass consists of, in this order. */
    public enum Phase {
        /** Queues hand ready messages to consumers. */
        DISPATCH,
        /** What other loops are to know is posted to them, one batch each. */
        HAND_OVER,
        /** Connections encode what they have for their clients, and flush. */
        FLUSH
    }

    /** Something to do once at the end of a pass. */
    @FunctionalInterface
    public interface PassWork {
        void atEndOfPass();
    }

    /** A loop on a Netty event loop, with the wall clock that it tells the time by. */
    public Loop(EventLoop eventLoop, int index, LongSupplier clockMillis) {
        this.eventLoop = eventLoop;
        this.index = index;
        this.clockMillis = clockMillis;
    }

    /** Whether the calling thread is this loop. */
    public boolean owns() {
        return eventLoop.inEventLoop();
    }

    /** This loop's number among its group, from 0. */
    public int index() {
        return index;
    }

    /** The Netty event loop underneath, for channels to be registered with. */
    public EventLoop eventLoop() {
        return eventLoop;
    }

    /** Runs a task on the loop: after the present one when called there, and then without waking anybody. */
    public void post(Runnable task) {
        eventLoop.execute(task);
    }

    @Override
    public void execute(Runnable task) {
        eventLoop.execute(task);
    }

    /** Runs a task now when called on the loop, else posts it. */
    public void run(Runnable task) {
        if (owns()) {
            task.run();
        } else {
            post(task);
        }
    }

    /** Runs a task on the loop after a while; cancelling the future forgets the task. */
    public ScheduledFuture<?> schedule(Runnable task, long delayMillis) {
        return eventLoop.schedule(task, delayMillis, TimeUnit.MILLISECONDS);
    }

    /**
     * Has work done at the end of the present pass. The caller sees to it that it does not ask for the same twice. Work
     * asked for by such work is done in the same pass.
     */
    public void atEndOfPass(Phase phase, PassWork work) {
        assert owns();
        queueOf(phase).add(work);
        schedulePass();
    }

    /**
     * Milliseconds since 1970, the same during a pass, and never less than before.
     */
    public long nowMillis() {
        assert owns();
        if (!nowIsFresh) {
            now = Math.max(now, clockMillis.getAsLong());
            nowIsFresh = true;
            schedulePass();
        }
        return now;
    }

    private ArrayDeque<PassWork> queueOf(Phase phase) {
        return switch (phase) {
            case DISPATCH -> dispatch;
            case HAND_OVER -> handOver;
            case FLUSH -> flush;
        };
    }

    private void schedulePass() {
        if (!scheduled) {
            scheduled = true;
            eventLoop.execute(this::endPass);
        }
    }

    private void endPass() {
        for (int done = 0; done < WORK_IN_A_ROW_MAX; done++) {
            PassWork work = next();
            if (work == null) {
                scheduled = false;
                nowIsFresh = false;
                return;
            }
            try {
                work.atEndOfPass();
            } catch (Throwable fault) { // whatever it is: a loop that missed the end of a pass would never have another
                log.error("A fault on {} in {}: this is a defect, please report it with this trace", this, work, fault);
            }
        }
        nowIsFresh = false;
        eventLoop.execute(this::endPass);
    }

    private @Nullable PassWork next() {
        PassWork work = dispatch.poll();
        if (work == null) {
            work = handOver.poll();
        }
        return work == null ? flush.poll() : work;
    }

    @Override
    public String toString() {
        return "loop " + index;
    }
}
