package org.entrepot.distribution;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A process of the packed product, started by its script as an operator would. Used by one test, which closes it. */
final class ProductProcess implements AutoCloseable {
    /** Ports that tests do not use are free ones, for another broker may run on this machine. */
    private static final Map<String, String> FREE_PORTS = Map.of(
            "ENTREPOT_LISTENER_MQTT_PORT", "0",
            "ENTREPOT_LISTENER_MQTT_WS_PORT", "0",
            "ENTREPOT_LISTENER_STOMP_PORT", "0",
            "ENTREPOT_LISTENER_STOMP_WS_PORT", "0");

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final Process process;
    private final LinkedBlockingQueue<String> lines = new LinkedBlockingQueue<>();
    private final List<String> seen = new ArrayList<>();
    private final Path errors;

    private ProductProcess(Process process, Path errors) {
        this.process = process;
        this.errors = errors;
        Thread reader = new Thread(this::read, "output of process " + process.pid());
        reader.setDaemon(true);
        reader.start();
    }

    /** What a command that has ended said, and with what. */
    record Ended(int exitCode, String out, String err) {}

    /** The product's folder. */
    static Path home() {
        return Path.of(System.getProperty("entrepot.home"));
    }

    /** Starts {@code bin/entrepot} of the product with these arguments. */
    static ProductProcess start(String... arguments) {
        return start(home(), Map.of(), arguments);
    }

    /** The same, of a product elsewhere, with these variables besides those of this process. */
    static ProductProcess start(Path home, Map<String, String> environment, String... arguments) {
        List<String> command = new ArrayList<>();
        command.add(home.resolve("bin").resolve("entrepot").toString());
        command.addAll(Arrays.asList(arguments));
        return startCommand(environment, command);
    }

    static ProductProcess startCommand(Map<String, String> environment, List<String> command) {
        Map<String, String> variables = new HashMap<>(FREE_PORTS);
        variables.putAll(environment);
        return launch(variables, command);
    }

    /** Runs a command without choosing ports, for there is no plugin that knows of them. */
    static ProductProcess startPlain(String... command) {
        return launch(Map.of(), List.of(command));
    }

    private static ProductProcess launch(Map<String, String> environment, List<String> command) {
        try {
            Path errors = Files.createTempFile("entrepot-it-", ".err");
            ProcessBuilder builder = new ProcessBuilder(command).redirectError(errors.toFile());
            builder.environment().keySet().removeIf(name -> name.startsWith("ENTREPOT_"));
            builder.environment().put("ENTREPOT_HEAP", "256m");
            builder.environment().putAll(environment);
            return new ProductProcess(builder.start(), errors);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Runs a command to its end. */
    static Ended run(String... arguments) throws InterruptedException {
        try (ProductProcess process = start(arguments)) {
            return process.end();
        }
    }

    /** Waits for the line that says the broker is ready, and gives it. */
    String awaitReady() throws InterruptedException {
        return awaitLine("ready in ");
    }

    /** Waits for a line of output that has this text in it. */
    String awaitLine(String text) throws InterruptedException {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (true) {
            String line = lines.poll(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
            if (line == null) {
                throw new AssertionError("no line with '" + text + "' within " + PATIENCE + ", but " + seen
                        + " and on standard error " + err());
            }
            seen.add(line);
            if (line.contains(text)) {
                return line;
            }
            if (line.isEmpty() && !process.isAlive() && lines.isEmpty()) {
                throw new AssertionError("ended with " + process.exitValue() + " without a line with '" + text
                        + "', but " + seen + " and on standard error " + err());
            }
        }
    }

    /** The port for AMQP that a line of a ready broker tells. */
    static int amqpPort(String readyLine) {
        return port("amqp", readyLine);
    }

    /** The port for MQTT that a line of a ready broker tells. */
    static int mqttPort(String readyLine) {
        return port("mqtt", readyLine);
    }

    private static int port(String protocol, String readyLine) {
        Matcher matcher = Pattern.compile("\\b" + protocol + " on \\S*:(\\d+)").matcher(readyLine);
        if (!matcher.find()) {
            throw new AssertionError("no listener for " + protocol + " in: " + readyLine);
        }
        return Integer.parseInt(matcher.group(1));
    }

    /** Sends SIGTERM. Not by the process itself, which would close its output along with it. */
    void terminate() {
        process.toHandle().destroy();
    }

    /** Sends SIGKILL and waits for the end. */
    void kill() throws InterruptedException {
        process.destroyForcibly();
        end();
    }

    /** Waits for the end, so long at most; whether it came. */
    boolean endsWithin(long millis) throws InterruptedException {
        return process.waitFor(millis, TimeUnit.MILLISECONDS);
    }

    long pid() {
        return process.pid();
    }

    /** Waits for the end. */
    Ended end() throws InterruptedException {
        if (!process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
            throw new AssertionError("has not ended within " + PATIENCE + ", but said " + seen + lines);
        }
        StringBuilder out = new StringBuilder();
        seen.forEach(line -> out.append(line).append('\n'));
        for (String line = lines.poll(5, TimeUnit.SECONDS); line != null; line = lines.poll(5, TimeUnit.SECONDS)) {
            if (line.isEmpty() && lines.isEmpty()) {
                break;
            }
            out.append(line).append('\n');
        }
        return new Ended(process.exitValue(), out.toString(), err());
    }

    private String err() {
        try {
            return Files.readString(errors);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        process.destroyForcibly();
        try {
            Files.deleteIfExists(errors);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Takes the output in; an empty line marks its end. */
    private void read() {
        try (BufferedReader output =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = output.readLine(); line != null; line = output.readLine()) {
                lines.add(line);
            }
        } catch (IOException e) {
            lines.add(e.toString());
        }
        lines.add("");
    }
}
