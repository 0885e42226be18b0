package org.entrepot.core.plugin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.channel.ChannelInboundHandlerAdapter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.entrepot.core.loop.Loop;
import org.entrepot.core.plugin.PluginInfo.State;
import org.entrepot.spi.BrokerPlugin;
import org.entrepot.spi.ConfigurationKey;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;

class PluginsTest {
    private static final String SPI_VERSION = "1.4.2";

    @TempDir
    Path home;

    private Path folder;
    private Path unpacked;
    private Plugins plugins;

    @BeforeEach
    void makeFolder() throws IOException {
        folder = Files.createDirectory(home.resolve("plugins"));
        unpacked = home.resolve("unpacked");
    }

    @AfterEach
    void close() throws IOException {
        if (plugins != null) {
            plugins.close();
        }
    }

    @Test
    void aZipDroppedIntoTheFolderIsLoaded() throws Exception {
        PluginZip.empty("echo")
                .plugin(
                        "com.example.Echo",
                        "public java.util.List<org.entrepot.spi.ConfigurationKey> configuration() { return"
                                + " java.util.List.of(org.entrepot.spi.ConfigurationKey.flag(\"echo.loud\", true,"
                                + " \"\")); }")
                .write(folder, "echo-1.0.0.zip");

        open();

        plugins.requireSound();
        assertThat(plugins.infos())
                .containsExactly(new PluginInfo(
                        "echo", "1.0.0", ">=1.0.0 & <2.0.0", "Example", "echo-1.0.0.zip", State.LOADED, ""));
        LoadedPlugin loaded = plugins.loaded().get(0);
        assertThat(loaded.plugin().configuration())
                .extracting(ConfigurationKey::name)
                .containsExactly("echo.loud");
        assertThat(loaded.plugin().getClass().getClassLoader().getName()).isEqualTo("plugin-echo");
    }

    @Test
    void aFolderIsLoadedAsItLiesThere() throws Exception {
        PluginZip.of("echo").writeUnpacked(folder, "echo");

        open();

        plugins.requireSound();
        assertThat(plugins.loaded()).hasSize(1);
        assertThat(unpacked).doesNotExist();
    }

    @Test
    void aFolderThatIsNotThereHasNoPlugins() throws Exception {
        plugins = Plugins.open(home.resolve("none"), unpacked, Set.of(), SPI_VERSION);

        plugins.requireSound();
        assertThat(plugins.infos()).isEmpty();
    }

    @Test
    void hiddenFilesAndFilesThatAreNoZipsArePassedOver() throws Exception {
        Files.writeString(folder.resolve(".gitkeep"), "");
        Files.writeString(folder.resolve("README.txt"), "Put plugins here.");

        open();

        assertThat(plugins.infos()).isEmpty();
    }

    @Test
    void aZipIsUnpackedOnceAndAgainWhenItChanges() throws Exception {
        PluginZip.of("echo").write(folder, "echo.zip");
        open();
        Path first = onlyFolderIn(unpacked);
        Object key = Files.readAttributes(first, java.nio.file.attribute.BasicFileAttributes.class)
                .fileKey();

        reopen();
        assertThat(Files.readAttributes(onlyFolderIn(unpacked), java.nio.file.attribute.BasicFileAttributes.class)
                        .fileKey())
                .isEqualTo(key);

        PluginZip.of("echo").describe("plugin.version", "1.0.1").write(folder, "echo.zip");
        reopen();
        assertThat(plugins.loaded().get(0).info().version()).isEqualTo("1.0.1");
        plugins.removeLeftovers();
        assertThat(onlyFolderIn(unpacked)).isNotEqualTo(first);
    }

    @Test
    void whatAnInterruptedStartLeftIsRemoved() throws Exception {
        Files.createDirectories(unpacked.resolve(".staging-123/lib"));
        Files.writeString(unpacked.resolve(".staging-123/lib/half.jar"), "PK");
        PluginZip.of("echo").write(folder, "echo.zip");

        open();
        plugins.removeLeftovers();

        assertThat(onlyFolderIn(unpacked).getFileName().toString()).startsWith("echo-");
    }

    @Test
    void aZipThatClimbsOutOfItsFolderIsRefused() throws Exception {
        Files.write(folder.resolve("evil.zip"), ZipBytes.of("../../evil.txt", "evil"));

        open();

        assertFailed("evil.zip", "it cannot be unpacked: '../../evil.txt' leads out of the plugin's folder");
        try (Stream<Path> all = Files.walk(home)) {
            assertThat(all).noneMatch(path -> path.endsWith("evil.txt"));
        }
        assertThat(unpacked).isEmptyDirectory();
    }

    @Test
    void aFileThatIsNoZipIsRefused() throws Exception {
        Files.writeString(folder.resolve("broken.zip"), "not a zip");

        open();

        assertFailed("broken.zip", "it cannot be unpacked: it is not a zip file, or not all of one");
    }

    @Test
    void aJarIsRefused() throws Exception {
        Files.write(folder.resolve("echo.jar"), ZipBytes.of("a", "b"));

        open();

        assertFailed("echo.jar", "a jar is not a plugin: a plugin is a zip with plugin.properties and lib/");
    }

    @Test
    void aZipWithoutDescriptorIsRefused() throws Exception {
        Files.write(folder.resolve("bare.zip"), ZipBytes.of("lib/a.jar", ""));

        open();

        assertFailed("bare.zip", "it has no plugin.properties at its root");
    }

    @Test
    void aManifestDescribesAPluginAsWell() throws Exception {
        Path plugin = PluginZip.of("echo").writeUnpacked(folder, "echo");
        Files.delete(plugin.resolve("plugin.properties"));
        Files.createDirectory(plugin.resolve("META-INF"));
        Files.writeString(
                plugin.resolve("META-INF/MANIFEST.MF"),
                "Manifest-Version: 1.0\nPlugin-Id: echo\nPlugin-Version: 2.0.0\nPlugin-Requires: ^1.0.0\n");

        open();

        plugins.requireSound();
        assertThat(plugins.loaded().get(0).info().version()).isEqualTo("2.0.0");
    }

    @Test
    void aPluginWithoutAUsableIdOrVersionIsRefused() throws Exception {
        PluginZip.of("../echo").write(folder, "a.zip");
        PluginZip.of("echo").describe("plugin.version", "latest").write(folder, "b.zip");

        open();

        assertThat(plugins.infos())
                .extracting(PluginInfo::reason)
                .containsExactly(
                        "plugin.id '../echo' is not made of lower-case letters, digits and hyphens",
                        "plugin.version 'latest' is not a version such as 1.2.3");
    }

    @Test
    void aPluginBuiltForAnotherSpiIsRefused() throws Exception {
        PluginZip.of("newer").describe("plugin.requires", ">=2.0.0").write(folder, "a.zip");
        PluginZip.of("older").describe("plugin.requires", "0.9.0").write(folder, "b.zip");
        PluginZip.of("later").describe("plugin.requires", "1.5.0").write(folder, "c.zip");
        PluginZip.of("silent").describe("plugin.requires", "").write(folder, "d.zip");
        PluginZip.of("any").describe("plugin.requires", "*").write(folder, "e.zip");
        PluginZip.of("odd").describe("plugin.requires", "the newest").write(folder, "f.zip");
        PluginZip.of("good").describe("plugin.requires", "1.3.0").write(folder, "g.zip");

        open();

        assertThat(plugins.infos())
                .extracting(PluginInfo::reason)
                .containsExactly(
                        "it was built for another SPI: it requires '>=2.0.0', this broker has 1.4.2",
                        "it was built for another SPI: it requires '0.9.0', this broker has 1.4.2",
                        "it was built for another SPI: it requires '1.5.0', this broker has 1.4.2",
                        "it does not say in plugin.requires which versions of the SPI it works with; this broker has"
                                + " 1.4.2",
                        "it does not say in plugin.requires which versions of the SPI it works with; this broker has"
                                + " 1.4.2",
                        "plugin.requires 'the newest' is not a range of versions such as '>=1.2.0 & <2.0.0'",
                        "");
    }

    @Test
    void theSpiAboardHasAVersionThatACheckMeansSomethingWith() {
        assertThat(SpiVersion.aboard()).matches("\\d+\\.\\d+\\.\\d+").isNotEqualTo("0.0.0");
    }

    @Test
    void anIdThatTwoHaveIsRefused() throws Exception {
        PluginZip.of("echo").write(folder, "echo-1.zip");
        PluginZip.of("echo").write(folder, "echo-2.zip");

        open();

        assertThat(plugins.infos()).extracting(PluginInfo::state).containsExactly(State.LOADED, State.FAILED);
        assertThatThrownBy(plugins::requireSound)
                .isInstanceOf(PluginException.class)
                .hasMessage("plugin echo (echo-2.zip): its id 'echo' is also that of echo-1.zip; keep one of them");
    }

    @Test
    void aPluginNamesExactlyOneClass() throws Exception {
        PluginZip.empty("none").write(folder, "a.zip");
        PluginZip.of("two").plugin("com.example.Second", "").write(folder, "b.zip");

        open();

        assertThat(plugins.infos())
                .extracting(PluginInfo::reason)
                .containsExactly(
                        "META-INF/services/org.entrepot.spi.BrokerPlugin names no class; it must name one",
                        "META-INF/services/org.entrepot.spi.BrokerPlugin names 2 classes; it must name one");
    }

    @Test
    void aPluginThatLacksAClassIsRefusedWithItsName() throws Exception {
        PluginZip.empty("lacking")
                .plugin("com.example.Plugin", "private final Object part = new com.example.Part();")
                .source("com.example.Part", "public class %s { %s }", "")
                .leaveOut("com.example.Part")
                .write(folder, "lacking.zip");

        open();

        assertFailed("lacking", "class com.example.Part is neither in the plugin nor among what the broker offers");
    }

    @Test
    void aPluginWhoseConstructorFailsIsRefusedWithWhatItSays() throws Exception {
        PluginZip.empty("failing")
                .plugin("com.example.Plugin", "public Plugin() { throw new IllegalStateException(\"no moon\"); }")
                .write(folder, "failing.zip");

        open();

        assertFailed("failing", "no moon");
    }

    @Test
    void aPluginDoesNotSeeTheBrokerBehindTheSpi() throws Exception {
        PluginZip.empty("curious")
                .plugin("com.example.Plugin", "private final Object loop = org.entrepot.core.loop.Loop.Phase.FLUSH;")
                .write(folder, "curious.zip");
        PluginZip.of("modest").write(folder, "modest.zip");

        open();

        assertThat(plugins.infos().get(0).reason())
                .isEqualTo("class org.entrepot.core.loop.Loop$Phase is neither in the plugin nor among what the broker"
                        + " offers");
        ClassLoader modest = loaderOf(plugins.loaded().get(0));
        for (String hidden : List.of(
                Loop.class.getName(), "org.pf4j.Plugin", "ch.qos.logback.classic.Logger", "picocli.CommandLine")) {
            assertThatThrownBy(() -> modest.loadClass(hidden)).isInstanceOf(ClassNotFoundException.class);
        }
        assertThat(modest.getResource("logback-test.xml")).isNull();
        assertThat(modest.getResource("org/pf4j/Plugin.class")).isNull();
    }

    @Test
    void aPluginsOwnCopiesOfSharedClassesArePassedOver() throws Exception {
        PluginZip.of("packrat")
                .copyOf(BrokerPlugin.class)
                .copyOf(ConfigurationKey.class)
                .copyOf(Logger.class)
                .copyOf(ChannelInboundHandlerAdapter.class)
                .write(folder, "packrat.zip");

        open();

        plugins.requireSound();
        ClassLoader loader = loaderOf(plugins.loaded().get(0));
        for (Class<?> shared :
                List.of(BrokerPlugin.class, ConfigurationKey.class, Logger.class, ChannelInboundHandlerAdapter.class)) {
            assertThat(loader.loadClass(shared.getName())).isSameAs(shared);
        }
    }

    @Test
    void aPluginCannotAddToTheSpi() throws Exception {
        PluginZip.of("intruder")
                .source("org.entrepot.spi.Extra", "public class %s { %s }", "")
                .write(folder, "intruder.zip");

        open();

        assertThatThrownBy(() -> loaderOf(plugins.loaded().get(0)).loadClass("org.entrepot.spi.Extra"))
                .isInstanceOf(ClassNotFoundException.class);
    }

    @Test
    void aPluginBringsPartsOfNettyThatTheBrokerDoesNotHave() throws Exception {
        PluginZip.empty("codec")
                .plugin("com.example.Plugin", "private final Object codec = new io.netty.handler.codec.own.OwnCodec();")
                .source(
                        "io.netty.handler.codec.own.OwnCodec",
                        "public class %s extends io.netty.channel.ChannelInboundHandlerAdapter { %s }",
                        "")
                .write(folder, "codec.zip");

        open();

        plugins.requireSound();
        Class<?> codec = loaderOf(plugins.loaded().get(0)).loadClass("io.netty.handler.codec.own.OwnCodec");
        assertThat(codec.getSuperclass()).isSameAs(ChannelInboundHandlerAdapter.class);
        assertThat(codec.getClassLoader()).isSameAs(loaderOf(plugins.loaded().get(0)));
    }

    @Test
    void aPluginsOwnLibrariesComeBeforeTheBrokers() throws Exception {
        PluginZip.of("own")
                .source("com.google.re2j.Pattern", "public class %s { %s }", "public int mine;")
                .write(folder, "own.zip");

        open();

        ClassLoader loader = loaderOf(plugins.loaded().get(0));
        assertThat(loader.loadClass("com.google.re2j.Pattern")
                        .getDeclaredFields()[0]
                        .getName())
                .isEqualTo("mine");
    }

    @Test
    void twoPluginsDoNotSeeEachOther() throws Exception {
        PluginZip.empty("one").plugin("com.one.Plugin", "").write(folder, "one.zip");
        PluginZip.empty("two").plugin("com.two.Plugin", "").write(folder, "two.zip");

        open();

        assertThatThrownBy(() -> loaderOf(plugins.loaded().get(1)).loadClass("com.one.Plugin"))
                .isInstanceOf(ClassNotFoundException.class);
    }

    @Test
    void aPluginSeesThePluginsItDependsOnAndComesAfterThem() throws Exception {
        PluginZip.empty("above")
                .plugin("com.above.Plugin", "")
                .describe("plugin.dependencies", "below@>=1.0.0")
                .write(folder, "a.zip");
        PluginZip.empty("below").plugin("com.below.Plugin", "").write(folder, "b.zip");

        open();

        plugins.requireSound();
        assertThat(plugins.loaded()).extracting(one -> one.info().id()).containsExactly("below", "above");
        assertThat(loaderOf(plugins.loaded().get(1)).loadClass("com.below.Plugin"))
                .isSameAs(plugins.loaded().get(0).plugin().getClass());
    }

    @Test
    void aPluginWhoseDependencyIsMissingTooOldOrBrokenIsRefused() throws Exception {
        PluginZip.of("a").describe("plugin.dependencies", "nothing").write(folder, "a.zip");
        PluginZip.of("b").describe("plugin.dependencies", "d@>=2.0.0").write(folder, "b.zip");
        PluginZip.of("c").describe("plugin.dependencies", "a").write(folder, "c.zip");
        PluginZip.of("d").describe("plugin.dependencies", "nothing?").write(folder, "d.zip");

        open();

        assertThat(plugins.infos())
                .extracting(PluginInfo::reason)
                .containsExactly(
                        "it needs the plugin 'nothing', which is not there",
                        "it needs the plugin 'd' in version '>=2.0.0', there is 1.0.0",
                        "it needs the plugin 'a', which failed",
                        "");
    }

    @Test
    void pluginsThatDependOnEachOtherInACircleAreRefused() throws Exception {
        PluginZip.of("a").describe("plugin.dependencies", "b").write(folder, "a.zip");
        PluginZip.of("b").describe("plugin.dependencies", "a").write(folder, "b.zip");

        open();

        assertThat(plugins.infos()).extracting(PluginInfo::state).containsOnly(State.FAILED);
        assertThat(plugins.infos()).extracting(PluginInfo::reason).containsOnly("Cyclic dependencies");
    }

    @Test
    void aDisabledPluginIsNotTouchedEvenIfItIsBroken() throws Exception {
        PluginZip.empty("off")
                .plugin("com.example.Plugin", "public Plugin() { throw new IllegalStateException(); }")
                .write(folder, "off.zip");
        PluginZip.of("needy").describe("plugin.dependencies", "off").write(folder, "needy.zip");

        plugins = Plugins.open(folder, unpacked, Set.of("off"), SPI_VERSION);

        assertThat(plugins.infos())
                .extracting(PluginInfo::id, PluginInfo::state, PluginInfo::reason)
                .containsExactly(
                        org.assertj.core.groups.Tuple.tuple(
                                "needy", State.FAILED, "it needs the plugin 'off', which is disabled"),
                        org.assertj.core.groups.Tuple.tuple("off", State.DISABLED, ""));
        assertThat(plugins.loaded()).isEmpty();
    }

    private void open() throws IOException {
        plugins = Plugins.open(folder, unpacked, Set.of(), SPI_VERSION);
    }

    private void reopen() throws IOException {
        plugins.close();
        open();
    }

    private void assertFailed(String id, String reason) {
        assertThat(plugins.loaded()).isEmpty();
        assertThat(plugins.infos()).hasSize(1);
        PluginInfo info = plugins.infos().get(0);
        assertThat(info.state()).isEqualTo(State.FAILED);
        assertThat(info.id()).isEqualTo(id);
        assertThat(info.reason()).isEqualTo(reason);
    }

    private static ClassLoader loaderOf(LoadedPlugin loaded) {
        return loaded.plugin().getClass().getClassLoader();
    }

    private static Path onlyFolderIn(Path folder) throws IOException {
        try (Stream<Path> all = Files.list(folder)) {
            List<Path> found = all.toList();
            assertThat(found).hasSize(1);
            return found.get(0);
        }
    }
}
