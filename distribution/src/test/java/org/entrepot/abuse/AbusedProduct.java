package org.entrepot.abuse;

import static java.util.concurrent.TimeUnit.SECONDS;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The product, started with a small heap, as its abusers and its operator see it. Used by one thread; what it prints is
 * read by a thread of its own.
 */
final class AbusedProduct {
    static final String HOST = "127.0.0.1";

    private static final Pattern READY = Pattern.compile(" ready in .*\\bamqp on \\S*:(\\d+)");
    private static final Pattern PEAK = Pattern.compile("VmHWM:\\s*(\\d+) kB");
    private static final int START_SECONDS = 60;
    private static final int STOP_SECONDS = 30;
    private static final long LINE_NANOS = SECONDS.toNanos(20);

    private final Process process;
    private final Path data;
    private final Thread reader;
    private final CompletableFuture<Integer> port = new CompletableFuture<>();

    /** Guarded by itself. */
    private final List<String> printed = new ArrayList<>();

    AbusedProduct(int heapMib, Map<String, String> settings) throws Exception {
        data = Files.createTempDirectory("entrepot-abuse");
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("entrepot.home"), "bin", "entrepot").toString(),
                "start",
                "--data",
                data.toString()));
        settings.forEach((key, value) -> command.addAll(List.of("--set", key + "=" + value)));
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().keySet().removeIf(name -> name.startsWith("ENTREPOT_"));
        builder.environment().put("ENTREPOT_HEAP", heapMib + "m");
        for (String listener : List.of("MQTT", "MQTT_WS", "STOMP", "STOMP_WS")) {
            builder.environment().put("ENTREPOT_LISTENER_" + listener + "_PORT", "0");
        }
        process = builder.start();
        reader = new Thread(this::read, "what the product prints");
        reader.start();
        try {
            port.get(START_SECONDS, SECONDS);
        } catch (Exception e) {
            process.destroyForcibly();
            throw new IllegalStateException("the product was not ready: " + printed(), e);
        }
    }

    int port() {
        return port.join();
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** Everything that it has printed. */
    List<String> printed() {
        synchronized (printed) {
            return List.copyOf(printed);
        }
    }

    /** The lines of the log about a client's address, but for those that count what a line before them stands for. */
    List<String> complaintsAbout(String address) {
        Predicate<String> counts = Pattern.compile(" more times within ").asPredicate();
        Predicate<String> named =
                Pattern.compile("\\b" + Pattern.quote(address) + "\\b").asPredicate();
        return printed().stream().filter(named.and(counts.negate())).toList();
    }

    /** Waits for a line about a client's address. */
    void awaitComplaintAbout(String address, String reason) {
        long deadline = System.nanoTime() + LINE_NANOS;
        while (complaintsAbout(address).stream().noneMatch(line -> line.contains(reason))) {
            if (System.nanoTime() - deadline > 0) {
                throw new AssertionError("no line about " + address + " with '" + reason + "' in " + printed());
            }
            LockSupport.parkNanos(10_000_000);
        }
    }

    /** The most memory that the process had resident since {@link #forgetPeak}, in MiB. */
    int peakMib() throws IOException {
        Matcher peak = PEAK.matcher(Files.readString(proc("status")));
        if (!peak.find()) {
            throw new IllegalStateException("no peak of resident memory in " + proc("status"));
        }
        return Integer.parseInt(peak.group(1)) >> 10;
    }

    void forgetPeak() throws IOException {
        // proc(5): 5 resets the peak resident set size to what is resident now.
        Files.writeString(proc("clear_refs"), "5");
    }

    private Path proc(String file) {
        return Path.of("/proc", String.valueOf(process.pid()), file);
    }

    private void read() {
        try (BufferedReader lines = process.inputReader()) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                synchronized (printed) {
                    printed.add(line);
                }
                Matcher ready = READY.matcher(line);
                if (ready.find()) {
                    port.complete(Integer.parseInt(ready.group(1)));
                }
            }
        } catch (IOException e) {
            synchronized (printed) {
                printed.add("its output cannot be read: " + e);
            }
        } finally {
            port.completeExceptionally(new IllegalStateException("the product ended"));
        }
    }

    /** Stops it as an operator does; it must end well. */
    void stop() throws Exception {
        // Not by the process itself, which would close its output along with it.
        process.toHandle().destroy();
        boolean ended = process.waitFor(STOP_SECONDS, SECONDS);
        if (!ended) {
            process.destroyForcibly().waitFor();
        }
        reader.join();
        try (Stream<Path> files = Files.walk(data)) {
            // The deepest first.
            for (Path file : files.sorted((one, other) -> other.compareTo(one)).toList()) {
                Files.delete(file);
            }
        }
        if (!ended || process.exitValue() != 0) {
            throw new IllegalStateException("the product ended with " + process.exitValue() + ": " + printed());
        }
    }
}
