package org.entrepot.storage.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a crash may leave of the journal's last writes, and what may be left only by damage. */
@Timeout(120)
final class FileStorageTornTest {
    /** Each begins a page of its own, and all are in the first segment. */
    private static final int ENTRIES = 7;

    private final Owner owner = new Owner();
    private final Told told = new Told();

    @TempDir
    private Path directory;

    @AfterEach
    void end() {
        owner.close();
    }

    /** A batch in a segment: where it begins and ends. */
    private record Place(int from, int to, long number, long synced) {}

    private byte[] write(FileSettings.Sync sync) throws Exception {
        return write(sync, 1);
    }

    private byte[] write(FileSettings.Sync sync, long segment) throws Exception {
        FileStorage engine = told.start(() -> NioDisk.open(directory), sync, 60_000);
        ModelLog log = new ModelLog(1, owner);
        log.open(engine);
        for (int i = 0; i < ENTRIES; i++) {
            log.append(true);
            log.awaitDurable();
        }
        log.close();
        engine.close();
        return Files.readAllBytes(directory.resolve(Segment.name(segment)));
    }

    private long store() throws Exception {
        try (NioDisk disk = NioDisk.openToRead(directory)) {
            return StoreIdentity.read(disk).store();
        }
    }

    private List<Place> batches(byte[] segment) throws Exception {
        return batches(segment, 1);
    }

    private List<Place> batches(byte[] segment, long number) throws Exception {
        long store = store();
        ByteBuf bytes = Unpooled.wrappedBuffer(segment);
        List<Place> batches = new ArrayList<>();
        for (int at = 0; at + Batch.HEAD <= segment.length; at += 8) {
            Batch.Head head = Batch.head(bytes, at, store, number, Checksums.EXACT);
            if (head != null && head.records() > 0) {
                batches.add(new Place(at, at + Batch.HEAD + head.length(), head.number(), head.synced()));
            }
        }
        return batches;
    }

    private long entriesOf(byte[] segment) throws Exception {
        Files.write(directory.resolve(Segment.name(1)), segment);
        for (String name : directory.toFile().list()) {
            if (Segment.number(name) > 1) {
                Files.delete(directory.resolve(name));
            }
        }
        FileStorage engine = told.start(() -> NioDisk.open(directory));
        long entries = engine.entries(1);
        engine.close();
        return entries;
    }

    @Test
    void ofTheLastBatchAnyPartMayBeThereAndNoneOfItCounts() throws Exception {
        byte[] whole = write(FileSettings.Sync.ALWAYS);
        Place last = batches(whole).get(ENTRIES - 1);
        assertThat(entriesOf(Arrays.copyOf(whole, last.to()))).isEqualTo(ENTRIES);
        for (int length = 0; length < last.to() - last.from(); length++) {
            byte[] torn = Arrays.copyOf(whole, last.from() + length);
            assertThat(entriesOf(torn)).as("cut after " + length + " bytes").isEqualTo(ENTRIES - 1);
            byte[] zeros = Arrays.copyOf(torn, whole.length);
            assertThat(entriesOf(zeros)).as("zeros after " + length + " bytes").isEqualTo(ENTRIES - 1);
        }
        assertThat(told.lines).isEmpty();
    }

    @Test
    void aHoleBeyondWhatWasSyncedIsTheEnd() throws Exception {
        byte[] bytes = write(FileSettings.Sync.OS);
        List<Place> batches = batches(bytes);
        Place hole = batches.get(5);
        assertThat(batches.get(ENTRIES - 1).synced()).as("nothing was synced").isLessThan(5);
        // The end of a run is synced, and says so: what a power cut leaves has no such mark.
        byte[] cut = Arrays.copyOf(bytes, batches.get(ENTRIES - 1).to());
        Arrays.fill(cut, hole.from(), hole.to(), (byte) 0);

        assertThat(entriesOf(cut)).isEqualTo(5);
        assertThat(told.lines).isEmpty();
    }

    /** Nothing of its first file was ever promised, and a start has cut it; what a crash leaves later is behind the second. */
    @Test
    void aJournalWhoseFirstFileIsEmptyBeginsInTheNext() throws Exception {
        told.start(() -> NioDisk.open(directory)).close();
        Files.write(directory.resolve(Segment.name(1)), new byte[0]);
        byte[] second = write(FileSettings.Sync.ALWAYS, 2);
        long last = batches(second, 2).get(ENTRIES - 1).number();
        // Its deletion may not have lasted.
        Files.write(directory.resolve(Segment.name(1)), new byte[0]);
        ByteBuf unpromised = Unpooled.buffer();
        new Batch(unpromised, new Segment(3, Told.SEGMENT_BYTES), 0, last + 3).seal(store(), last);
        Files.write(directory.resolve(Segment.name(3)), Arrays.copyOf(unpromised.array(), Told.SEGMENT_BYTES));

        FileStorage engine = told.start(() -> NioDisk.open(directory));
        assertThat(engine.entries(1)).isEqualTo(ENTRIES);
        assertThat(directory.resolve(Segment.name(3))).doesNotExist();
        assertThat(told.lines).isEmpty();
        engine.close();
    }

    @Test
    void aHoleInWhatWasSyncedIsDamageAndNotTheEnd() throws Exception {
        byte[] bytes = write(FileSettings.Sync.ALWAYS);
        Place hole = batches(bytes).get(5);
        Arrays.fill(bytes, hole.from(), hole.to(), (byte) 0);

        assertThat(entriesOf(bytes)).isEqualTo(ENTRIES - 1);
        assertThat(told.lines).singleElement().asString().startsWith("alarm: " + Segment.name(1) + " is damaged at ");
    }

    @Test
    void aRecordThatOnlyALaterReleaseKnowsKeepsTheBrokerFromStarting() throws Exception {
        byte[] bytes = write(FileSettings.Sync.ALWAYS);
        Place last = batches(bytes).get(ENTRIES - 1);
        ByteBuf segment = Unpooled.wrappedBuffer(bytes);
        segment.setByte(last.from() + Batch.HEAD + Records.HEAD - 1, 99);
        Records.seal(segment, last.from() + Batch.HEAD, last.to(), 1);
        Files.write(directory.resolve(Segment.name(1)), bytes);

        assertThatThrownBy(() -> told.start(() -> NioDisk.open(directory)))
                .hasMessageContaining("kind 99")
                .hasMessageContaining("written by a later one");
    }
}
