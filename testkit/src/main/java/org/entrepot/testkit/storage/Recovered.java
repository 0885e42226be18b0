package org.entrepot.testkit.storage;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.entrepot.spi.message.Annotations;
import org.entrepot.spi.message.Bytes;
import org.entrepot.spi.message.Envelope;
import org.entrepot.spi.message.Message;
import org.jspecify.annotations.Nullable;

/**
 * What an opened log tells and shows of the time before. Immutable.
 *
 * @param name which log
 * @param stored whether the engine knew of it before it was opened
 * @param count how many entries it said there are
 * @param told what the replay told
 * @param live the entries that are there, as far as their owner can know: those of the checkpoint that were not released
 *     since, and those that were told
 */
record Recovered(LogName name, boolean stored, long count, OpenLog.Told told, Map<Long, Read> live) {

    /** An entry as it was read. */
    record Read(Message message, Envelope envelope, Annotations annotations, long stamp) {}

    /** Reads everything that an open log says is there. */
    static Recovered of(OpenLog log, boolean stored, long count) {
        OpenLog.Told told = log.told();
        Map<Long, Read> live = new TreeMap<>();
        Bytes checkpoint = told.checkpoint;
        if (checkpoint != null) {
            for (long position : CheckpointState.of(checkpoint).live()) {
                if (told.released.stream().noneMatch(range -> range.holds(position))) {
                    live.put(position, read(log, position));
                }
            }
        }
        for (OpenLog.ToldEntry entry : told.entries) {
            live.put(entry.position(), read(log, entry.position()));
        }
        return new Recovered(log.name(), stored, count, told, live);
    }

    private static Read read(OpenLog log, long position) {
        Message message = log.read(position);
        if (message == null) {
            throw new AssertionError("entry " + position + " of " + log.name()
                    + " is there by what was replayed, but loading it has brought nothing");
        }
        return new Read(
                message,
                log.log().envelope(position),
                log.log().annotations(position),
                log.log().stamp(position));
    }

    /** The entries that were told, by position. */
    OpenLog.@Nullable ToldEntry toldEntry(long position) {
        List<OpenLog.ToldEntry> entries = told.entries;
        int low = 0;
        int high = entries.size() - 1;
        while (low <= high) {
            int middle = (low + high) / 2;
            long at = entries.get(middle).position();
            if (at == position) {
                return entries.get(middle);
            }
            if (at < position) {
                low = middle + 1;
            } else {
                high = middle - 1;
            }
        }
        return null;
    }
}
