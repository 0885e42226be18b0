package org.entrepot.testkit.storage.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.entrepot.spi.storage.DiskFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A disk in memory behaves as one does. */
class RecordingDiskTest {
    private final RecordingDisk disk = new RecordingDisk();

    @Test
    void readsWhatWasWrittenAsAFileWould() throws IOException {
        SplittableRandom random = new SplittableRandom(7);
        byte[] model = new byte[100_000];
        int size = 0;
        try (DiskFile file = disk.create("a")) {
            for (int step = 0; step < 3_000; step++) {
                int at = random.nextInt(80_000);
                int length = 1 + random.nextInt(20_000);
                switch (random.nextInt(8)) {
                    case 0 -> {
                        if (at < size) {
                            Arrays.fill(model, at, size, (byte) 0);
                        }
                        size = at;
                        file.resize(at);
                    }
                    case 1, 2, 3 -> {
                        byte[] bytes = new byte[length];
                        random.nextBytes(bytes);
                        System.arraycopy(bytes, 0, model, at, length);
                        size = Math.max(size, at + length);
                        assertThat(file.write(ByteBuffer.wrap(bytes), at)).isEqualTo(length);
                    }
                    default -> {
                        ByteBuffer target = ByteBuffer.allocate(length);
                        int read = file.read(target, at);
                        assertThat(read).isEqualTo(at >= size ? -1 : Math.min(length, size - at));
                        if (read > 0) {
                            assertThat(Arrays.copyOf(target.array(), read))
                                    .isEqualTo(Arrays.copyOfRange(model, at, at + read));
                        }
                    }
                }
                assertThat(file.size()).isEqualTo(size);
            }
        }
    }

    @Test
    void theHashIsEqualWhereNamesSizesAndBytesAre() throws IOException {
        RecordingDisk other = new RecordingDisk();
        try (DiskFile file = disk.create("a");
                DiskFile otherFile = other.create("b")) {
            file.write(ByteBuffer.wrap(new byte[5_000]), 0);
            otherFile.resize(5_000);
            assertThat(other.contentHash()).isNotEqualTo(disk.contentHash());
            other.rename("b", "a");
            assertThat(other.contentHash()).isEqualTo(disk.contentHash());

            file.write(ByteBuffer.wrap(new byte[] {1}), 4_999);
            assertThat(other.contentHash()).isNotEqualTo(disk.contentHash());
            otherFile.write(ByteBuffer.wrap(new byte[] {1}), 4_999);
            assertThat(other.contentHash()).isEqualTo(disk.contentHash());

            otherFile.resize(5_001);
            assertThat(other.contentHash()).isNotEqualTo(disk.contentHash());
            otherFile.resize(5_000);
            other.create("c").close();
            assertThat(other.contentHash()).isNotEqualTo(disk.contentHash());
        }
    }

    @Test
    void remembersWhatWasDone() throws IOException {
        try (DiskFile file = disk.create("a")) {
            file.write(ByteBuffer.wrap(new byte[3]), 5);
            file.sync();
            disk.rename("a", "b");
            disk.sync();
            file.resize(2);
            disk.delete("b");
            disk.delete("never there");
        }
        assertThat(disk.operations())
                .extracting(DiskOperation::toString)
                .containsExactly(
                        "create a as file 1",
                        "write 3 bytes at 5 of file 1",
                        "sync file 1",
                        "rename a to b",
                        "sync the directory",
                        "resize file 1 to 2",
                        "delete b");
        assertThat(disk.openFiles()).isZero();
    }

    @Test
    void refusesWhatFilesRefuse() throws IOException {
        DiskFile file = disk.create("a");
        file.close();
        assertThatThrownBy(() -> disk.create("a")).isInstanceOf(FileAlreadyExistsException.class);
        assertThatThrownBy(() -> disk.open("b")).isInstanceOf(NoSuchFileException.class);
        assertThatThrownBy(() -> disk.rename("b", "c")).isInstanceOf(NoSuchFileException.class);
        assertThatThrownBy(() -> disk.create("../a")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(file::sync).isInstanceOf(ClosedChannelException.class);
    }

    @Test
    void closesAFileUnderAnInterruptedThreadAsJavaDoes() throws IOException {
        DiskFile file = disk.create("a");
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> file.write(ByteBuffer.wrap(new byte[1]), 0))
                .isInstanceOf(ClosedByInterruptException.class);
        assertThat(Thread.interrupted()).isTrue();
        assertThatThrownBy(file::size).isInstanceOf(ClosedChannelException.class);
    }

    @Test
    void canBeWrittenToADirectory(@TempDir Path directory) throws IOException {
        try (DiskFile file = disk.create("a")) {
            file.write(ByteBuffer.wrap(new byte[] {1, 2}), 1);
        }
        disk.copyTo(directory.resolve("image"));
        assertThat(Files.readAllBytes(directory.resolve("image").resolve("a"))).containsExactly(0, 1, 2);
    }
}
