package org.entrepot.core.queue;

import java.util.SortedMap;
import java.util.TreeMap;
import org.entrepot.spi.message.Annotations;
import org.entrepot.spi.message.Envelope;
import org.entrepot.spi.message.Message;
import org.jspecify.annotations.Nullable;

/** A log for tests of the machine alone: as plain as can be, and with entries that may be out of memory. */
final class SimulatedLog implements Entries {

    /** One entry. */
    static final class Entry {
        final long position;
        final long stamp;
        final Message message;
        final Envelope envelope;
        final Annotations annotations;
        boolean resident = true;

        Entry(long position, long stamp, Message message, Envelope envelope, Annotations annotations) {
            this.position = position;
            this.stamp = stamp;
            this.message = message;
            this.envelope = envelope;
            this.annotations = annotations;
        }
    }

    private final TreeMap<Long, Entry> entries = new TreeMap<>();
    private long lastStamp = Long.MIN_VALUE;
    private long lastPosition = -1;
    private long index;

    /** Gives the record's index. */
    long append(long position, long stamp, Message message, Envelope envelope, Annotations annotations) {
        if (position <= lastPosition || stamp < lastStamp) {
            throw new AssertionError(
                    "appended " + position + " at " + stamp + " after " + lastPosition + " at " + lastStamp);
        }
        lastPosition = position;
        lastStamp = stamp;
        entries.put(position, new Entry(position, stamp, message, envelope, annotations));
        return ++index;
    }

    /** Appends something that is no entry; gives its index. */
    long note() {
        return ++index;
    }

    long index() {
        return index;
    }

    void release(long from, long to) {
        for (long position = from; position <= to; position++) {
            if (entries.remove(position) == null) {
                throw new AssertionError("released " + position + ", which is not there");
            }
        }
    }

    /** Takes ready-to-be-loaded entries out of memory. */
    void evict(long from, long to) {
        entries.subMap(from, true, to, true).values().forEach(entry -> entry.resident = false);
    }

    /** Brings so many entries from this position on into memory; gives the position of the last. */
    long load(long from, int count) {
        long last = from - 1;
        for (Entry entry : entries.tailMap(from).values().stream().limit(count).toList()) {
            entry.resident = true;
            last = entry.position;
        }
        return last;
    }

    /** What is in it, in memory or not. */
    SortedMap<Long, Entry> entries() {
        return entries;
    }

    @Override
    public @Nullable Message message(long position) {
        Entry entry = entries.get(position);
        return entry == null || !entry.resident ? null : entry.message;
    }

    @Override
    public Envelope envelope(long position) {
        return resident(position).envelope;
    }

    @Override
    public Annotations annotations(long position) {
        return resident(position).annotations;
    }

    @Override
    public long stamp(long position) {
        return resident(position).stamp;
    }

    private Entry resident(long position) {
        Entry entry = entries.get(position);
        if (entry == null || !entry.resident) {
            throw new AssertionError("asked for entry " + position + ", which is not in memory");
        }
        return entry;
    }
}
