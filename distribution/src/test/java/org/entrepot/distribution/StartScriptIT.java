package org.entrepot.distribution;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.entrepot.distribution.ProductProcess.Ended;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The script that starts the product: where it may lie, which Java it takes, what it gives to it. */
@Timeout(180)
class StartScriptIT {
    @TempDir
    Path directory;

    @Test
    void theProductRunsWhereverItIsCopiedTo() throws Exception {
        Path home = copy(directory.resolve("a place with 'quotes' & spaces"));
        Path data = directory.resolve("data");
        String[] start = {
            "start", "--data", data.toString(), "--set", "listener.amqp.port=0", "--set", "node.name=two words"
        };
        try (ProductProcess broker = ProductProcess.start(home, Map.of(), start)) {
            broker.awaitReady();
            broker.terminate();
            assertThat(broker.end().exitCode()).isZero();
        }

        // The first run leaves the archive of classes that the second one starts with.
        assertThat(list(home.resolve("lib/cache"))).hasSize(1).allMatch(file -> file.endsWith(".jsa"));
        try (ProductProcess broker = ProductProcess.start(home, Map.of(), start)) {
            broker.awaitReady();
            broker.terminate();
            Ended ended = broker.end();
            assertThat(ended.exitCode()).isZero();
            assertThat(ended.err()).isEmpty();
        }
        assertThat(list(home.resolve("lib/cache"))).hasSize(1);
    }

    @Test
    void theProductRunsFromAFolderThatItMayNotWrite() throws Exception {
        Path home = copy(directory.resolve("read-only"));
        Files.writeString(home.resolve("lib/cache"), "in the way of the folder for the archive of classes");

        try (ProductProcess version = ProductProcess.start(home, Map.of(), "version")) {
            assertThat(version.end().out()).startsWith("Entrepot ");
        }
    }

    @Test
    void theScriptIsFoundThroughLinks() throws Exception {
        Path relative = directory.resolve("relative");
        Path absolute = directory.resolve("absolute");
        Files.createSymbolicLink(absolute, ProductProcess.home().resolve("bin/entrepot"));
        Files.createSymbolicLink(relative, Path.of("absolute"));

        try (ProductProcess version = ProductProcess.startCommand(Map.of(), List.of(relative.toString(), "version"))) {
            assertThat(version.end().out()).startsWith("Entrepot ");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"sh", "dash", "bash"})
    void everyUsualShellRunsTheScript(String shell) throws Exception {
        if (!Files.isExecutable(Path.of("/bin").resolve(shell))) {
            org.junit.jupiter.api.Assumptions.abort(shell + " is not installed");
        }
        List<String> command = List.of(
                "/bin/" + shell, ProductProcess.home().resolve("bin/entrepot").toString(), "version");

        try (ProductProcess version = ProductProcess.startCommand(Map.of(), command)) {
            assertThat(version.end().exitCode()).isZero();
        }
    }

    @Test
    void theProcessIsJavaItself() throws Exception {
        try (ProductProcess broker = ProductProcess.start(
                "start", "--data", directory.resolve("data").toString(), "--set", "listener.amqp.port=0")) {
            broker.awaitReady();

            assertThat(ProcessHandle.of(broker.pid()).orElseThrow().info().command())
                    .hasValueSatisfying(command -> assertThat(command).endsWith("/java"));
        }
    }

    @Test
    void optionsForJavaWinOverThoseOfTheScript() throws Exception {
        Map<String, String> environment = Map.of("ENTREPOT_JAVA_OPTS", "-Xmx128m -XX:+PrintFlagsFinal");
        try (ProductProcess broker = ProductProcess.start(
                ProductProcess.home(),
                environment,
                "start",
                "--data",
                directory.resolve("data").toString(),
                "--set",
                "listener.amqp.port=0")) {
            assertThat(broker.awaitLine(" MaxHeapSize ")).contains(" " + (128L << 20) + " ");
        }
    }

    @Test
    void aJavaThatIsNotThereIsTold() throws Exception {
        Path nowhere = directory.resolve("nowhere");

        Ended ended = version(nowhere);

        assertThat(ended.exitCode()).isEqualTo(64);
        assertThat(ended.err())
                .isEqualTo("entrepot: there is no Java at " + nowhere
                        + "/bin/java; set JAVA_HOME to a JDK or JRE of version 17 or later\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"11.0.2", "1.8.0_402"})
    void aJavaThatIsTooOldIsTold(String version) throws Exception {
        Path old = Files.createDirectories(directory.resolve("old/bin")).getParent();
        Files.writeString(old.resolve("release"), "IMPLEMENTOR=\"X\"\nJAVA_VERSION=\"" + version + "\"\n");
        Path java = Files.writeString(old.resolve("bin/java"), "#!/bin/sh\nexit 1\n");
        assertThat(java.toFile().setExecutable(true)).isTrue();

        Ended ended = version(old);

        assertThat(ended.exitCode()).isEqualTo(64);
        assertThat(ended.err())
                .isEqualTo(
                        "entrepot: Java " + version + " at " + java + " is too old; version 17 or later is needed\n");
    }

    @Test
    void theShippedConfigurationSetsNothing() throws Exception {
        Path conf = ProductProcess.home().resolve("conf/entrepot.conf");

        assertThat(Files.readAllLines(conf)).isNotEmpty().allMatch(line -> line.isBlank() || line.startsWith("#"));
    }

    private static Ended version(Path javaHome) throws InterruptedException {
        try (ProductProcess process =
                ProductProcess.start(ProductProcess.home(), Map.of("JAVA_HOME", javaHome.toString()), "version")) {
            return process.end();
        }
    }

    private static Path copy(Path target) throws IOException {
        try (Stream<Path> files = Files.walk(ProductProcess.home())) {
            for (Path file : files.toList()) {
                Path relative = ProductProcess.home().relativize(file);
                if (!relative.startsWith("lib/cache")) {
                    Files.copy(file, target.resolve(relative), StandardCopyOption.COPY_ATTRIBUTES);
                }
            }
        }
        return target;
    }

    private static List<String> list(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString()).toList();
        }
    }
}
