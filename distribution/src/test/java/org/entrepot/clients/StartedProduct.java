package org.entrepot.clients;

import static java.util.concurrent.TimeUnit.SECONDS;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * The product, started from the folder in the system property {@code entrepot.home} for the tests of one class. Owned by
 * the thread of the class; what the product prints is read by a thread of its own.
 *
 * <p>With the system property {@code amqp.port}, or that of another listener, the tests use the broker that listens there on
 * 127.0.0.1: RabbitMQ or Mosquitto, to see that they check the right thing.
 */
final class StartedProduct implements BeforeAllCallback, AfterAllCallback {
    static final String HOST = "127.0.0.1";

    private static final int START_SECONDS = 60;
    private static final int STOP_SECONDS = 30;

    private static final Pattern READY = Pattern.compile(" ready in .*");
    private static final Pattern LISTENER = Pattern.compile("(\\S+) on \\S*:(\\d+)");
    private static final List<String> LISTENERS = List.of("amqp", "mqtt", "mqtt.ws", "stomp", "stomp.ws");

    private final String listener;
    private final String definitions;
    /** The ports it serves, by listener. */
    private final CompletableFuture<Map<String, Integer>> ports = new CompletableFuture<>();

    private final List<String> log = new ArrayList<>();
    private Process process;
    private Thread reader;
    private Path data;

    /** The product with AMQP on a port of its own. */
    StartedProduct() {
        this("amqp");
    }

    /** The product with this listener on a port of its own. */
    StartedProduct(String listener) {
        this(listener, "");
    }

    /** The same with what RabbitMQ exports of users and their permissions; empty for guest alone. */
    StartedProduct(String listener, String definitions) {
        this.listener = listener;
        this.definitions = definitions;
    }

    int port() {
        return port(listener);
    }

    /** Where this listener is. */
    int port(String name) {
        return ports.join().get(name);
    }

    @Override
    public void beforeAll(ExtensionContext context) throws Exception {
        Integer given = Integer.getInteger(listener + ".port");
        if (given != null) {
            ports.complete(Map.of(listener, given));
            return;
        }
        data = Files.createTempDirectory("entrepot-clients");
        Path start = Path.of(System.getProperty("entrepot.home"), "bin", "entrepot");
        List<String> command = new ArrayList<>(
                List.of(start.toString(), "start", "--data", data.toString(), "--set", "listener.address=" + HOST));
        LISTENERS.forEach(each -> command.addAll(List.of("--set", "listener." + each + ".port=0")));
        if (!definitions.isEmpty()) {
            Path file = Files.writeString(data.resolve("definitions.json"), definitions);
            command.addAll(List.of("--set", "definitions.file=" + file));
        }
        process = new ProcessBuilder(command).redirectErrorStream(true).start();
        reader = new Thread(this::read, "what the product prints");
        reader.start();
        try {
            ports.get(START_SECONDS, SECONDS);
        } catch (ExecutionException | TimeoutException e) {
            stop();
            throw new IllegalStateException("the product was not ready:\n" + String.join("\n", log), e);
        }
    }

    @Override
    public void afterAll(ExtensionContext context) throws Exception {
        if (process != null) {
            int ended = stop();
            if (ended != 0) {
                throw new IllegalStateException("the product ended with " + ended + ":\n" + String.join("\n", log));
            }
        }
    }

    private int stop() throws InterruptedException, IOException {
        // By the process itself its output would be closed along with it.
        process.toHandle().destroy();
        if (!process.waitFor(STOP_SECONDS, SECONDS)) {
            process.destroyForcibly().waitFor();
        }
        reader.join();
        try (Stream<Path> files = Files.walk(data)) {
            // The deepest first.
            for (Path file : files.sorted((one, other) -> other.compareTo(one)).toList()) {
                Files.delete(file);
            }
        }
        return process.exitValue();
    }

    private void read() {
        try (Stream<String> lines = process.inputReader().lines()) {
            lines.forEach(line -> {
                log.add(line);
                Matcher ready = READY.matcher(line);
                if (ready.find()) {
                    ports.complete(LISTENER.matcher(ready.group())
                            .results()
                            .collect(Collectors.toMap(
                                    found -> found.group(1), found -> Integer.valueOf(found.group(2)))));
                }
            });
        } finally {
            ports.completeExceptionally(new IllegalStateException("the product ended"));
        }
    }
}
