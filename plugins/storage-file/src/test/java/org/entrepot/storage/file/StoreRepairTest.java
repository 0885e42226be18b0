package org.entrepot.storage.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.entrepot.spi.storage.StorageException;
import org.entrepot.spi.storage.StoreInUseException;
import org.entrepot.spi.storage.StoreReport;
import org.entrepot.spi.storage.StoreReport.Finding;
import org.entrepot.spi.storage.StoreReport.Severity;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Damage of every kind: it is found, nothing wrong is ever read, and a repair makes a store of what is left. */
@Timeout(120)
final class StoreRepairTest {
    private static final long SEEDS = Long.getLong("seeds", 40);
    private static final long SEED = Long.getLong("seed", 0);

    private final Owner owner = new Owner();
    private final FileStoreInspector inspector = new FileStoreInspector();

    @TempDir
    private Path directory;

    private SampleStore store;
    /** What was damaged, for the message of a failure. */
    private final List<String> did = new ArrayList<>();

    @AfterEach
    void end() {
        owner.close();
    }

    private void build(long seed) throws Exception {
        store = new SampleStore(directory, owner);
        store.build(seed);
    }

    private StoreReport inspect() throws Exception {
        return inspector.inspect(directory, 1, new QuietReplay());
    }

    private List<String> damage() throws Exception {
        List<String> texts = new ArrayList<>();
        for (Finding finding : inspect().findings()) {
            if (finding.severity() == Severity.DAMAGE) {
                texts.add(finding.file() + " " + finding.text());
            }
        }
        return texts;
    }

    /** What is in a directory, folders in it included. */
    private static Map<String, ByteBuffer> contents(Path directory) throws IOException {
        Map<String, ByteBuffer> contents = new TreeMap<>();
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                contents.put(directory.relativize(file).toString(), ByteBuffer.wrap(Files.readAllBytes(file)));
            }
        }
        return contents;
    }

    /** Mends the store, which must say first what it is going to do; what was there before is still there somewhere. */
    private ReadBack.Result repair() throws Exception {
        Map<String, ByteBuffer> before = contents(directory);
        assertThat(inspector.repair(directory, true)).isNotEmpty();
        assertThat(contents(directory)).as("after a dry run").isEqualTo(before);

        assertThat(inspector.repair(directory, false)).isNotEmpty();
        assertThat(damage()).isEmpty();
        assertThat(contents(directory).values()).as("nothing is deleted").containsAll(before.values());
        ReadBack.Result read = ReadBack.of(directory, store, owner);
        assertThat(read.told()).isEmpty();
        return read;
    }

    @Test
    void aWholeStoreIsReportedAndLeftAlone() throws Exception {
        build(1);
        Map<String, ByteBuffer> before = contents(directory);

        StoreReport report = inspect();

        assertThat(report.findings()).isEmpty();
        assertThat(report.identity()).startsWith("format 1, number ");
        assertThat(report.logs().stream()
                        .mapToLong(StoreReport.StoredLog::entries)
                        .sum())
                .isEqualTo(store.entries());
        for (StoreReport.StoredLog log : report.logs()) {
            List<Long> positions = store.logs().get((int) log.id() - 1).lasting();
            assertThat(log.oldest()).isEqualTo(positions.get(0));
            assertThat(log.newest()).isEqualTo(positions.get(positions.size() - 1));
            assertThat(log.bytes()).isPositive();
            assertThat(log.checkpoint()).startsWith("journal-");
        }
        assertThat(report.files())
                .extracting(StoreReport.StoredFile::kind)
                .contains("journal", "table", "identity", "lock");
        assertThat(inspector.repair(directory, false)).isEmpty();
        assertThat(contents(directory)).isEqualTo(before);
    }

    /** By -Dseed=N one seed alone. */
    @Test
    void whateverIsDamagedIsFoundAndMended() throws Exception {
        build(11);
        SampleStore whole = store;
        Path base = directory;
        for (long seed = SEED > 0 ? SEED : 1; seed <= (SEED > 0 ? SEED : SEEDS); seed++) {
            try {
                did.clear();
                directory = base.resolve("seed-" + seed);
                store = whole.copyTo(directory);
                damageAndMend(seed);
            } catch (Exception | AssertionError failed) {
                throw new AssertionError("seed " + seed + " did " + did + ": " + failed.getMessage(), failed);
            }
        }
    }

    private void damageAndMend(long seed) throws Exception {
        SplittableRandom random = new SplittableRandom(seed);
        int most = 0;
        for (int i = 0; i <= random.nextInt(3); i++) {
            most += damageSomething(random);
        }
        if (damage().isEmpty()) {
            ReadBack.Result read = ReadBack.of(directory, store, owner);
            assertThat(read.missing()).as("nothing was found damaged").isZero();
            return;
        }
        assertThat(repair().missing()).isLessThanOrEqualTo(most);
    }

    /** Damages one thing; gives how many entries that may cost at most. */
    private int damageSomething(SplittableRandom random) throws IOException {
        List<String> journal = store.names("journal-");
        List<String> tables = store.names("table-");
        String segment = journal.get(random.nextInt(Math.max(1, journal.size() - 1)));
        String table = tables.isEmpty() ? segment : tables.get(random.nextInt(tables.size()));
        int all = (int) store.entries();
        switch (random.nextInt(8)) {
            case 0, 1 -> flipSomewhere(journal.get(random.nextInt(journal.size())), random);
            case 2 -> flipSomewhere(table, random);
            case 3 -> {
                cut(table, random);
                return all;
            }
            case 4 -> {
                cut(segment, random);
                return all;
            }
            case 5 -> {
                if (journal.size() > 1) {
                    did.add("delete " + segment);
                    Files.delete(directory.resolve(segment));
                }
                return all;
            }
            case 6 -> {
                zeroSomewhere(random.nextBoolean() ? segment : table, random);
                return all;
            }
            default -> Files.writeString(directory.resolve("store"), "not what it was\n");
        }
        return 40;
    }

    private void flipSomewhere(String name, SplittableRandom random) throws IOException {
        if (Files.exists(directory.resolve(name))) {
            long size = Files.size(directory.resolve(name));
            if (size > 0) {
                long at = random.nextLong(size);
                did.add("flip " + name + " at " + at);
                store.flip(name, at, 1 << random.nextInt(8));
            }
        }
    }

    private void cut(String name, SplittableRandom random) throws IOException {
        if (Files.exists(directory.resolve(name))) {
            byte[] bytes = Files.readAllBytes(directory.resolve(name));
            int size = random.nextInt(bytes.length + 1);
            did.add("cut " + name + " to " + size);
            Files.write(directory.resolve(name), Arrays.copyOf(bytes, size));
        }
    }

    private void zeroSomewhere(String name, SplittableRandom random) throws IOException {
        if (Files.exists(directory.resolve(name))) {
            byte[] bytes = Files.readAllBytes(directory.resolve(name));
            int page = random.nextInt(bytes.length / Batch.PAGE + 1) * Batch.PAGE;
            did.add("zero " + name + " at " + page);
            Arrays.fill(bytes, page, Math.min(bytes.length, page + Batch.PAGE), (byte) 0);
            Files.write(directory.resolve(name), bytes);
        }
    }

    @Test
    void aMissingSegmentIsBridged() throws Exception {
        build(2);
        List<String> journal = store.names("journal-");
        assertThat(journal).hasSizeGreaterThan(2);
        Files.delete(directory.resolve(journal.get(1)));

        assertThat(damage()).anyMatch(text -> text.startsWith(journal.get(1) + " the journal has a gap"));
        int missing = repair().missing();

        assertThat(missing).isPositive().isLessThan((int) store.entries() / 2);
    }

    @Test
    void aMissingFirstSegmentIsNoticed() throws Exception {
        build(3);
        String first = store.names("journal-").get(0);
        Files.delete(directory.resolve(first));

        assertThatThrownBy(() -> SampleStore.start(directory, new Told()))
                .isInstanceOf(StorageException.class)
                .hasMessageContaining(first + " is missing")
                .hasMessageContaining("entrepot store repair");
        assertThat(repair().missing()).isLessThan((int) store.entries() / 2);
    }

    @Test
    void aLostJournalCostsNothingOfTheTables() throws Exception {
        build(4);
        for (String segment : store.names("journal-")) {
            Files.delete(directory.resolve(segment));
        }
        assertThatThrownBy(() -> SampleStore.start(directory, new Told()))
                .isInstanceOf(StorageException.class)
                .hasMessageContaining("is missing");

        assertThat(repair().missing()).isPositive().isLessThan((int) store.entries());
    }

    /** What a checkpoint calls live is not to be forgotten with the checkpoint. */
    @Test
    void aLostCheckpointCostsNoEntry() throws Exception {
        build(5);
        List<Long> places = new ArrayList<>();
        try (NioDisk disk = NioDisk.openToRead(directory);
                Offline offline = new Offline()) {
            offline.read(new DryDisk(disk), StoreIdentity.read(disk).store(), new Places(Records.CHECKPOINT, places));
        }
        assertThat(places).isNotEmpty();
        for (long place : places) {
            store.flip(Segment.name(Place.segment(place)), Place.offset(place) + Records.HEAD, 1);
        }
        Path copy = directory.resolve("copy");
        SampleStore copied = store.copyTo(copy);

        ReadBack.Result started = ReadBack.of(copy, copied, owner);
        assertThat(started.missing()).isZero();
        assertThat(started.told()).isNotEmpty();

        assertThat(repair().missing()).isZero();
        assertThat(ReadBack.of(directory, store, owner).missing())
                .as("a second start")
                .isZero();
    }

    @Test
    void aLostIdentityIsReadFromTheOtherFiles() throws Exception {
        build(6);
        String identity = Files.readString(directory.resolve("store"));
        Files.delete(directory.resolve("store"));

        assertThat(damage()).containsExactly("store is missing: no broker starts with the other files");
        assertThat(inspector.repair(directory, false)).first().asString().startsWith("store is written anew");

        assertThat(directory.resolve("store")).hasContent(identity);
        assertThat(ReadBack.of(directory, store, owner).missing()).isZero();
    }

    @Test
    void leftoversAreNoDamageAndMovedOutOfTheWay() throws Exception {
        build(7);
        Files.writeString(directory.resolve("table-00000000000000ff.unfinished"), "half a table");

        StoreReport report = inspect();

        assertThat(report.isSound()).isTrue();
        assertThat(report.findings()).extracting(Finding::file).containsExactly("table-00000000000000ff.unfinished");
        assertThat(repair().missing()).isZero();
    }

    @Test
    void whatWasSetAsideStaysAnAlarmUntilItIsMovedAway() throws Exception {
        build(8);
        Files.writeString(directory.resolve("damaged-journal-0000000000000001"), "what it was");

        assertThat(ReadBack.of(directory, store, owner).told())
                .singleElement()
                .asString()
                .startsWith("alarm: damaged-journal-0000000000000001 was damaged");
        assertThat(repair().missing()).isZero();
    }

    @Test
    void aLaterFormatIsLeftAlone() throws Exception {
        build(9);
        Files.writeString(directory.resolve("store"), "entrepot store, format 2, number 00000000000000ff\n");
        Map<String, ByteBuffer> before = contents(directory);

        assertThatThrownBy(this::inspect).isInstanceOf(StorageException.class).hasMessageContaining("later release");
        assertThatThrownBy(() -> inspector.repair(directory, false))
                .isInstanceOf(StorageException.class)
                .hasMessageContaining("later release");
        assertThat(contents(directory)).isEqualTo(before);
    }

    @Test
    void aStoreInUseIsLeftAlone() throws Exception {
        FileStorage engine = SampleStore.start(directory, new Told());

        assertThatThrownBy(this::inspect).isInstanceOf(StoreInUseException.class);
        assertThatThrownBy(() -> inspector.repair(directory, true)).isInstanceOf(StoreInUseException.class);
        assertThatThrownBy(() -> inspector.repair(directory, false)).isInstanceOf(StoreInUseException.class);
        engine.close();
    }

    @Test
    void anUncompletedWriteIsNormal() throws Exception {
        build(10);
        List<String> journal = store.names("journal-");
        String last = journal.get(journal.size() - 1);
        // The last batch is the mark, which says that all before it was synced: half of it is what a crash may leave.
        byte[] bytes = Files.readAllBytes(directory.resolve(last));
        int end = bytes.length;
        while (bytes[end - 1] == 0) {
            end--;
        }
        bytes[end - 1] ^= 1;
        Files.write(directory.resolve(last), bytes);

        assertThat(inspect().isSound()).isTrue();
        assertThat(ReadBack.of(directory, store, owner).missing()).isZero();
    }

    /** Gathers where records of a kind are. */
    private record Places(byte kind, List<Long> places) implements RecoveryWatch {
        @Override
        public void refused(String file, String why, @Nullable Throwable cause) {}

        @Override
        public void record(Segment segment, ByteBuf bytes, int start, int length) {
            if (Records.kind(bytes, start) == kind) {
                places.add(Place.of(segment.number(), start));
            }
        }
    }
}
