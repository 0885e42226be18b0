package org.entrepot.distribution;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.ToolProvider;
import org.entrepot.distribution.ProductProcess.Ended;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Runs the programs that the README shows, as they stand there but for the port. */
@Timeout(120)
class ReadmeIT {
    @TempDir
    Path directory;

    private ProductProcess broker;
    private int port;

    @BeforeEach
    void startBroker() throws InterruptedException {
        broker = ProductProcess.start(
                "start",
                "--data",
                directory.resolve("data").toString(),
                "--set",
                "listener.amqp.port=0",
                "--set",
                "listener.address=localhost");
        port = ProductProcess.amqpPort(broker.awaitReady());
    }

    @AfterEach
    void stopBroker() {
        broker.close();
    }

    @Test
    void thePythonProgramPrintsWhatItPublished() throws Exception {
        String program = block("python")
                .replace("ConnectionParameters(\"localhost\")", "ConnectionParameters(\"localhost\", " + port + ")");
        assertThat(program).contains(Integer.toString(port));
        Path file = Files.writeString(directory.resolve("hello.py"), program);

        Ended ended = run(python(), file.toString());

        assertThat(ended.err()).isEmpty();
        assertThat(ended.out()).isEqualTo("b'hello'\n");
    }

    @Test
    void theJavaProgramPrintsWhatItPublished() throws Exception {
        String program = block("java")
                .replace("setHost(\"localhost\");", "setHost(\"localhost\"); factory.setPort(" + port + ");");
        assertThat(program).contains(Integer.toString(port));
        Path file = Files.writeString(directory.resolve("Hello.java"), program);
        int compiled = ToolProvider.getSystemJavaCompiler()
                .run(
                        null,
                        null,
                        null,
                        "-proc:none",
                        "-d",
                        directory.toString(),
                        "-classpath",
                        System.getProperty("java.class.path"),
                        file.toString());
        assertThat(compiled).isZero();

        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        PrintStream before = System.out;
        System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
        try (URLClassLoader loader =
                new URLClassLoader(new URL[] {directory.toUri().toURL()}, ReadmeIT.class.getClassLoader())) {
            loader.loadClass("Hello").getMethod("main", String[].class).invoke(null, (Object) new String[0]);
        } finally {
            System.setOut(before);
        }

        assertThat(printed.toString(StandardCharsets.UTF_8)).isEqualTo("hello\n");
    }

    /** The README's one program in this language. */
    private static String block(String language) throws IOException {
        String readme = Files.readString(ProductProcess.home().resolve("README.md"));
        Matcher matcher =
                Pattern.compile("```" + language + "\n(.*?)```", Pattern.DOTALL).matcher(readme);
        assertThat(matcher.find()).as("a program in %s", language).isTrue();
        return matcher.group(1);
    }

    /** A Python that has pika. */
    private static String python() throws InterruptedException {
        for (String python : List.of("/usr/bin/python3", "/usr/local/bin/python3")) {
            if (Files.isExecutable(Path.of(python))
                    && run(python, "-c", "import pika").exitCode() == 0) {
                return python;
            }
        }
        return Assumptions.abort("no Python with pika is installed");
    }

    private static Ended run(String... command) throws InterruptedException {
        try (ProductProcess process = ProductProcess.startCommand(Map.of(), List.of(command))) {
            return process.end();
        }
    }
}
