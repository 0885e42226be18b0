package org.entrepot.testkit.storage.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.entrepot.spi.storage.DiskFile;
import org.entrepot.testkit.storage.disk.FaultyDisk.Call;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A disk fails when it is told to, and only then. */
@Timeout(60)
class FaultyDiskTest {
    private static final int PAGE = 4096;

    private final RecordingDisk below = new RecordingDisk();
    private FaultyDisk disk;

    @BeforeEach
    void open() throws IOException {
        disk = new FaultyDisk(below);
    }

    @Test
    void failsTheCallThatItWasToldTo() throws IOException {
        disk.fail(Call.WRITE, 2);
        try (DiskFile file = disk.create("a")) {
            write(file, 0, 10);
            fails(() -> write(file, 10, 10));
            write(file, 10, 10);
            assertThat(file.size()).isEqualTo(20);
        }
        assertThat(disk.count(Call.WRITE)).isEqualTo(3);
        assertThat(disk.count(Call.CREATE)).isEqualTo(1);
        assertThat(disk.failures()).isEqualTo(1);
    }

    @Test
    void staysBrokenUntilItIsMended() throws IOException {
        DiskFile file = disk.create("a");
        disk.failFrom(Call.SYNC, 2);
        file.sync();
        fails(file::sync);
        fails(file::sync);
        disk.mend();
        assertThatCode(file::sync).doesNotThrowAnyException();
    }

    @Test
    void failsEveryKindOfCall() throws IOException {
        DiskFile file = disk.create("a");
        write(file, 0, 1);
        for (Call call : Call.values()) {
            disk.fail(call, 1);
        }
        fails(disk::list);
        fails(() -> disk.create("b"));
        fails(() -> disk.open("a"));
        fails(() -> disk.rename("a", "b"));
        fails(() -> disk.delete("a"));
        fails(disk::sync);
        fails(() -> file.read(ByteBuffer.allocate(1), 0));
        fails(() -> write(file, 0, 1));
        fails(() -> file.resize(0));
        fails(file::sync);
        assertThat(below.list()).containsExactly("a");
        assertThat(file.size()).isEqualTo(1);
        assertThat(disk.failures()).isEqualTo(Call.values().length);
    }

    @Test
    void storesAPartBeforeAWriteFails() throws IOException {
        disk.storeBeforeFailure(7);
        disk.fail(Call.WRITE, 1);
        DiskFile file = disk.create("a");
        ByteBuffer bytes = ByteBuffer.allocate(10);
        fails(() -> file.write(bytes, 0));
        assertThat(file.size()).isEqualTo(7);
        assertThat(bytes.remaining()).isEqualTo(3);
    }

    @Test
    void runsFullAfterAPartAndHasRoomAgain() throws IOException {
        disk.capacity(2 * PAGE);
        DiskFile file = disk.create("a");
        ByteBuffer bytes = ByteBuffer.allocate(3 * PAGE);
        assertThat(file.write(bytes, 10)).isEqualTo(2 * PAGE - 10);
        assertThat(disk.free()).isZero();
        assertThatThrownBy(() -> file.write(bytes, 2 * PAGE))
                .isInstanceOf(IOException.class)
                .hasMessage("No space left on device");
        // What has its pages already can be written to.
        write(file, 0, PAGE);

        disk.capacity(3 * PAGE);
        assertThat(file.write(bytes, 2 * PAGE)).isEqualTo(PAGE);
        file.resize(PAGE);
        assertThat(disk.taken()).isEqualTo(PAGE);
        disk.delete("a");
        assertThat(disk.free()).isEqualTo(3 * PAGE);
    }

    @Test
    void countsWhatIsThereAlready() throws IOException {
        try (DiskFile file = disk.create("a")) {
            write(file, 0, PAGE + 1);
        }
        FaultyDisk again = new FaultyDisk(below);
        assertThat(again.taken()).isEqualTo(2 * PAGE);
        again.rename("a", "b");
        again.create("c").close();
        again.rename("c", "b");
        assertThat(again.taken()).isZero();
    }

    @Test
    void lengtheningAFileTakesNoRoomUntilItIsWritten() throws IOException {
        disk.capacity(PAGE);
        DiskFile file = disk.create("a");
        file.resize(100 * PAGE);
        assertThat(disk.free()).isEqualTo(PAGE);
        write(file, 50 * PAGE, 1);
        assertThat(disk.free()).isZero();
    }

    @Test
    void holdsSyncs() throws Exception {
        DiskFile file = disk.create("a");
        disk.holdSyncs();
        CompletableFuture<Void> synced = CompletableFuture.runAsync(() -> {
            try {
                file.sync();
            } catch (IOException broken) {
                throw new IllegalStateException(broken);
            }
        });
        disk.awaitHeldSync();
        write(file, 0, 1);
        assertThat(synced).isNotDone();
        assertThat(below.operations()).noneMatch(DiskOperation.SyncFile.class::isInstance);
        disk.letSyncs();
        synced.get(30, TimeUnit.SECONDS);
        assertThat(below.operations()).anyMatch(DiskOperation.SyncFile.class::isInstance);
    }

    @Test
    void delaysSyncs() throws IOException {
        DiskFile file = disk.create("a");
        disk.delaySyncs(Duration.ofMillis(20));
        long begun = System.nanoTime();
        file.sync();
        assertThat(Duration.ofNanos(System.nanoTime() - begun)).isGreaterThanOrEqualTo(Duration.ofMillis(20));
    }

    @Test
    void flipsBits() throws IOException {
        DiskFile file = disk.create("a");
        file.write(ByteBuffer.wrap(new byte[] {1, 2, 3}), 0);
        disk.flip("a", 1, 0x80);
        ByteBuffer read = ByteBuffer.allocate(3);
        file.read(read, 0);
        assertThat(read.array()).containsExactly(1, 2 - 128, 3);
        assertThatThrownBy(() -> disk.flip("a", 3, 1)).isInstanceOf(IllegalArgumentException.class);
    }

    private static void write(DiskFile file, long at, int length) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(length);
        assertThat(file.write(bytes, at)).isEqualTo(length);
    }

    private static void fails(ThrowingCallable call) {
        assertThatThrownBy(call).isInstanceOf(IOException.class).hasMessage("Input/output error");
    }
}
