package org.entrepot.mqtt;

import org.entrepot.spi.protocol.TimerWheel;

/**
 * Finds out that a client has fallen silent (specification 3.1.2.10). Owned by the connection's loop.
 *
 * <p>A client is silent when nothing has come for one and a half of its intervals, unless it could not be heard because the
 * broker did not read its socket.
 */
final class KeepAlive extends TimerWheel.Timer {
    private static final long NANOS_PER_MILLI = 1_000_000;

    private final TimerWheel wheel;
    private final Peer peer;
    private final int patienceMillis;
    private long heardNanos = System.nanoTime();

    /** The other end. */
    interface Peer {
        /** Whether what it sends reaches us. */
        boolean audible();

        void silent();
    }

    KeepAlive(TimerWheel wheel, Peer peer, int intervalSeconds) {
        this.wheel = wheel;
        this.peer = peer;
        this.patienceMillis = intervalSeconds * 1_500;
    }

    void start() {
        wheel.set(this, patienceMillis);
    }

    void stop() {
        wheel.clear(this);
    }

    /** Something has come. */
    void heard() {
        heardNanos = System.nanoTime();
    }

    @Override
    protected void fire() {
        if (!peer.audible()) {
            heard();
        }
        long silentMillis = (System.nanoTime() - heardNanos) / NANOS_PER_MILLI;
        if (silentMillis >= patienceMillis) {
            peer.silent();
        } else {
            wheel.set(this, (int) (patienceMillis - silentMillis));
        }
    }
}
