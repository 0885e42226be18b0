package org.entrepot.core.queue;

import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import org.entrepot.core.loop.Loop;
import org.jspecify.annotations.Nullable;

/**
 * Keeps publishers from running far ahead of consumers that nearly keep up, so that messages die young instead of
 * becoming a backlog that the collector carries about. Owned by the queue's home loop.
 *
 * <p>Publishers that get further ahead than a limit are held until half of it is worked off. A hold that brings nothing
 * within {@link #HOLD_MILLIS} ends anyway and doubles the limit: slow workers with a long queue, which is normal, hold
 * nobody up for more than a moment. The limit is as at first once the queue is empty.
 */
final class Pacing {
    private static final int ENTRIES_AHEAD = 2_000;
    private static final long BYTES_AHEAD = 4L << 20;
    private static final long HOLD_MILLIS = 50;
    private static final int FACTOR_MAX = 1 << 20;

    /** Does what holding means for one publisher, on whichever loop it lives. */
    interface Reins {
        void hold(Publisher publisher);

        void resume(Publisher publisher);
    }

    private final Loop loop;
    private final Reins reins;
    /** Who has published since the queue last handed out; may name somebody more than once. */
    private final List<Publisher> recent = new ArrayList<>();

    private final Set<Publisher> held = Collections.newSetFromMap(new IdentityHashMap<>());
    private @Nullable Publisher last;
    private int factor = 1;
    private long episode;

    Pacing(Loop loop, Reins reins) {
        this.loop = loop;
        this.reins = reins;
    }

    /** A publisher has published since the queue last handed out. */
    void published(Publisher publisher) {
        if (publisher != last) {
            last = publisher;
            recent.add(publisher);
        }
    }

    /** The queue has handed out what it could, and so much is left. */
    void handedOut(long ready, long readyBytes, int consumers) {
        if (ready == 0) {
            factor = 1;
        }
        boolean ahead = consumers > 0 && (ready > (long) ENTRIES_AHEAD * factor || readyBytes > BYTES_AHEAD * factor);
        if (ahead) {
            if (held.isEmpty() && !recent.isEmpty()) {
                long mine = ++episode;
                loop.schedule(() -> tooLong(mine), HOLD_MILLIS);
            }
            for (int i = 0; i < recent.size(); i++) {
                if (held.add(recent.get(i))) {
                    reins.hold(recent.get(i));
                }
            }
        } else if (!held.isEmpty()
                && (consumers == 0
                        || (ready <= (long) ENTRIES_AHEAD * factor / 2 && readyBytes <= BYTES_AHEAD * factor / 2))) {
            release();
        }
        recent.clear();
        last = null;
    }

    private void tooLong(long of) {
        if (of == episode && !held.isEmpty()) {
            factor = Math.min(FACTOR_MAX, factor * 2);
            release();
        }
    }

    /** Lets everybody go. */
    void release() {
        episode++;
        if (!held.isEmpty()) {
            List<Publisher> resumed = List.copyOf(held);
            held.clear();
            resumed.forEach(reins::resume);
        }
    }
}
