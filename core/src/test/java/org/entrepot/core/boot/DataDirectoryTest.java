package org.entrepot.core.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DataDirectoryTest {
    @TempDir
    Path home;

    @Test
    void theDirectoryIsMadeForItsOwner() throws Exception {
        Path path = home.resolve("a/b/data");
        try (DataDirectory data = DataDirectory.open(path)) {
            assertThat(data.path()).isEqualTo(path);
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(path)))
                    .isEqualTo("rwx------");
            assertThat(path.resolve("lock"))
                    .hasContent(Long.toString(ProcessHandle.current().pid()));
        }
    }

    @Test
    void aDirectoryInUseIsRefusedWithItsHolder() throws Exception {
        try (DataDirectory data = DataDirectory.open(home)) {
            assertThatThrownBy(() -> DataDirectory.open(data.path()))
                    .isInstanceOf(StartException.class)
                    .hasMessage("the data directory " + home + " is in use by another broker, process "
                            + ProcessHandle.current().pid())
                    .extracting(e -> ((StartException) e).exitCode())
                    .isEqualTo(ExitCode.UNAVAILABLE);
        }
    }

    @Test
    void aDirectoryGivenUpCanBeTakenAgain() throws Exception {
        DataDirectory.open(home).close();
        DataDirectory.open(home).close();
    }

    @Test
    void aDirectoryThatCannotBeMadeIsTheOperatorsMatter() throws IOException {
        Path file = Files.writeString(home.resolve("file"), "");

        assertThatThrownBy(() -> DataDirectory.open(file.resolve("data")))
                .isInstanceOf(StartException.class)
                .hasMessageContaining("cannot be made")
                .extracting(e -> ((StartException) e).exitCode())
                .isEqualTo(ExitCode.USAGE);
    }
}
