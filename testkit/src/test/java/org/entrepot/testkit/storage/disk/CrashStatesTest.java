package org.entrepot.testkit.storage.disk;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.entrepot.spi.storage.DiskFile;
import org.junit.jupiter.api.Test;

/** What a power cut may leave, and what it must not. */
class CrashStatesTest {
    private static final int PAGE = 4096;

    private final RecordingDisk disk = new RecordingDisk();

    @Test
    void whatWasSyncedIsThere() throws IOException {
        try (DiskFile file = disk.create("a")) {
            write(file, 0, "synced");
            file.sync();
            disk.sync();
        }
        assertThat(found()).containsExactly("a=synced");
    }

    @Test
    void anUnsyncedWriteIsThereOrNotOrZerosAndSizeMayLagOrLead() throws IOException {
        try (DiskFile file = disk.create("a")) {
            disk.sync();
            write(file, 0, "xy");
        }
        assertThat(found()).containsExactlyInAnyOrder("a=", "a=00", "a=xy");
    }

    @Test
    void bytesBesideAnUnsyncedWriteStay() throws IOException {
        try (DiskFile file = disk.create("a")) {
            write(file, 0, "synced");
            file.sync();
            disk.sync();
            write(file, 2, "XX");
        }
        assertThat(found()).containsExactlyInAnyOrder("a=synced", "a=syXXed", "a=sy00ed");
    }

    @Test
    void laterWritesMayBeThereWithoutEarlierOnes() throws IOException {
        try (DiskFile file = disk.create("a")) {
            disk.sync();
            write(file, 0, "one");
            write(file, 3, "two");
        }
        assertThat(found())
                .contains("a=000two", "a=one", "a=onetwo", "a=one000", "a=")
                .doesNotContain("a=two");
    }

    @Test
    void aWriteOverSeveralUnitsBreaksBetweenThem() throws IOException {
        String text = "a".repeat(PAGE - 2) + "b".repeat(4);
        try (DiskFile file = disk.create("a")) {
            disk.sync();
            write(file, 0, text);
        }
        assertThat(found())
                .contains("a=" + text, "a=" + "0".repeat(PAGE) + "bb", "a=" + text.substring(0, PAGE) + "00")
                .noneMatch(content -> content.contains("0a"));
    }

    @Test
    void smallerUnitsBreakWhereTheyEnd() throws IOException {
        String text = "a".repeat(512) + "b".repeat(512);
        try (DiskFile file = disk.create("a")) {
            disk.sync();
            write(file, 0, text);
        }
        assertThat(found(CrashStates.of(disk))).doesNotContain("a=" + "0".repeat(512) + "b".repeat(512));
        assertThat(found(CrashStates.of(disk).withUnit(512))).contains("a=" + "0".repeat(512) + "b".repeat(512));
    }

    @Test
    void aCutThatWasNotSyncedMayNotHaveHappenedAndShowsNothingOldWhenItHas() throws IOException {
        try (DiskFile file = disk.create("a")) {
            write(file, 0, "abcdef");
            file.sync();
            disk.sync();
            file.resize(2);
            write(file, 4, "X");
        }
        assertThat(found())
                .contains("a=abcdef", "a=ab", "a=ab00X", "a=ab000")
                .noneMatch(content -> content.startsWith("a=abcdX") && content.length() == "a=abcdX".length());
    }

    @Test
    void whatIsNotSyncedInTheDirectoryHappenedOrNot() throws IOException {
        disk.create("old").close();
        disk.sync();
        disk.rename("old", "new");
        disk.create("other").close();
        assertThat(found()).containsExactlyInAnyOrder("old=", "new=", "new= other=", "old= other=");
    }

    @Test
    void whatWasSyncedInTheDirectoryHasHappened() throws IOException {
        disk.create("old").close();
        disk.rename("old", "new");
        disk.sync();
        assertThat(found()).containsExactly("new=");
        disk.delete("new");
        assertThat(found()).containsExactlyInAnyOrder("new=", "");
    }

    @Test
    void choicesThatCannotShowAreNotMade() throws IOException {
        try (DiskFile file = disk.create("a")) {
            disk.sync();
            write(file, 0, "x");
        }
        List<String> made = new ArrayList<>();
        CrashStates.of(disk).forEach(disk.operationCount(), state -> made.add(content(state.disk())));
        // Zeros, and a size that leads a write that is not there.
        assertThat(made).containsExactlyInAnyOrder("a=", "a=0", "a=0", "a=x");
    }

    @Test
    void whatIsDoneToOneStateDoesNotShowInOthers() throws IOException {
        try (DiskFile file = disk.create("a")) {
            write(file, 0, "one");
            file.sync();
            disk.sync();
            write(file, PAGE, "two");
        }
        CrashStates states = CrashStates.of(disk);
        Set<String> alone = found(states);
        Set<String> afterOthers = new TreeSet<>();
        states.forEach(states.lastPoint(), state -> {
            afterOthers.add(content(state.disk()));
            try (DiskFile file = state.disk().open("a")) {
                write(file, 0, "X");
                file.resize(1);
                write(file, 1, "Y");
            } catch (IOException impossible) {
                throw new UncheckedIOException(impossible);
            }
            assertThat(content(state.disk())).isEqualTo("a=XY");
        });
        assertThat(afterOthers).isEqualTo(alone);
        assertThat(content(disk)).startsWith("a=one").endsWith("two");
    }

    @Test
    void whatConcernsOneNameHappensInOrder() throws IOException {
        DiskFile file = disk.create("next");
        write(file, 0, "x");
        file.sync();
        file.close();
        disk.rename("next", "now");
        disk.delete("now");
        assertThat(found()).containsExactlyInAnyOrder("", "next=x", "now=x");
    }

    @Test
    void aRenameOverAnotherFileLeavesOneOfTheTwo() throws IOException {
        try (DiskFile old = disk.create("now")) {
            write(old, 0, "old");
            old.sync();
            disk.sync();
            try (DiskFile next = disk.create("next")) {
                write(next, 0, "new");
                next.sync();
            }
            disk.rename("next", "now");
        }
        assertThat(found()).containsExactlyInAnyOrder("now=old", "next=new now=old", "now=new");
    }

    @Test
    void whatAFailedSyncWasToKeepStaysInDoubt() throws IOException {
        FaultyDisk faulty = new FaultyDisk(disk);
        try (DiskFile file = faulty.create("a")) {
            faulty.sync();
            write(file, 0, "x");
            faulty.fail(FaultyDisk.Call.SYNC, 1);
            assertThatThrownBy(file::sync).isInstanceOf(IOException.class);
            write(file, 1, "y");
            file.sync();
        }
        assertThat(found()).containsExactlyInAnyOrder("a=xy", "a=0y");
    }

    @Test
    void aStateCanBeMadeAgainAndCrashedAgain() throws IOException {
        try (DiskFile file = disk.create("a")) {
            disk.sync();
            write(file, 0, "x");
            file.sync();
            write(file, 1, "y");
            file.sync();
        }
        CrashStates states = CrashStates.of(disk);
        List<CrashState> made = new ArrayList<>();
        states.forEach(made::add);
        for (CrashState state : made) {
            CrashState again = states.state(state.point(), state.choices());
            assertThat(content(again.disk())).isEqualTo(content(state.disk()));
        }
        RecordingDisk last = made.get(made.size() - 1).disk();
        try (DiskFile file = last.open("a")) {
            write(file, 0, "z");
        }
        assertThat(CrashStates.of(last).lastPoint()).isEqualTo(1);
        assertThat(content(made.get(made.size() - 1).disk())).isEqualTo("a=zy");
        assertThat(content(disk)).isEqualTo("a=xy");
    }

    @Test
    void choicesOfAnotherDiskAreRefused() throws IOException {
        disk.create("a").close();
        assertThatThrownBy(() -> CrashStates.of(disk).state(1, "01"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("1 choices, not 2");
        assertThatThrownBy(() -> CrashStates.of(disk).state(1, "2"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("no such answer");
    }

    @Test
    void manyChoicesAreDrawnTheSameBySeed() throws IOException {
        try (DiskFile file = disk.create("a")) {
            for (int i = 0; i < 20; i++) {
                write(file, i, "x");
            }
        }
        List<String> first = choices(CrashStates.of(disk));
        assertThat(choices(CrashStates.of(disk))).isEqualTo(first);
        assertThat(choices(CrashStates.of(disk).withSeed(2))).isNotEqualTo(first);
        int last = disk.operationCount();
        List<CrashState> drawn = new ArrayList<>();
        CrashStates.of(disk).forEach(last, drawn::add);
        assertThat(drawn).hasSizeBetween(32, 64);
        assertThat(content(drawn.get(0).disk())).isEqualTo("a=" + "x".repeat(20));
        assertThat(content(drawn.get(1).disk())).isEmpty();
    }

    private static List<String> choices(CrashStates states) {
        List<String> choices = new ArrayList<>();
        states.forEach(state -> choices.add(state.choices()));
        return choices;
    }

    /** What may be found after a crash now. */
    private Set<String> found() {
        return found(CrashStates.of(disk));
    }

    private static Set<String> found(CrashStates states) {
        Set<String> found = new TreeSet<>();
        states.forEach(states.lastPoint(), state -> found.add(content(state.disk())));
        return found;
    }

    /** Names and contents, with zero bytes as the digit. */
    private static String content(RecordingDisk disk) {
        List<String> files = new ArrayList<>();
        for (String name : disk.list()) {
            try (DiskFile file = disk.open(name)) {
                ByteBuffer bytes = ByteBuffer.allocate((int) file.size());
                file.read(bytes, 0);
                files.add(name + "=" + new String(bytes.array(), ISO_8859_1).replace('\0', '0'));
            } catch (IOException impossible) {
                throw new UncheckedIOException(impossible);
            }
        }
        return String.join(" ", files);
    }

    private static void write(DiskFile file, long at, String text) throws IOException {
        assertThat(file.write(ByteBuffer.wrap(text.getBytes(ISO_8859_1)), at)).isEqualTo(text.length());
    }
}
