package org.entrepot.storage.file;

import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;
import org.entrepot.spi.storage.LogReplay;

/**
 * Tells the owner of a log what is in it: reads on a reader's thread, tells on the owner's, piece by piece. Owned as the log.
 * Nothing moves meanwhile but what is in tables: the journal keeps what a log without a new checkpoint needs.
 */
final class Replaying {
    private static final long PIECE_BYTES = 1 << 20;

    private final FileLog log;
    private final LogReplay replay;
    private final EngineParts parts;

    Replaying(FileLog log, LogReplay replay, EngineParts parts) {
        this.log = log;
        this.replay = replay;
        this.parts = parts;
    }

    void start() {
        SinceCheckpoint since = log.contents().since();
        if (!since.hasCheckpoint()
                && log.contents().tail() == 0
                && since.factPlaces().size() == 0) {
            end();
            return;
        }
        parts.loader().execute(() -> {
            try {
                if (log.wasOpenBefore()) {
                    parts.flush().run();
                }
                List<ByteBuf> contents = contents(since);
                log.onOwner(() -> begin(contents));
            } catch (IOException | DamagedException | IllegalStateException failed) {
                fail(failed);
            }
        });
    }

    /** The checkpoint, where there is one, and the facts. */
    private List<ByteBuf> contents(SinceCheckpoint since) throws IOException, DamagedException {
        Reading reading = new Reading(parts);
        List<ByteBuf> contents = new ArrayList<>();
        if (since.hasCheckpoint()) {
            ByteBuf content = content(reading, since.place(), since.length());
            CheckpointCodec.read(content);
            contents.add(content);
        }
        // Those of transactions come to the list a little later than to the journal.
        for (int fact : IntStream.range(0, since.factPlaces().size())
                .boxed()
                .sorted(Comparator.comparingLong(since.factPlaces()::get))
                .toList()) {
            contents.add(content(reading, since.factPlaces().get(fact), (int)
                    since.factLengths().get(fact)));
        }
        return contents;
    }

    private static ByteBuf content(Reading reading, long place, int length) throws IOException, DamagedException {
        ByteBuf content = reading.content(place, length);
        if (content == null) {
            throw new DamagedException("segment " + Place.segment(place) + " is gone");
        }
        Varints.read(content); // the log's id
        return content;
    }

    private void begin(List<ByteBuf> contents) {
        SinceCheckpoint since = log.contents().since();
        if (since.hasCheckpoint()) {
            replay.checkpoint(contents.remove(0));
            for (int i = 0; i < since.released().size(); i++) {
                replay.released(since.released().from(i), since.released().to(i));
            }
        }
        entries(since.tail(), contents);
    }

    private void entries(long from, List<ByteBuf> facts) {
        LogContents.Plan plan = log.contents().plan(from, PIECE_BYTES);
        if (plan == null) {
            for (ByteBuf fact : facts) {
                replay.fact(fact);
            }
            end();
            return;
        }
        parts.loader().read(log, () -> plan.read(new Reading(parts), false), result -> {
            if (result instanceof Reading.Unreadable unreadable) {
                fail(unreadable.why());
            } else {
                entries(result instanceof Reading.Entries read ? tell(read, from) : from, facts);
            }
        });
    }

    /** Tells entries; gives the position to go on from. */
    private long tell(Reading.Entries read, long from) {
        long last = from - 1;
        for (Reading.Entry entry : read.entries()) {
            EntryCodec.Head head = entry.head();
            last = Math.max(last, head.position());
            if (head.lasting() && log.contents().isLive(head.position())) {
                replay.entry(head.position(), head.stamp(), head.envelope(), entry.bodyBytes());
            }
        }
        for (int i = 0; i < read.damaged().size(); i++) {
            long position = read.damaged().get(i);
            last = Math.max(last, position);
            log.lost(position);
        }
        return last + 1;
    }

    private void end() {
        log.ready();
        replay.ended(log.contents().tail());
    }

    private void fail(Exception failed) {
        String why = "log " + log.id() + " cannot be read: " + failed.getMessage();
        parts.listener().alarm(why);
        log.onOwner(() -> replay.failed(why));
    }
}
