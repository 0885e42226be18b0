package org.entrepot.distribution;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.entrepot.distribution.ProductProcess.Ended;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The packed product and what lies in its plugins folder. */
@Timeout(180)
class PluginsIT {
    @TempDir
    Path directory;

    private Path plugins;

    @BeforeEach
    void copyPlugins() throws IOException {
        plugins = Files.createDirectory(directory.resolve("plugins"));
        try (Stream<Path> zips = Files.list(ProductProcess.home().resolve("plugins"))) {
            for (Path zip : zips.toList()) {
                Files.copy(zip, plugins.resolve(zip.getFileName()));
            }
        }
    }

    @Test
    void theProductComesWithItsPlugins() throws Exception {
        Ended list = ProductProcess.run("plugins", "list", "--data", data());

        assertThat(list.exitCode()).isZero();
        assertThat(list.out().lines().toList()).hasSize(5);
        for (String id : List.of("amqp", "mqtt", "stomp", "storage-file")) {
            assertThat(list.out())
                    .containsPattern("\n" + id + " +\\d+\\.\\d+\\.\\d+ +loaded +>=\\S+ & <\\S+ +Entrepot +entrepot-"
                            + id + "-\\S+\\.zip\n");
        }
        assertThat(Path.of(data())).doesNotExist();
    }

    @Test
    void aRunningBrokerTellsOfItsOwnPlugins() throws Exception {
        try (ProductProcess broker = start("--set", "plugins.disabled=amqp,mqtt,stomp")) {
            assertThat(broker.awaitReady()).contains(": no listeners;");

            Ended json = ProductProcess.run("plugins", "list", "--json", "--data", data());

            assertThat(json.exitCode()).isZero();
            assertThat(json.out()).startsWith("[").contains("\"id\" : \"amqp\"", "\"state\" : \"disabled\"");
        }
    }

    @Test
    void keysOfADisabledPluginAreIgnoredWithAWarning() throws Exception {
        try (ProductProcess broker = start("--set", "plugins.disabled=amqp", "--set", "listener.amqp.port=nonsense")) {
            assertThat(broker.awaitLine("WARN")).contains("plugin amqp");
            broker.awaitReady();
        }
    }

    @Test
    void aBrokenZipStopsTheStartWithItsNameAndReason() throws Exception {
        Files.writeString(plugins.resolve("broken.zip"), "not a zip");

        Ended ended = startToEnd();

        assertThat(ended.exitCode()).isEqualTo(64);
        assertThat(ended.err())
                .isEqualTo(
                        "entrepot: plugin broken.zip: it cannot be unpacked: it is not a zip file, or not all of one\n");
        assertThat(list()).containsPattern("broken\\.zip +failed");
    }

    @Test
    void everyPluginThatFailsIsNamed() throws Exception {
        zip("a.zip", "plugin.properties", "plugin.id=a\nplugin.version=1.0.0\nplugin.requires=>=99.0.0\n");
        zip("b.zip", "../b.txt", "");

        Ended ended = startToEnd();

        assertThat(ended.exitCode()).isEqualTo(64);
        assertThat(ended.err())
                .contains("plugin a (a.zip): it was built for another SPI: it requires '>=99.0.0', this broker has ")
                .contains("plugin b.zip: it cannot be unpacked: '../b.txt' leads out of the plugin's folder");
        assertThat(directory.resolve("b.txt")).doesNotExist();
    }

    @Test
    void aFolderWithoutPluginsIsAllowed() throws Exception {
        try (Stream<Path> zips = Files.list(plugins)) {
            for (Path zip : zips.toList()) {
                Files.delete(zip);
            }
        }
        String start = ProductProcess.home().resolve("bin/entrepot").toString();
        try (ProductProcess broker = ProductProcess.startPlain(
                start,
                "start",
                "--data",
                data(),
                "--set",
                "plugins.directory=" + plugins,
                "--set",
                "storage.engine=memory")) {
            assertThat(broker.awaitReady()).contains(": no listeners;");
        }
        assertThat(list()).isEqualTo("no plugins\n");
    }

    private ProductProcess start(String... options) {
        List<String> arguments =
                new ArrayList<>(List.of("start", "--data", data(), "--set", "plugins.directory=" + plugins));
        arguments.addAll(List.of(options));
        return ProductProcess.start(arguments.toArray(String[]::new));
    }

    private Ended startToEnd() throws InterruptedException {
        try (ProductProcess broker = start()) {
            return broker.end();
        }
    }

    private String list() throws InterruptedException {
        return ProductProcess.run("plugins", "list", "--data", data(), "--set", "plugins.directory=" + plugins)
                .out();
    }

    private void zip(String file, String entry, String text) throws IOException {
        try (ZipOutputStream out = new ZipOutputStream(Files.newOutputStream(plugins.resolve(file)))) {
            out.putNextEntry(new ZipEntry(entry));
            out.write(text.getBytes(StandardCharsets.UTF_8));
        }
    }

    private String data() {
        return directory.resolve("data").toString();
    }
}
