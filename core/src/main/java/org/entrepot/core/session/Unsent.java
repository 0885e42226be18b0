package org.entrepot.core.session;

import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.util.concurrent.ScheduledFuture;
import org.entrepot.core.loop.Loop;
import org.entrepot.core.loop.OwnedBy;
import org.jspecify.annotations.Nullable;

/**
 * What one connection's socket has not taken yet, against the connection's share of what all may leave unsent. Says when the
 * client gets no more deliveries, is not listened to, and is let go.
 */
@OwnedBy("the connection's loop")
final class Unsent {
    /** Bytes of deliveries that a client may leave unread before it gets no more; fewer where memory is short. */
    private static final long DELIVERIES_MAX = 1 << 20;

    /**
     * Bytes that a client may leave unread before it is not listened to, since listening would lead to more answers; fewer
     * where memory is short. It is ample, because a client that is busy sending may not read for a while, and must not be
     * made to wait for itself.
     */
    private static final long ANSWERS_MAX = 8 << 20;

    /** Of these, what may be left when the client is listened to again. */
    private static final long RESUME_AT = 256 << 10;

    /** Not reading for so long is no hiccup. */
    private static final long COMPLAINT_MILLIS = 2_000;

    /** Reading nothing for so long is no business with a message. */
    private static final long STUCK_MILLIS = 10_000;

    /** How long large deliveries wait before they ask again whether there is memory for them. */
    private static final long RETRY_MILLIS = 20;

    private final Channel channel;
    private final Loop loop;
    private final UnsentBytes all;
    private final Consequences consequences;
    private long counted;
    private boolean drainWatched;
    private boolean retryDue;
    private boolean paused;
    private @Nullable ScheduledFuture<?> complaint;
    private @Nullable ScheduledFuture<?> progressCheck;
    private long bytesAtCheck;

    /** What follows from it. Called on the loop. */
    interface Consequences {
        /** The client is not to be listened to, or is again. */
        void listen(boolean again);

        /** Deliveries that were held up may be tried again. */
        void moreDeliveries();

        void complain(String what);
    }

    Unsent(Channel channel, Loop loop, UnsentBytes all, Consequences consequences) {
        this.channel = channel;
        this.loop = loop;
        this.all = all;
        this.consequences = consequences;
    }

    private long bytes() {
        ChannelOutboundBuffer buffer = channel.unsafe().outboundBuffer();
        return buffer == null ? 0 : buffer.totalPendingWriteBytes();
    }

    /** Whether deliveries of so many bytes may be encoded now. Where not, {@link Consequences#moreDeliveries} follows. */
    boolean hasRoomFor(long deliveries) {
        if (!channel.isWritable() || bytes() >= all.share(DELIVERIES_MAX)) {
            return false;
        }
        if (deliveries > UnsentBytes.SHARE_MIN && all.exhausted()) {
            if (!retryDue) {
                retryDue = true;
                loop.schedule(this::retry, RETRY_MILLIS);
            }
            return false;
        }
        return true;
    }

    private void retry() {
        retryDue = false;
        consequences.moreDeliveries();
    }

    /** Something may have been written. */
    void count() {
        long bytes = bytes();
        long now = bytes < UnsentBytes.SHARE_MIN ? 0 : bytes;
        if (now != counted) {
            all.change(now - counted);
            counted = now;
        }
        if (now == 0) {
            return;
        }
        if (!drainWatched) {
            drainWatched = true;
            // Written when all before it is: nobody else tells that less than the mark of writability has been sent.
            channel.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(written -> {
                drainWatched = false;
                drained();
            });
        }
        if (progressCheck == null) {
            bytesAtCheck = bytes;
            progressCheck = loop.schedule(this::checkProgress, STUCK_MILLIS);
        }
        if (bytes > all.share(ANSWERS_MAX) && !paused) {
            pause();
        }
    }

    /** The socket has taken all, or much. */
    void drained() {
        count();
        if (bytes() <= Math.min(RESUME_AT, all.share(ANSWERS_MAX) / 2)) {
            resume();
        }
        consequences.moreDeliveries();
    }

    private void pause() {
        paused = true;
        consequences.listen(false);
        complaint = loop.schedule(
                () -> consequences.complain(
                        "has not read for " + COMPLAINT_MILLIS + " ms what it was sent; not listened to until it does"),
                COMPLAINT_MILLIS);
    }

    private void resume() {
        if (paused) {
            paused = false;
            consequences.listen(true);
        }
        if (complaint != null) {
            complaint.cancel(false);
            complaint = null;
        }
    }

    /** Lets go of a client that reads nothing at all while what it leaves is missing to others. */
    private void checkProgress() {
        progressCheck = null;
        if (counted > 0 && bytes() == bytesAtCheck && all.exhausted()) {
            consequences.complain("has read nothing for " + STUCK_MILLIS + " ms, and others need the memory; closed");
            channel.close();
        } else {
            count();
        }
    }

    /** The socket is closed. */
    void close() {
        count();
        resume();
        if (progressCheck != null) {
            progressCheck.cancel(false);
            progressCheck = null;
        }
    }
}
