package org.entrepot.amqp.v091;

import org.entrepot.spi.protocol.TimerWheel;

/**
 * The heartbeat of one connection, both ways. Owned by the connection's loop.
 *
 * <p>Every half interval in which nothing else was sent a heartbeat is; the first one comes in any case. Clients expect
 * both of RabbitMQ. A peer that was silent for two whole intervals is taken for dead, unless it could not be heard
 * because the broker did not read its socket.
 */
final class Heartbeat extends TimerWheel.Timer {

    /** Silent half intervals after which a peer is taken for dead. */
    private static final int SILENT_HALVES_MAX = 4;

    private final TimerWheel wheel;
    private final Peer peer;
    private final int halfIntervalMillis;
    private boolean first = true;
    private boolean sent;
    private boolean heard;
    private int silentHalves;

    /** The two ends that a heartbeat knows of. */
    interface Peer {
        /** Whether what it sends reaches us. */
        boolean audible();

        void sendHeartbeat();

        /** It has been silent for too long. */
        void dead();
    }

    Heartbeat(TimerWheel wheel, Peer peer, int intervalSeconds) {
        this.wheel = wheel;
        this.peer = peer;
        this.halfIntervalMillis = intervalSeconds * 500;
    }

    void start() {
        wheel.set(this, halfIntervalMillis);
    }

    void stop() {
        wheel.clear(this);
    }

    /** Something other than a heartbeat was written to the socket. */
    void sent() {
        sent = true;
    }

    /** Something was read from the socket. */
    void heard() {
        heard = true;
    }

    @Override
    protected void fire() {
        listen();
        if (silentHalves == SILENT_HALVES_MAX) {
            peer.dead();
            return;
        }
        if (!sent || first) {
            peer.sendHeartbeat();
        }
        first = false;
        sent = false;
        wheel.set(this, halfIntervalMillis);
    }

    private void listen() {
        if (heard || !peer.audible()) {
            silentHalves = 0;
        } else {
            silentHalves++;
        }
        heard = false;
    }
}
