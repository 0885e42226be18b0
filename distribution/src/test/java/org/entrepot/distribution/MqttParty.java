package org.entrepot.distribution;

import java.io.IOException;
import java.util.SplittableRandom;

/**
 * A client that keeps its side of a lasting session through connections that break: it connects, goes on, and now and then
 * cuts its own connection. The broker's crash ends its run; {@link #stop} does when nothing is left to do. Used by one
 * thread at a time, but for {@link #stop}.
 */
abstract class MqttParty {
    private static final int EXPIRY_SECONDS = 3_600;
    /** Packets until it cuts its connection, at most. */
    private static final int CUT_MAX = 2_000;

    private final int level;
    private final String clientId;
    private final SplittableRandom random;
    private boolean known;
    private boolean cuts = true;
    private volatile boolean stopped;
    private long reconnects;

    MqttParty(int level, String clientId, long seed) {
        this.level = level;
        this.clientId = clientId;
        this.random = new SplittableRandom(seed);
    }

    /** Runs until the broker is gone; fails where it has broken a promise. */
    final void run(int port) throws IOException {
        stopped = false;
        while (!stopped) {
            try (MqttClient client = connect(port)) {
                goOn(client, cuts ? 1 + random.nextInt(CUT_MAX) : Integer.MAX_VALUE);
            } catch (IOException gone) {
                if (isGone(port)) {
                    return;
                }
                throw gone;
            }
            reconnects++;
        }
    }

    private boolean isGone(int port) {
        try {
            MqttClient.connect(port, new MqttClient.Options(4, "probe-" + clientId, true, 0))
                    .close();
            return false;
        } catch (IOException refused) {
            return true;
        }
    }

    private MqttClient connect(int port) throws IOException {
        MqttClient client = MqttClient.connect(port, new MqttClient.Options(level, clientId, false, EXPIRY_SECONDS));
        if (client.sessionPresent() != known) {
            client.close();
            throw new AssertionError(clientId + " finds its session " + (known ? "gone" : "there already"));
        }
        known = true;
        return client;
    }

    /** Makes the session. */
    final void begin(int port) throws IOException {
        try (MqttClient client = connect(port)) {
            begun(client);
        }
    }

    /** Does the first time what is done once. */
    abstract void begun(MqttClient client) throws IOException;

    /** Takes up where the last connection broke, and goes on for about so many packets, or until it is stopped. */
    abstract void goOn(MqttClient client, int packets) throws IOException;

    /** Does not cut its connections any more. */
    final void calm() {
        cuts = false;
    }

    /** Ends as soon as it hears anything. */
    final void stop() {
        stopped = true;
    }

    final boolean isStopped() {
        return stopped;
    }

    final SplittableRandom random() {
        return random;
    }

    final String clientId() {
        return clientId;
    }

    final long reconnects() {
        return reconnects;
    }
}
