package org.entrepot.testkit.storage.disk;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import org.entrepot.spi.storage.DiskFile;
import org.junit.jupiter.api.Test;

/** A lying disk does what another does, but for syncs of one kind. */
class LyingDiskTest {
    private final RecordingDisk below = new RecordingDisk();

    private List<String> done(LyingDisk.About lie) throws IOException {
        LyingDisk disk = new LyingDisk(below, lie);
        try (DiskFile file = disk.create("a")) {
            file.write(ByteBuffer.wrap(new byte[3]), 0);
            file.sync();
        }
        try (DiskFile file = disk.open("a")) {
            file.resize(2);
            file.sync();
            assertThat(file.size()).isEqualTo(2);
            assertThat(file.read(ByteBuffer.allocate(5), 0)).isEqualTo(2);
        }
        disk.rename("a", "b");
        disk.sync();
        assertThat(disk.list()).containsExactly("b");
        disk.delete("b");
        return below.operations().stream().map(DiskOperation::toString).toList();
    }

    @Test
    void syncsOfFilesAreLeftOut() throws IOException {
        assertThat(done(LyingDisk.About.FILES))
                .containsExactly(
                        "create a as file 1",
                        "write 3 bytes at 0 of file 1",
                        "resize file 1 to 2",
                        "rename a to b",
                        "sync the directory",
                        "delete b");
        assertThat(below.openFiles()).isZero();
    }

    @Test
    void syncsOfTheDirectoryAreLeftOut() throws IOException {
        assertThat(done(LyingDisk.About.DIRECTORY))
                .containsExactly(
                        "create a as file 1",
                        "write 3 bytes at 0 of file 1",
                        "sync file 1",
                        "resize file 1 to 2",
                        "sync file 1",
                        "rename a to b",
                        "delete b");
    }
}
