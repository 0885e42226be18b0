package org.entrepot.storage.file;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.ArrayList;
import java.util.List;
import org.entrepot.testkit.storage.disk.RecordingDisk;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What is written when. */
@Timeout(60)
final class JournalWriterTest {
    private static final int SEGMENT_BYTES = 1 << 20;
    private static final int ROUNDS = 80_000;

    private final RecordingDisk disk = new RecordingDisk();
    private final Journal journal = new Journal(SEGMENT_BYTES, 1);
    private final Told told = new Told();

    private JournalWriter start() throws Exception {
        RoomAlarm room = new RoomAlarm(told);
        journal.begin(List.of(), 1);
        JournalWriter writer = new JournalWriter(
                journal,
                disk,
                new SegmentFiles(disk, SEGMENT_BYTES, room),
                new FileSettings(FileSettings.Sync.ALWAYS, 200, 0, SEGMENT_BYTES, SEGMENT_BYTES, Integer.MAX_VALUE),
                7,
                0,
                0,
                told,
                room,
                new StoreMeters(new SimpleMeterRegistry()));
        writer.start(Threads.NEW);
        return writer;
    }

    /** Several wait at once, so that some come in the middle of the others' rounds. */
    @Test
    void whoHasWaitedForASyncHasEverythingWrittenThatCameBefore() throws Exception {
        JournalWriter writer = start();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            Thread thread = new Thread(() -> appendAndSync(writer));
            thread.start();
            threads.add(thread);
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(told.lines).isEmpty();

        journal.close();
        writer.awaitEnd();
        assertThat(writer.sync()).as("what nobody writes any more").isFalse();
        journal.releaseBuffers();
    }

    private void appendAndSync(JournalWriter writer) {
        try {
            for (int round = 0; round < ROUNDS / 4 && told.lines.isEmpty(); round++) {
                long place;
                synchronized (journal) {
                    journal.engine(Records.TRUNCATED, 1, false);
                    Segment head = journal.head();
                    place = Place.of(head.number(), head.end());
                }
                if (!writer.sync() || writer.writtenPlace() <= place) {
                    told.lines.add("not written when it should be synced: " + place + " after round " + round);
                }
            }
        } catch (InterruptedException interrupted) {
            told.lines.add("interrupted");
        }
    }
}
