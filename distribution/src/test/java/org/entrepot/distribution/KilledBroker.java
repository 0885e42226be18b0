package org.entrepot.distribution;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Objects;

/** The product, whose process is killed: what it has given to the operating system stays. Used by one thread. */
final class KilledBroker implements CrashingBroker {
    private final Path data;
    private final String engine;
    private ProductProcess process;
    private int mqttPort;

    /** The product with its data in a directory, which is left to whoever owns that. */
    KilledBroker(Path data, String engine) {
        this.data = data;
        this.engine = engine;
    }

    static ProductProcess startProduct(Path data, String engine) {
        return ProductProcess.start(
                "start",
                "--data",
                data.toString(),
                "--set",
                "storage.engine=" + engine,
                "--set",
                "listener.address=127.0.0.1",
                "--set",
                "listener.amqp.port=0",
                "--set",
                "listener.mqtt.port=0",
                "--set",
                "listener.mqtt.ws.port=0",
                "--set",
                "listener.handshake-timeout=60 s");
    }

    @Override
    public int start() throws InterruptedException {
        process = startProduct(data, engine);
        String ready = process.awaitReady();
        mqttPort = ProductProcess.mqttPort(ready);
        return ProductProcess.amqpPort(ready);
    }

    @Override
    public int mqttPort() {
        return mqttPort;
    }

    @Override
    public void crash() throws InterruptedException {
        Objects.requireNonNull(process).kill();
        process.close();
    }

    @Override
    public void close() throws IOException {
        if (process != null) {
            process.close();
        }
    }
}
