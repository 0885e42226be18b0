package org.entrepot.core.plugin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ZipUnpackerTest {
    @TempDir
    Path home;

    private Path target;

    @BeforeEach
    void makeTarget() throws IOException {
        target = Files.createDirectory(home.resolve("target"));
    }

    @Test
    void filesAndFoldersComeOutAsTheyWentIn() throws Exception {
        unpack(ZipUnpacker.DEFAULT, ZipBytes.of("plugin.properties", "a=b", "lib/", "", "lib/deep/x.jar", "jar"));

        assertThat(target.resolve("plugin.properties")).hasContent("a=b");
        assertThat(target.resolve("lib")).isDirectory();
        assertThat(target.resolve("lib/deep/x.jar")).hasContent("jar");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "../evil",
                "../target-sibling/evil",
                "lib/../../evil",
                "../target/../evil",
                "/evil",
                "..\\evil",
                "C:/evil",
                "C:evil",
                "bad\u0000name",
                "bad\nname"
            })
    void namesThatLeadElsewhereAreRefused(String name) throws Exception {
        assertRefused(ZipBytes.of(name, "evil"));
    }

    @Test
    void symbolicLinksAreRefused() throws Exception {
        byte[] zip = ZipBytes.withUnixKind(ZipBytes.of("lib/link.jar", "/etc/passwd"), 0xA000);

        assertThatThrownBy(() -> unpack(ZipUnpacker.DEFAULT, zip)).hasMessage("'lib/link.jar' is a symbolic link");
        assertThat(target).isEmptyDirectory();
    }

    @Test
    void devicesAndTheLikeAreRefused() throws Exception {
        byte[] zip = ZipBytes.withUnixKind(ZipBytes.of("pipe", ""), 0x1000);

        assertThatThrownBy(() -> unpack(ZipUnpacker.DEFAULT, zip)).hasMessage("'pipe' is neither a file nor a folder");
    }

    @Test
    void plainFilesMadeOnUnixAreTaken() throws Exception {
        unpack(ZipUnpacker.DEFAULT, ZipBytes.withUnixKind(ZipBytes.of("a", "b"), 0x8000));

        assertThat(target.resolve("a")).hasContent("b");
    }

    @Test
    void encryptedEntriesAreRefused() throws Exception {
        byte[] zip = ZipBytes.encrypted(ZipBytes.of("a", "b"));

        assertThatThrownBy(() -> unpack(ZipUnpacker.DEFAULT, zip)).hasMessage("'a' is encrypted");
    }

    @Test
    void aFileAndAFolderOfOneNameAreRefused() throws Exception {
        assertRefused(ZipBytes.of("lib", "a file", "lib/a.jar", "in a folder"));
    }

    @Test
    void tooManyEntriesAreRefused() throws Exception {
        byte[] zip = ZipBytes.of("1", "", "2", "", "3", "");

        assertThatThrownBy(() -> unpack(new ZipUnpacker(2, 1 << 20, 100), zip))
                .hasMessage("it has more than 2 entries");
        assertThat(target).isEmptyDirectory();
    }

    @Test
    void tooManyBytesAreRefusedWhateverTheZipSaysOfSizes() throws Exception {
        byte[] zip = ZipBytes.of("1", "x".repeat(600), "2", "x".repeat(600));

        assertThatThrownBy(() -> unpack(new ZipUnpacker(10, 1000, 100), zip))
                .hasMessage("it unpacks to more than 1000 bytes");
    }

    @Test
    void aBombIsRefusedLongBeforeItHasGoneOff() throws Exception {
        byte[] zip = ZipBytes.ofZeros("bomb", 64 << 20);

        assertThatThrownBy(() -> unpack(ZipUnpacker.DEFAULT, zip))
                .hasMessage("'bomb' unpacks to more than 200 times what it is packed");
        assertThat(Files.size(target.resolve("bomb"))).isLessThan(16 << 20);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "PK", "PK\u0005\u0006", "not a zip at all, but long enough to hold the end of a table"})
    void whatIsNoZipIsRefused(String text) {
        assertThatThrownBy(() -> unpack(ZipUnpacker.DEFAULT, text.getBytes(StandardCharsets.ISO_8859_1)))
                .isInstanceOf(IOException.class)
                .hasMessage("it is not a zip file, or not all of one");
    }

    @Test
    void halfAZipIsRefused() throws Exception {
        byte[] zip = ZipBytes.of("a", "b", "c", "d");

        assertRefused(Arrays.copyOf(zip, zip.length - 30));
        assertRefused(Arrays.copyOfRange(zip, 40, zip.length));
    }

    @Test
    void damagedZipsAreRefusedOrUnpackedAndNeverBreakAnythingElse() throws Exception {
        byte[] zip = ZipBytes.of("plugin.properties", "a=b", "lib/x.jar", "x".repeat(100));
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        for (int round = 0; round < 2_000; round++) {
            byte[] damaged = zip.clone();
            for (int i = random.nextInt(4); i >= 0; i--) {
                damaged[random.nextInt(damaged.length)] = (byte) random.nextInt(256);
            }
            Path folder = Files.createDirectory(target.resolve(Integer.toString(round)));
            Path file = Files.write(home.resolve("damaged.zip"), damaged);
            try {
                ZipUnpacker.DEFAULT.unpack(file, folder);
            } catch (IOException expected) {
                assertThat(expected.getMessage())
                        .as("seed %d round %d", seed, round)
                        .isNotBlank();
            }
        }
        try (Stream<Path> outside = Files.list(home)) {
            assertThat(outside.map(path -> path.getFileName().toString()))
                    .as("seed %d", seed)
                    .containsExactlyInAnyOrder("target", "damaged.zip");
        }
    }

    private void assertRefused(byte[] zip) throws IOException {
        assertThatThrownBy(() -> unpack(ZipUnpacker.DEFAULT, zip)).isInstanceOf(IOException.class);
        try (Stream<Path> outside = Files.list(home)) {
            assertThat(outside.map(path -> path.getFileName().toString())).containsExactlyInAnyOrder("target", "x.zip");
        }
        assertThat(Path.of("/evil")).doesNotExist();
    }

    private void unpack(ZipUnpacker unpacker, byte[] zip) throws IOException {
        unpacker.unpack(Files.write(home.resolve("x.zip"), zip), target);
    }
}
