package org.entrepot.core.boot;

import java.util.ArrayDeque;
import java.util.Deque;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What has been started, to be stopped in reverse. Used by the thread that starts and stops the broker. */
final class StopOrder {
    private static final Logger log = LoggerFactory.getLogger(StopOrder.class);

    private final Deque<Started> started = new ArrayDeque<>();

    private record Started(String name, Stop stop) {}

    /** Ends something that was started. */
    @FunctionalInterface
    interface Stop {
        void run() throws Exception;
    }

    void add(String name, Stop stop) {
        started.push(new Started(name, stop));
    }

    /** Stops everything not yet stopped; what fails to stop does not keep the rest from it. */
    void stop() {
        while (!started.isEmpty()) {
            Started last = started.pop();
            try {
                last.stop().run();
            } catch (Exception | LinkageError e) {
                log.error("{} did not stop in good order", last.name(), e);
            }
        }
    }
}
