package org.entrepot.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.entrepot.core.plugin.LoadedPlugin;
import org.entrepot.core.plugin.PluginInfo;
import org.entrepot.core.plugin.Plugins;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

/** What {@code docs/plugins.md} tells authors of plugins to do, done. */
@Timeout(120)
class PluginsPageTest {
    /** A file of the page: its name on a line of its own, then its content between fences. */
    private static final Pattern FILE = Pattern.compile("(?ms)^`([^`\n]+)`\n\n```\\w*\n(.*?)^```$");

    private static final long PACKING_SECONDS_MAX = 60;

    @TempDir
    static Path project;

    @BeforeAll
    static void buildTheProject() throws IOException {
        Matcher file =
                FILE.matcher(Files.readString(repository().resolve("docs").resolve("plugins.md")));
        while (file.find()) {
            Path target = project.resolve(file.group(1));
            Files.createDirectories(target.getParent());
            Files.writeString(target, file.group(2));
        }
        Path classes = Files.createDirectories(project.resolve("target/classes"));
        compile("src/main/java", classes, System.getProperty("java.class.path"));
        copy(project.resolve("src/main/resources"), classes);
        compile(
                "src/test/java",
                Files.createDirectories(project.resolve("target/test-classes")),
                classes + File.pathSeparator + System.getProperty("java.class.path"));
    }

    @Test
    void theTestOfThePagePasses() throws Exception {
        URL[] folders = {url("target/classes"), url("target/test-classes")};
        try (URLClassLoader loader = new URLClassLoader(folders, getClass().getClassLoader())) {
            SummaryGeneratingListener listener = new SummaryGeneratingListener();

            LauncherFactory.create()
                    .execute(
                            LauncherDiscoveryRequestBuilder.request()
                                    .selectors(selectClass(loader.loadClass("com.example.echo.EchoTest")))
                                    .build(),
                            listener);

            TestExecutionSummary summary = listener.getSummary();
            StringWriter failures = new StringWriter();
            summary.printFailuresTo(new PrintWriter(failures));
            assertThat(summary.getTotalFailureCount()).as(failures.toString()).isZero();
            assertThat(summary.getTestsSucceededCount()).isPositive();
        }
    }

    @Test
    void thePackedPluginIsFoundAndServesInItsOwnClassLoader() throws Exception {
        pack();
        Path folder = Files.createDirectory(project.resolve("plugins"));
        Files.copy(project.resolve("target/echo-1.0.0.zip"), folder.resolve("echo-1.0.0.zip"));

        try (Plugins plugins = Plugins.open(folder, project.resolve("unpacked"), Set.of())) {
            plugins.requireSound();
            assertThat(plugins.infos()).extracting(PluginInfo::id).containsExactly("echo");
            LoadedPlugin echo = plugins.loaded().get(0);
            try (EmbeddedBroker broker =
                    EmbeddedBroker.with(echo.info().id(), echo.plugin()).start()) {
                assertThat(answer(broker.port("echo"), "ECHO guest guest\n")).isEqualTo("READY");
            }
        }
    }

    private static String answer(int port, String line) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setSoTimeout(20_000);
            socket.getOutputStream().write(line.getBytes(StandardCharsets.UTF_8));
            return new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8))
                    .readLine();
        }
    }

    private static void pack() throws IOException, InterruptedException {
        Path output = project.resolve("pack.out");
        ProcessBuilder builder = new ProcessBuilder("sh", "pack.sh")
                .directory(project.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile());
        builder.environment()
                .merge(
                        "PATH",
                        Path.of(System.getProperty("java.home"), "bin").toString(),
                        (path, jdk) -> jdk + File.pathSeparator + path);
        Process packing = builder.start();
        try {
            assertThat(packing.waitFor(PACKING_SECONDS_MAX, TimeUnit.SECONDS)).isTrue();
            assertThat(packing.exitValue()).as(Files.readString(output)).isZero();
        } finally {
            packing.destroyForcibly();
        }
    }

    private static void compile(String folder, Path target, String classPath) throws IOException {
        List<Path> sources;
        try (Stream<Path> files = Files.walk(project.resolve(folder))) {
            sources = files.filter(file -> file.toString().endsWith(".java")).toList();
        }
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StringWriter messages = new StringWriter();
        List<String> options = List.of(
                "--release",
                "17",
                "-proc:none",
                "-Xlint:all,-serial,-classfile,-options,-path",
                "-Werror",
                "-classpath",
                classPath,
                "-d",
                target.toString());
        try (StandardJavaFileManager manager = compiler.getStandardFileManager(null, null, StandardCharsets.UTF_8)) {
            boolean compiled = compiler.getTask(
                            messages, manager, null, options, null, manager.getJavaFileObjectsFromPaths(sources))
                    .call();
            assertThat(compiled).as(messages.toString()).isTrue();
        }
    }

    private static void copy(Path from, Path to) throws IOException {
        List<Path> all;
        try (Stream<Path> tree = Files.walk(from)) {
            all = tree.toList();
        }
        for (Path one : all) {
            Path target = to.resolve(from.relativize(one).toString());
            if (Files.isDirectory(one)) {
                Files.createDirectories(target);
            } else {
                Files.copy(one, target);
            }
        }
    }

    private static URL url(String folder) throws IOException {
        return project.resolve(folder).toUri().toURL();
    }

    /** The module's folder is below the repository's. */
    private static Path repository() {
        return Path.of(System.getProperty("basedir", ""))
                .toAbsolutePath()
                .normalize()
                .getParent();
    }
}
