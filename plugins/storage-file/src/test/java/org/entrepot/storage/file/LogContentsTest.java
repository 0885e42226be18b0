package org.entrepot.storage.file;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import org.entrepot.testkit.storage.disk.RecordingDisk;
import org.junit.jupiter.api.Test;

/** What a log knows of its entries. */
final class LogContentsTest {

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
}
