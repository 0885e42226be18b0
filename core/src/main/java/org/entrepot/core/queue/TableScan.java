package org.entrepot.core.queue;

import java.util.Objects;
import org.entrepot.core.loop.Loop;
import org.entrepot.spi.message.Message;
import org.entrepot.spi.storage.Log;

/**
 * Finds out which keys a table's entries have, after its log was read: looks at all of them, in slices, and has those loaded
 * that are not in memory. Owned by the queue's home loop.
 */
final class TableScan {
    /** Entries looked at in a row; others of the loop have their turn before the next. */
    private static final int SLICE = 10_000;

    private final Log log;
    private final Loop loop;
    private final QueueMachine machine;
    private final int loadBytes;
    private final Runnable done;
    private long next;
    /** What is being loaded, or {@link ReadySet#NONE}. */
    private long asked = ReadySet.NONE;

    private boolean ended;

    /**
     * A scan of a table that gets no command before it is over.
     *
     * @param done is run once, when everything is known
     */
    TableScan(Log log, Loop loop, QueueMachine machine, int loadBytes, Runnable done) {
        this.log = log;
        this.loop = loop;
        this.machine = machine;
        this.loadBytes = loadBytes;
        this.done = done;
    }

    /** Looks at what is in memory, as far as it goes without a gap. */
    void goOn() {
        LatestPerKey latest = Objects.requireNonNull(machine.latest());
        for (int looked = 0; looked < SLICE && !ended; looked++) {
            long position = machine.state().next(next);
            if (position == ReadySet.NONE) {
                ended = true;
                machine.known();
                done.run();
                return;
            }
            Message message = log.message(position);
            if (message == null) {
                asked = position;
                log.load(position, loadBytes);
                return;
            }
            latest.came(
                    log.envelope(position).routingKey(),
                    position,
                    message.body().length());
            next = position + 1;
        }
        if (!ended) {
            loop.post(this::goOn);
        }
    }

    /** Entries were loaded; what should be among them and is not is not in the log. */
    void loaded(long from, long to) {
        if (ended || asked == ReadySet.NONE) {
            return;
        }
        long wanted = asked;
        asked = ReadySet.NONE;
        if (from > wanted || to < from) {
            machine.lost(wanted, Math.max(wanted, from - 1), loop.nowMillis());
        }
        goOn();
        if (to >= from && log.residentBytes() > 2L * loadBytes) {
            log.unload(from, Math.min(to, next - 1));
        }
    }

    /** Entries cannot be loaded. */
    void lost(long from, long to) {
        machine.lost(from, to, loop.nowMillis());
        if (!ended && asked != ReadySet.NONE && asked >= from && asked <= to) {
            asked = ReadySet.NONE;
            goOn();
        }
    }

    /** The queue is deleted, or the broker stops. */
    void stop() {
        ended = true;
    }
}
