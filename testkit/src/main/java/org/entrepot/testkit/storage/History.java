package org.entrepot.testkit.storage;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.entrepot.spi.message.Bytes;
import org.jspecify.annotations.Nullable;

/**
 * Everything that was done to the durable logs of an engine, in its order, and which of it the engine called durable when.
 * Steps have numbers from 0 on. Written by one thread, then read by any.
 */
final class History {
    /** A step of this number never comes. */
    static final int NEVER = Integer.MAX_VALUE;

    private final List<Step> steps = new ArrayList<>();
    /** The step from which on a step shows no more: a release, a deletion, the next checkpoint. */
    private final List<Integer> gone = new ArrayList<>();
    /** The step that deletes the log. */
    private final List<Integer> deleted = new ArrayList<>();

    /** By count of the disk's operations, the last step that is durable from then on. */
    private final TreeMap<Integer, Integer> durable = new TreeMap<>();

    /** The last step of each transaction, by its first. */
    private final TreeMap<Integer, Integer> transactions = new TreeMap<>();

    private final Map<Long, LogHistory> logs = new HashMap<>();
    private final Map<Bytes, Integer> byContent = new HashMap<>();

    /** What of one log shows at the moment. */
    private static final class LogHistory {
        final TreeMap<Long, Integer> live = new TreeMap<>();
        /** All entries there ever were at a position: it may be used again after a deletion or a crash. */
        final Map<Long, List<Integer>> entries = new HashMap<>();

        final List<Integer> facts = new ArrayList<>();
        final List<Integer> sinceDeletion = new ArrayList<>();
        int checkpoint = -1;
    }

    /** Adds a step; its number. */
    int add(Step step) {
        int number = steps.size();
        steps.add(step);
        gone.add(NEVER);
        deleted.add(NEVER);
        LogHistory log = log(step.log());
        if (step instanceof Step.Entry entry) {
            log.live.put(entry.position(), number);
            log.entries
                    .computeIfAbsent(entry.position(), position -> new ArrayList<>())
                    .add(number);
        } else if (step instanceof Step.Fact fact) {
            log.facts.add(number);
            byContent.put(fact.bytes(), number);
        } else if (step instanceof Step.Checkpoint checkpoint) {
            end(log.facts, number);
            if (log.checkpoint >= 0) {
                gone.set(log.checkpoint, number);
            }
            log.checkpoint = number;
            byContent.put(checkpoint.state(), number);
        } else if (step instanceof Step.Release release) {
            Map<Long, Integer> released = log.live.subMap(release.from(), true, release.to(), true);
            released.values().forEach(entry -> gone.set(entry, number));
            released.clear();
        } else if (step instanceof Step.Deletion) {
            end(new ArrayList<>(log.live.values()), number);
            log.live.clear();
            end(log.facts, number);
            if (log.checkpoint >= 0) {
                gone.set(log.checkpoint, number);
                log.checkpoint = -1;
            }
            log.sinceDeletion.forEach(earlier -> deleted.set(earlier, number));
            log.sinceDeletion.clear();
            return number;
        }
        log.sinceDeletion.add(number);
        return number;
    }

    /** Adds steps that happen as a whole or not at all; the number of the last. */
    int addWhole(List<Step> whole) {
        int first = size();
        whole.forEach(this::add);
        transactions.put(first, size() - 1);
        return size() - 1;
    }

    /** The last step that has happened where this one has. */
    int wholeOf(int number) {
        Map.Entry<Integer, Integer> transaction = transactions.floorEntry(number);
        return transaction == null ? number : Math.max(number, transaction.getValue());
    }

    private void end(List<Integer> shown, int number) {
        shown.forEach(step -> gone.set(step, number));
        shown.clear();
    }

    private LogHistory log(long id) {
        return logs.computeIfAbsent(id, made -> new LogHistory());
    }

    /** From now on, so many operations of the disk having been done, everything up to this step is durable. */
    void told(int operations, int step) {
        durable.merge(operations, step, Math::max);
    }

    /** The last step that was called durable before a crash after so many operations; -1 when none was. */
    int durableAt(int operations) {
        return durable.headMap(operations, true).values().stream()
                .mapToInt(Integer::intValue)
                .max()
                .orElse(-1);
    }

    int size() {
        return steps.size();
    }

    Step step(int number) {
        return steps.get(number);
    }

    /** The step from which on this one shows no more, or {@link #NEVER}. */
    int goneAt(int number) {
        return gone.get(number);
    }

    /** The step that deletes the log of this one, or {@link #NEVER}. */
    int deletedAt(int number) {
        return deleted.get(number);
    }

    /** Entries of a log that are there at the moment, by position. */
    NavigableMap<Long, Integer> live(long log) {
        return log(log).live;
    }

    /** Everything that was ever at a position. */
    List<Integer> entriesAt(long log, long position) {
        return log(log).entries.getOrDefault(position, List.of());
    }

    /** The fact or checkpoint with these bytes; no two have the same. */
    @Nullable Integer withContent(Bytes bytes) {
        return byContent.get(bytes);
    }

    /** Whether a step must show after a restart. */
    boolean lasts(int number) {
        Step step = steps.get(number);
        return step instanceof Step.Entry entry
                ? entry.durable()
                : step instanceof Step.Fact || step instanceof Step.Checkpoint;
    }

    /** What is left of this after a crash: everything up to a step, all of it durable, but transient entries that are gone. */
    History after(Verdict verdict) {
        History left = new History();
        for (int number = 0; number <= verdict.last(); number++) {
            if (!(steps.get(number) instanceof Step.Entry entry)
                    || entry.durable()
                    || verdict.shown().contains(number)) {
                left.add(steps.get(number));
            }
        }
        left.told(0, left.size() - 1);
        return left;
    }
}
