package org.entrepot.distribution;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Path;

/**
 * The product on a disk whose power is cut: what is not synced is gone, and every further sync fails, while the process goes
 * on for a moment or does not. Used by one thread.
 */
final class PowerCutBroker implements CrashingBroker {
    /** Room for what a hundred cycles leave; the file takes what is written to it. */
    private static final long DISK_BYTES = 16L << 30;

    /** How long the product goes on without power in every other cut. */
    private static final long WITHOUT_POWER_MILLIS = 300;

    private final OwnDisk disk;
    private final String engine;
    private ProductProcess process;
    private int cuts;
    private int mqttPort;

    /** The product with a disk whose file is in a directory, which is left to whoever owns that. */
    PowerCutBroker(Path directory, String engine) throws IOException {
        this.disk = OwnDisk.orSkip(directory, DISK_BYTES, "confirmed messages outlive a power cut");
        this.engine = engine;
    }

    @Override
    public int start() throws InterruptedException {
        process = KilledBroker.startProduct(disk.path().resolve("data"), engine);
        String ready = process.awaitReady();
        mqttPort = ProductProcess.mqttPort(ready);
        return ProductProcess.amqpPort(ready);
    }

    @Override
    public int mqttPort() {
        return mqttPort;
    }

    @Override
    public void crash() throws IOException, InterruptedException {
        cuts++;
        disk.cutPower();
        if (cuts % 2 == 0) {
            process.endsWithin(WITHOUT_POWER_MILLIS);
        }
        process.kill();
        process.close();
        disk.remount();
    }

    @Override
    public void close() throws IOException {
        if (process != null) {
            try {
                process.kill();
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
                throw new InterruptedIOException();
            }
            process.close();
        }
        disk.close();
    }
}
