package org.entrepot.core.queue;

import io.netty.buffer.ByteBuf;
import java.util.List;
import java.util.Objects;
import org.entrepot.spi.message.DeathReason;

/**
 * What a restart has to know of a queue, as bytes, version 1. Stateless.
 *
 * <p>After the head of every record: tail, last stamp, bytes of all entries; the number of priorities, and for each of them
 * the runs of positions that are in the queue; the runs of positions that a restart is to release, because their entries
 * were not to last; the number of entries that were returned, each with its position and failures; the number of entries
 * that brought a time of their own, each with instant and position; the number of entries that a transaction has sent to the
 * dead-letter exchange, each with position, reason, priority and bytes. Runs are a gap to the one before and a length each, and
 * end with two zeros. The numbers of entries are four bytes, all others as many groups of seven bits as it takes.
 *
 * <p>Entries that somebody holds, or that are on their way to a dead-letter exchange, are in the queue like any other. A
 * backlog of one run costs a few bytes, however long it is.
 */
final class QueueCheckpoint {
    private static final int LOW_BITS = 0x7f;
    private static final int MORE = 0x80;

    private QueueCheckpoint() {}

    static void write(QueueState state, Expiry expiry, ByteBuf out) {
        QueueRecords.begin(out, QueueRecords.CHECKPOINT);
        writeNumber(out, state.tail());
        writeNumber(out, state.lastStamp());
        writeNumber(out, Math.max(0, state.lastingBytes()));
        writeNumber(out, state.lanes());
        for (int lane = 0; lane < state.lanes(); lane++) {
            new Lane(state, lane).write(out);
        }
        writePassing(state.passing(), out);
        writeReturns(state, out);
        writeDeadlines(state, expiry, out);
        writeCondemned(state, out);
    }

    /** Positions in the queue of one priority, whatever became of them. */
    private static final class Lane {
        private final ReadySet ready;
        private final Leases held;
        private final Leases dying;
        private final ReadySet passing;
        private final int number;
        private long nextReady;
        private long nextHeld;
        private long nextDying;

        Lane(QueueState state, int number) {
            this.ready = state.lane(number);
            this.held = state.leases();
            this.dying = state.dying();
            this.passing = state.passing();
            this.number = number;
            nextReady = ready.next(0);
            nextHeld = next(held, 0);
            nextDying = next(dying, 0);
        }

        void write(ByteBuf out) {
            Runs runs = new Runs(out);
            while (true) {
                long start = Math.min(nextReady, Math.min(nextHeld, nextDying));
                if (start == ReadySet.NONE) {
                    break;
                }
                writeLasting(start, endOfRun(start), runs);
            }
            runs.end();
        }

        private long endOfRun(long start) {
            long end = start;
            while (true) {
                if (nextReady == end) {
                    end = ready.endOfRun(end);
                    nextReady = ready.next(end);
                } else if (nextHeld == end) {
                    end++;
                    nextHeld = next(held, end);
                } else if (nextDying == end) {
                    end++;
                    nextDying = next(dying, end);
                } else {
                    return end;
                }
            }
        }

        private void writeLasting(long start, long end, Runs runs) {
            long from = start;
            while (from < end) {
                long gone = Math.min(end, passing.next(from));
                if (gone > from) {
                    runs.add(from, gone);
                }
                from = gone == end ? end : passing.endOfRun(gone);
            }
        }

        private long next(Leases leases, long from) {
            long position = leases.next(from);
            while (position != Leases.NONE && leases.lane(position) != number) {
                position = leases.next(position + 1);
            }
            return position;
        }
    }

    /** Writes runs of positions, each beyond those before. */
    private static final class Runs {
        private final ByteBuf out;
        private long last;

        Runs(ByteBuf out) {
            this.out = out;
        }

        void add(long from, long end) {
            writeNumber(out, from - last);
            writeNumber(out, end - from);
            last = end;
        }

        void end() {
            writeNumber(out, 0);
            writeNumber(out, 0);
        }
    }

    private static void writePassing(ReadySet passing, ByteBuf out) {
        Runs runs = new Runs(out);
        for (long from = passing.next(0); from != ReadySet.NONE; ) {
            long end = passing.endOfRun(from);
            runs.add(from, end);
            from = passing.next(end);
        }
        runs.end();
    }

    private static void writeReturns(QueueState state, ByteBuf out) {
        int countIndex = out.writerIndex();
        out.writeInt(0);
        state.returns().each((position, failures) -> {
            if (!state.passing().contains(position)) {
                writeNumber(out, position);
                writeNumber(out, failures);
                out.setInt(countIndex, out.getInt(countIndex) + 1);
            }
        });
    }

    private static void writeDeadlines(QueueState state, Expiry expiry, ByteBuf out) {
        int countIndex = out.writerIndex();
        out.writeInt(0);
        expiry.each((instant, position) -> {
            if (state.isThere(position) && !state.passing().contains(position)) {
                writeNumber(out, instant);
                writeNumber(out, position);
                out.setInt(countIndex, out.getInt(countIndex) + 1);
            }
        });
    }

    private static void writeCondemned(QueueState state, ByteBuf out) {
        List<Long> condemned = state.condemned();
        out.writeInt(condemned.size());
        for (long position : condemned) {
            writeNumber(out, position);
            out.writeByte(QueueRecords.code(Objects.requireNonNull(state.reason(position))));
            writeNumber(out, state.dying().lane(position));
            writeNumber(out, state.dying().bytes(position));
        }
    }

    /** Takes entries that are on their way to a dead-letter exchange. */
    @FunctionalInterface
    interface Condemned {
        void dies(long position, DeathReason reason, int lane, int bytes);
    }

    /**
     * Reads a checkpoint into an empty state; gives to {@code passing} what is to be released, and to {@code
     * condemned} what is not to be ready.
     *
     * @throws IllegalArgumentException where it is none that this release knows
     */
    static void read(ByteBuf in, QueueState state, Expiry expiry, QueueState.Range passing, Condemned condemned) {
        try {
            int kind = QueueRecords.kind(in);
            if (kind != QueueRecords.CHECKPOINT) {
                throw new IllegalArgumentException("a record of kind " + kind + " in place of a checkpoint");
            }
            state.restored(readNumber(in), readNumber(in), readNumber(in));
            long lanes = readNumber(in);
            for (int lane = 0; lane < lanes; lane++) {
                int number = lane;
                readRuns(in, (from, to) -> state.restoredReady(number, from, to));
            }
            state.checkpointed();
            readRuns(in, passing);
            for (int left = in.readInt(); left > 0; left--) {
                state.restoredReturns(readNumber(in), (int) readNumber(in));
            }
            for (int left = in.readInt(); left > 0; left--) {
                expiry.isDue(readNumber(in), readNumber(in));
            }
            for (int left = in.readInt(); left > 0; left--) {
                condemned.dies(
                        readNumber(in), QueueRecords.reason(in.readByte()), (int) readNumber(in), (int) readNumber(in));
            }
        } catch (IndexOutOfBoundsException cut) {
            throw new IllegalArgumentException("a checkpoint that ends too early", cut);
        }
    }

    private static void readRuns(ByteBuf in, QueueState.Range each) {
        long last = 0;
        while (true) {
            long from = last + readNumber(in);
            long length = readNumber(in);
            if (length == 0) {
                return;
            }
            last = from + length;
            each.positions(from, last - 1);
        }
    }

    /** A number of 0 or more. */
    private static void writeNumber(ByteBuf out, long number) {
        long left = number;
        while (left > LOW_BITS) {
            out.writeByte(((int) left & LOW_BITS) | MORE);
            left >>>= 7;
        }
        out.writeByte((int) left);
    }

    private static long readNumber(ByteBuf in) {
        long number = 0;
        for (int shift = 0; shift < Long.SIZE; shift += 7) {
            byte next = in.readByte();
            number |= (long) (next & LOW_BITS) << shift;
            if (next >= 0) {
                return number;
            }
        }
        throw new IllegalArgumentException("a number that does not end");
    }
}
