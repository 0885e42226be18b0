package org.entrepot.storage.file;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.entrepot.testkit.storage.disk.RecordingDisk;
import org.junit.jupiter.api.Test;

/** What a log knows of its entries. */
final class LogContentsTest {
    private static final int POSITIONS = 2_000;

    /** A table that looks empty is deleted once all that was appended by then is durable. */
    @Test
    void aTableLosesEntriesOnlyTogetherWithTheRecordOfTheirRelease() throws Exception {
        Table table;
        try (TableWriter writer = new TableWriter(new RecordingDisk(), 1, 7)) {
            for (long position = 0; position < 10; position++) {
                writer.entry(1, true, position, Records.ENTRY, Unpooled.EMPTY_BUFFER);
            }
            writer.finish(1, new LongList());
            table = writer.install().table();
        }
        Journal journal = new Journal(1 << 15, 1);
        LogContents contents = new LogContents(1, journal);
        contents.foundRun(new Run(table, table.runs().get(0)));
        assertThat(table.liveEntries()).isEqualTo(10);

        assertThat(contents.release(0, 9)).isTrue();
        assertThat(contents.isLive(3)).isFalse();
        assertThat(table.liveEntries()).isEqualTo(10);
        assertThat(contents.freed().isEmpty()).isFalse();
        journal.freed(contents.freed());
        assertThat(table.liveEntries()).isZero();
        assertThat(contents.freed().isEmpty()).isTrue();
        table.release();
    }

    /** Somebody may still move what he has found: it must not be counted once more. */
    @Test
    void whatIsForgottenIsNotLive() {
        Journal journal = new Journal(1 << 15, 1);
        LogContents contents = new LogContents(1, journal);
        contents.found(3, Place.of(1, 4_096), 100);
        assertThat(contents.isLive(3)).isTrue();
        contents.forgetAll();
        assertThat(contents.isLive(3)).isFalse();
    }

    @Test
    void rangesOfWhatIsLiveAreThoseOfPagesAndTables() throws Exception {
        for (int seed = 0; seed < 200; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            LogContents contents = new LogContents(1, new Journal(1 << 15, 1));
            List<Table> tables = new ArrayList<>();
            for (int number = 1; number <= 3; number++) {
                tables.add(table(number, random));
            }
            for (Table table : tables) {
                table.runs().forEach(in -> contents.foundRun(new Run(table, in)));
            }
            int stretches = random.nextInt(6);
            for (int i = 0; i < stretches; i++) {
                int from = random.nextInt(POSITIONS);
                int to = Math.min(POSITIONS, from + random.nextInt(200));
                for (int position = from; position < to; position++) {
                    // What is in the journal is in no table.
                    contents.release(position, position);
                    contents.found(position, Place.of(4, 48), 100);
                }
            }
            for (int i = random.nextInt(20); i > 0; i--) {
                int from = random.nextInt(POSITIONS);
                contents.release(from, from + random.nextInt(30));
            }

            Ranges live = contents.live();
            for (int position = 0; position < POSITIONS; position++) {
                assertThat(live.contains(position))
                        .as("position " + position + " with seed " + seed)
                        .isEqualTo(contents.isLive(position));
            }
            for (int range = 1; range < live.size(); range++) {
                assertThat(live.from(range)).isGreaterThan(live.to(range - 1) + 1);
            }
            for (Table table : tables) {
                table.release();
            }
        }
    }

    /** A table of every so many positions of some, so that runs of several tables lie in one another. */
    private static Table table(int number, SplittableRandom random) throws Exception {
        try (TableWriter writer = new TableWriter(new RecordingDisk(), number, 7)) {
            int from = random.nextInt(POSITIONS);
            for (int position = from; position < POSITIONS; position++) {
                boolean isOfThis = number == (position % 700 < 300 ? 1 : position % 3 + 1);
                if (isOfThis && random.nextInt(50) > 0) {
                    writer.entry(1, true, position, Records.ENTRY, Unpooled.EMPTY_BUFFER);
                }
            }
            writer.entry(1, true, POSITIONS + number, Records.ENTRY, Unpooled.EMPTY_BUFFER);
            writer.finish(1, new LongList());
            return writer.install().table();
        }
    }
}
