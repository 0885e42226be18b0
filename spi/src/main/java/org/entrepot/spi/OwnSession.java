package org.entrepot.spi;

import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import org.entrepot.spi.session.Session;

/** A session of a plugin's own; see {@link Broker#openSession}. Vendors only call it. Any thread may. */
public interface OwnSession {

    /**
     * The session. All its calls must be made on {@link #loop}, where its stages complete and its listener and sinks are
     * called. What it is delivered is passed on at the end of the loop's pass, without waiting for anything.
     */
    Session session();

    /** The loop that owns the session: what it is given runs there, in order. Must never be blocked. */
    Executor loop();

    /**
     * Runs something on the loop after so many milliseconds, unless it was cancelled, or the session closed, by then. To do
     * something periodically, it schedules itself again.
     */
    Future<?> schedule(Runnable work, long delayMillis);

    /**
     * Closes the session as {@link Session#close} does, and deletes its exclusive queues. The stage completes on the loop.
     * Closing twice is the same as once.
     */
    CompletionStage<Void> close();
}
