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

    /** A run that begins before another may have its first live entry behind the other's. */
    @Test
    void theLeastLivePositionMayBeInARunThatBeginsLater() throws Exception {
        Table first = table(1, 1, 2, 5);
        Table second = table(2, 3);
        LogContents contents = new LogContents(1, new Journal(1 << 15, 1));
        contents.foundRun(new Run(first, first.runs().get(0)));
        contents.foundRun(new Run(second, second.runs().get(0)));
        contents.foundKept(Place.of(1, 48));
        contents.release(1, 2);

        assertThat(contents.nextLive(0)).isEqualTo(3);
        assertThat(contents.lasts(0, 3)).isTrue();
        Ranges live = contents.live();
        assertThat(live.size()).isEqualTo(2);
        assertThat(live.contains(3)).isTrue();
        assertThat(live.contains(5)).isTrue();
        first.release();
        second.release();
    }

    private static Table table(long number, long... positions) throws Exception {
        try (TableWriter writer = new TableWriter(new RecordingDisk(), number, 7)) {
            for (long position : positions) {
                writer.entry(1, true, position, Records.ENTRY, Unpooled.EMPTY_BUFFER);
            }
            writer.finish(1, new LongList());
            return writer.install().table();
        }
    }

    @Test
    void rangesOfWhatIsLiveAreThoseOfPagesAndTables() throws Exception {
        for (int seed = 0; seed < 200; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            LogContents contents = new LogContents(1, new Journal(1 << 15, 1));
            List<Table> tables = new ArrayList<>();
            for (int number = 1; number <= 3; number++) {
                tables.add(randomTable(number, random));
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
                contents.release(from, from + random.nextInt(random.nextInt(10) == 0 ? 500 : 30));
            }

            Ranges live = contents.live();
            contents.foundKept(Place.of(1, 48));
            long next = contents.nextLive(0);
            for (int position = 0; position < POSITIONS; position++) {
                assertThat(live.contains(position))
                        .as("position " + position + " with seed " + seed)
                        .isEqualTo(contents.isLive(position))
                        .isEqualTo(position == next);
                next = position == next ? contents.nextLive(position + 1) : next;
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
    private static Table randomTable(int number, SplittableRandom random) throws Exception {
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
