package org.entrepot.stomp;

import org.entrepot.spi.protocol.TimerWheel;

/**
 * The heart-beats that were agreed with a client, both ways. Owned by the connection's loop.
 *
 * <p>Ours go out twice in an interval, whatever else is sent, so that one is never late. A client that was silent for two
 * whole intervals is taken for dead, unless it could not be heard because the broker did not read its socket.
 */
final class HeartBeat {

    /** The longest interval that is kept. */
    static final int SECONDS_MAX = 24 * 3600;

    /** Silent half intervals after which a client is taken for dead. */
    private static final int SILENT_HALVES_MAX = 4;

    private final TimerWheel wheel;
    private final Peer peer;
    private final Sender sender;
    private final Receiver receiver;

    /** The two ends that heart-beats know of. */
    interface Peer {
        /** Whether what it sends reaches us. */
        boolean audible();

        void sendHeartBeat();

        /** It has been silent for too long. */
        void dead();
    }

    /** With the seconds between beats that we send, and that the client sends; 0 for none. */
    HeartBeat(TimerWheel wheel, Peer peer, int sentSeconds, int heardSeconds) {
        this.wheel = wheel;
        this.peer = peer;
        this.sender = new Sender(sentSeconds * 500);
        this.receiver = new Receiver(heardSeconds * 500);
    }

    /**
     * The seconds that are kept for the milliseconds that a client says: whole ones, and at least one unless there are to be
     * no beats.
     */
    static int seconds(long millis) {
        if (millis <= 0) {
            return 0;
        }
        return (int) Math.max(1, Math.min(SECONDS_MAX, millis / 1000));
    }

    void start() {
        if (sender.halfMillis > 0) {
            wheel.set(sender, sender.halfMillis);
        }
        if (receiver.halfMillis > 0) {
            wheel.set(receiver, receiver.halfMillis);
        }
    }

    void stop() {
        wheel.clear(sender);
        wheel.clear(receiver);
    }

    /** Something was read from the socket. */
    void heard() {
        receiver.heard = true;
    }

    private final class Sender extends TimerWheel.Timer {
        private final int halfMillis;

        private Sender(int halfMillis) {
            this.halfMillis = halfMillis;
        }

        @Override
        protected void fire() {
            peer.sendHeartBeat();
            wheel.set(this, halfMillis);
        }
    }

    private final class Receiver extends TimerWheel.Timer {
        private final int halfMillis;
        private boolean heard;
        private int silentHalves;

        private Receiver(int halfMillis) {
            this.halfMillis = halfMillis;
        }

        @Override
        protected void fire() {
            silentHalves = heard || !peer.audible() ? 0 : silentHalves + 1;
            heard = false;
            if (silentHalves == SILENT_HALVES_MAX) {
                peer.dead();
            } else {
                wheel.set(this, halfMillis);
            }
        }
    }
}
