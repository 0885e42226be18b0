package org.entrepot.testkit.storage;

import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The seeds of a campaign, one after the other, and how much of what was asked for is done. Thread-safe.
 *
 * <p>The failure that counts is that of the least seed, whichever thread is faster: seeds before one that has failed are
 * finished, those after it are given up.
 */
final class Seeds {
    private final long first;
    private final long statesMax;
    private final AtomicLong states = new AtomicLong();
    private final AtomicLong alike = new AtomicLong();
    private long next;
    private long lives;
    /** Seeds from here on are of no interest any more. */
    private volatile long end = Long.MAX_VALUE;

    private @Nullable Throwable failure;

    /**
     * Seeds from one on.
     *
     * @param statesMax engines that are to be started on what crashes have left
     */
    Seeds(long first, long statesMax) {
        this.first = first;
        this.statesMax = statesMax;
        this.next = first;
    }

    /** Takes the next seed; a number less than the first when there is enough. */
    synchronized long take() {
        if (next >= end || states.get() >= statesMax) {
            return first - 1;
        }
        lives++;
        return next++;
    }

    boolean isSeed(long taken) {
        return taken >= first;
    }

    /** Whether a seed is still of interest. */
    boolean goesOn(long seed) {
        return seed < end && states.get() < statesMax;
    }

    /** An engine is started on what a crash has left. */
    void started() {
        states.incrementAndGet();
    }

    /** What a crash has left is like what another has. */
    void foundAlike() {
        alike.incrementAndGet();
    }

    /** A seed has failed. */
    synchronized void failed(long seed, Throwable how) {
        if (seed < end) {
            end = seed;
            failure = how;
        }
    }

    /** Gives up all seeds. */
    void stop() {
        end = Long.MIN_VALUE;
    }

    /** How the least of the seeds that failed did; null where none has. */
    synchronized @Nullable Throwable failure() {
        return failure;
    }

    CrashCampaign.Report report(long nanos) {
        return new CrashCampaign.Report(lives(), states.get(), alike.get(), nanos);
    }

    private synchronized long lives() {
        return lives;
    }
}
