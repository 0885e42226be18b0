package org.entrepot.core.listener;

import java.util.concurrent.TimeUnit;
import org.entrepot.core.loop.Loop;
import org.entrepot.core.loop.OwnedBy;
import org.jspecify.annotations.Nullable;

/**
 * A loop's connections that have not said yet what they are, oldest first, and their deadline. All are given the same
 * time, so one timer serves them all and each costs two links.
 */
@OwnedBy("its loop")
final class Newcomers {
    private final Loop loop;
    private final long allowedNanos;
    private @Nullable Newcomer oldest;
    private @Nullable Newcomer newest;
    private boolean timed;
    private boolean turnedAway;

    Newcomers(Loop loop, long allowedMillis) {
        this.loop = loop;
        this.allowedNanos = TimeUnit.MILLISECONDS.toNanos(allowedMillis);
    }

    Loop loop() {
        return loop;
    }

    /** Takes one in; false when the broker does not accept any more. */
    boolean add(Newcomer newcomer) {
        assert loop.owns();
        if (turnedAway) {
            return false;
        }
        newcomer.deadlineNanos = System.nanoTime() + allowedNanos;
        newcomer.older = newest;
        if (newest == null) {
            oldest = newcomer;
        } else {
            newest.newer = newcomer;
        }
        newest = newcomer;
        newcomer.waiting = true;
        if (!timed) {
            timed = true;
            schedule(allowedNanos);
        }
        return true;
    }

    /** Forgets one; does nothing when it is forgotten. */
    void remove(Newcomer newcomer) {
        assert loop.owns();
        if (!newcomer.waiting) {
            return;
        }
        newcomer.waiting = false;
        if (newcomer.older == null) {
            oldest = newcomer.newer;
        } else {
            newcomer.older.newer = newcomer.newer;
        }
        if (newcomer.newer == null) {
            newest = newcomer.older;
        } else {
            newcomer.newer.older = newcomer.older;
        }
        newcomer.older = null;
        newcomer.newer = null;
    }

    /** Closes all, and those that come later. Called by any thread. */
    void turnAway() {
        loop.run(() -> {
            turnedAway = true;
            while (oldest != null) {
                Newcomer newcomer = oldest;
                remove(newcomer);
                newcomer.turnAway();
            }
        });
    }

    private void schedule(long nanos) {
        // One more, so that what is due in half a millisecond is not looked at too early.
        loop.schedule(this::closeLate, TimeUnit.NANOSECONDS.toMillis(nanos) + 1);
    }

    private void closeLate() {
        while (oldest != null) {
            long left = oldest.deadlineNanos - System.nanoTime();
            if (left > 0) {
                schedule(left);
                return;
            }
            Newcomer newcomer = oldest;
            remove(newcomer);
            newcomer.tooLate();
        }
        timed = false;
    }
}
