package org.entrepot.core.queue;

import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;
import org.entrepot.spi.message.DeathReason;
import org.entrepot.spi.message.Envelope;
import org.entrepot.spi.message.RoutingKey;
import org.entrepot.spi.storage.LogReplay;
import org.jspecify.annotations.Nullable;

/**
 * Makes a queue's state of what its log holds from before. Owned by the queue's home loop.
 *
 * <p>Entries that were not to last are released, also where the log has kept them: whether they come back must not depend
 * on how a process ended.
 */
final class QueueReplay implements LogReplay, QueueRecords.Visitor {
    private final QueueState.Range release;
    private final QueueState state;
    private final Expiry expiry;
    private final @Nullable LatestPerKey latest;
    private final Ended ended;
    private final PositionRuns passing = new PositionRuns();
    /** What weighed so much may have left; known when everything that was released is. */
    private final List<Left> left = new ArrayList<>();

    /** What was to die, and may have. */
    private final List<Dying> dying = new ArrayList<>();

    private boolean over;

    private record Left(long from, long to, long bytes) {}

    private record Dying(long position, DeathReason reason, int lane, int bytes) {}

    /** Hears how a replay ends, once. */
    interface Ended {
        /**
         * The queue is what it was.
         *
         * @param muddled whether the records say something that was not so, and a checkpoint is to replace them before more
         *     are added
         */
        void recovered(boolean muddled);

        void unreadable(String reason);
    }

    /**
     * A replay into a machine that knows nothing yet.
     *
     * @param release releases entries from the log
     */
    QueueReplay(QueueState.Range release, QueueMachine machine, Ended ended) {
        this.release = release;
        this.state = machine.state();
        this.expiry = machine.expiry();
        this.latest = machine.latest();
        this.ended = ended;
    }

    @Override
    public void checkpoint(ByteBuf bytes) {
        try {
            QueueCheckpoint.read(bytes, state, expiry, passing::add, this::dies);
        } catch (IllegalArgumentException unknown) {
            fail(String.valueOf(unknown.getMessage()));
        }
    }

    @Override
    public void entry(long position, long stamp, Envelope envelope, int bytes) {
        if (envelope.durable()) {
            state.enqueued(position, stamp, envelope, bytes);
            expiry.came(position, stamp, envelope);
        } else {
            passing.add(position, position);
        }
    }

    @Override
    public void released(long from, long to) {
        state.released(from, to);
    }

    @Override
    public void fact(ByteBuf fact) {
        try {
            QueueRecords.read(fact, this);
        } catch (IllegalArgumentException | IndexOutOfBoundsException unknown) {
            fail(String.valueOf(unknown.getMessage()));
        }
    }

    @Override
    public void left(long from, long to, long bytes) {
        left.add(new Left(from, to, bytes));
    }

    @Override
    public void returned(long position, int failures) {
        state.wasReturned(position, failures);
    }

    @Override
    public void erased(RoutingKey key, long below) {
        state.tailWas(below);
        if (latest == null) {
            fail("a fact of a table in a queue that is none");
        } else {
            latest.wasErased(key, below);
        }
    }

    @Override
    public void dies(long position, DeathReason reason, int lane, int bytes) {
        dying.add(new Dying(position, reason, lane, bytes));
    }

    @Override
    public void ended(long position) {
        if (!over) {
            over = true;
            boolean muddled = false;
            for (Left entries : left) {
                // Where the release itself was lost with the process, they are still there.
                if (state.isAnyReady(entries.from, entries.to)) {
                    muddled = true;
                } else {
                    state.left(entries.bytes);
                }
            }
            for (Dying entry : dying) {
                state.wasCondemned(entry.position, entry.reason, entry.lane, entry.bytes);
            }
            state.replayed(position);
            passing.each(release);
            ended.recovered(muddled);
        }
    }

    @Override
    public void failed(String reason) {
        fail(reason);
    }

    private void fail(String reason) {
        if (!over) {
            over = true;
            ended.unreadable(reason);
        }
    }
}
