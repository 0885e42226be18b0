package org.entrepot.core.admin;

import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufAllocatorMetricProvider;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** Reads how much memory this process has. Stateless. */
final class MemoryReading {
    private static final Path STATUS = Path.of("/proc/self/status");
    private static final String RESIDENT = "VmRSS:";

    private MemoryReading() {}

    static StatusReport.Memory take() {
        Runtime runtime = Runtime.getRuntime();
        return new StatusReport.Memory(
                runtime.totalMemory() - runtime.freeMemory(), runtime.maxMemory(), direct(), resident());
    }

    private static long direct() {
        return ByteBufAllocator.DEFAULT instanceof ByteBufAllocatorMetricProvider provider
                ? Math.max(0, provider.metric().usedDirectMemory())
                : 0;
    }

    /** Linux tells in a file, in kilobytes; elsewhere there is no such file. */
    private static long resident() {
        try {
            for (String line : Files.readAllLines(STATUS, StandardCharsets.ISO_8859_1)) {
                if (line.startsWith(RESIDENT)) {
                    return Long.parseLong(line.substring(RESIDENT.length())
                                    .replace("kB", "")
                                    .trim())
                            << 10;
                }
            }
        } catch (IOException | NumberFormatException e) {
            return 0;
        }
        return 0;
    }
}
