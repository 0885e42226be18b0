package org.entrepot.distribution;

import java.io.IOException;

/** A broker that keeps its data, and that can be made to crash. Used by one thread. */
interface CrashingBroker extends AutoCloseable {

    /** Starts it; the port for AMQP when it is ready. */
    int start() throws IOException, InterruptedException;

    /** The port for MQTT since it was started last. */
    int mqttPort();

    /** Lets it crash in the midst of what it does. */
    void crash() throws IOException, InterruptedException;

    /** Ends it and forgets its data. */
    @Override
    void close() throws IOException;
}
