package org.entrepot.core.storage;

import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.entrepot.spi.message.Annotations;
import org.entrepot.spi.message.Envelope;
import org.entrepot.spi.message.Message;

/** What a log of a {@link KeepingStorage} has on its "disk": all records there ever were, in order. Any thread may call. */
final class KeptRecords {

    /** A record. */
    sealed interface Kept {}

    record Entry(
            long position, long stamp, Message message, Envelope envelope, Annotations annotations, boolean durable)
            implements Kept {}

    record Fact(byte[] bytes) implements Kept {}

    record Released(long from, long to) implements Kept {}

    record Checkpoint(byte[] bytes) implements Kept {}

    /** What a transaction has of a log, which is there as a whole or not at all. */
    record Whole(List<Kept> parts) implements Kept {}

    private final boolean lasting;
    private final List<Kept> records = new ArrayList<>();
    private long tail;
    private boolean unreadable;

    KeptRecords(boolean lasting) {
        this.lasting = lasting;
    }

    synchronized void unreadable() {
        unreadable = true;
    }

    synchronized boolean isUnreadable() {
        return unreadable;
    }

    boolean lasting() {
        return lasting;
    }

    synchronized int size() {
        return records.size();
    }

    synchronized void add(Kept kept) {
        records.add(kept);
        for (Kept each : flat(List.of(kept))) {
            if (each instanceof Entry entry) {
                tail = Math.max(tail, entry.position() + 1);
            }
        }
    }

    private static List<Kept> flat(List<Kept> records) {
        List<Kept> flat = new ArrayList<>();
        for (Kept kept : records) {
            if (kept instanceof Whole whole) {
                flat.addAll(whole.parts());
            } else {
                flat.add(kept);
            }
        }
        return flat;
    }

    /** Forgets all records but the first. */
    synchronized void cut(int size) {
        records.subList(size, records.size()).clear();
    }

    /** Forgets entries that were not to last. */
    synchronized void dropPassing() {
        records.removeIf(kept -> kept instanceof Entry entry && !entry.durable());
        records.replaceAll(kept -> kept instanceof Whole whole
                ? new Whole(whole.parts().stream()
                        .filter(part -> !(part instanceof Entry entry) || entry.durable())
                        .toList())
                : kept);
    }

    synchronized List<Kept> records() {
        return flat(records);
    }

    synchronized long tail() {
        return tail;
    }

    /** Entries that were not released. */
    synchronized NavigableMap<Long, Entry> live() {
        NavigableMap<Long, Entry> live = new TreeMap<>();
        for (Kept kept : flat(records)) {
            if (kept instanceof Entry entry) {
                live.put(entry.position(), entry);
            } else if (kept instanceof Released released) {
                live.subMap(released.from(), true, released.to(), true).clear();
            }
        }
        return live;
    }

    /** Those of them that a restart finds. */
    long entries() {
        return live().values().stream().filter(Entry::durable).count();
    }
}
