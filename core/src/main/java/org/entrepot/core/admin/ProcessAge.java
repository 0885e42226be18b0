package org.entrepot.core.admin;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/**
 * Tells how long this process has been there, the start script's time included. Stateless.
 *
 * <p>On Linux from what the kernel says, to 20 ms: {@link ProcessHandle} adds whole seconds of boot time, and the JVM's
 * management bean costs a start more than it measures.
 */
final class ProcessAge {
    private static final Path STAT = Path.of("/proc/self/stat");
    private static final Path UPTIME = Path.of("/proc/uptime");

    /** See proc(5): the 22nd field, counted here from after the command's name, which is in parentheses. */
    private static final int START_FIELD = 19;

    /** USER_HZ, the same on every platform that Java runs on. */
    private static final long MILLIS_PER_TICK = 10;

    private ProcessAge() {}

    static long millis() {
        try {
            String stat = Files.readString(STAT, StandardCharsets.ISO_8859_1);
            List<String> fields =
                    List.of(stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1));
            long start = Long.parseLong(fields.get(START_FIELD)) * MILLIS_PER_TICK;
            String uptime = Files.readString(UPTIME, StandardCharsets.ISO_8859_1);
            long now = Math.round(Double.parseDouble(uptime.substring(0, uptime.indexOf(' '))) * 1000);
            return Math.max(0, now - start);
        } catch (IOException | RuntimeException notLinux) {
            return ProcessHandle.current()
                    .info()
                    .startInstant()
                    .map(start -> Duration.between(start, Instant.now()).toMillis())
                    .orElse(0L);
        }
    }
}
