package org.entrepot.core.security;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import org.entrepot.core.config.Printable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes refused logins to the log: each combination of address and reason once a minute, at once, and at the minute's
 * end how often it was repeated. Any thread may call it. Beyond {@value #LINES_PER_MINUTE_MAX} combinations a minute only
 * their number is told.
 */
public final class RefusalLog {
    static final int LINES_PER_MINUTE_MAX = 100;
    static final long WINDOW_MILLIS = 60_000;

    private static final Logger log = LoggerFactory.getLogger(RefusalLog.class);
    private static final int TEXT_CHARS_MAX = 300;

    private final Later later;
    private volatile Window current = new Window();

    /** Runs something after a while. */
    @FunctionalInterface
    public interface Later {
        void run(Runnable work, long delayMillis);
    }

    /** Somebody, by address or name, and why. */
    private record Refusal(String address, String reason) {}

    /** What is counted in one minute. Begins with its first refusal. */
    private static final class Window {
        final Map<Refusal, LongAdder> repeated = new ConcurrentHashMap<>();
        final Map<Refusal, LongAdder> failures = new ConcurrentHashMap<>();
        final LongAdder unsaid = new LongAdder();
        final AtomicBoolean begun = new AtomicBoolean();
    }

    /** A log whose minutes are measured by {@code later}. */
    public RefusalLog(Later later) {
        this.later = later;
    }

    /**
     * Takes a refusal in.
     *
     * @param address the client's, without its port
     * @param how mechanism and listener
     * @param reason may hold text that the client sent
     */
    void refused(String address, String how, String reason) {
        Window window = window();
        Refusal refusal = new Refusal(Printable.of(address, TEXT_CHARS_MAX), Printable.of(reason, TEXT_CHARS_MAX));
        LongAdder times = window.repeated.get(refusal);
        if (times != null) {
            times.increment();
        } else if (window.repeated.size() >= LINES_PER_MINUTE_MAX) {
            window.unsaid.increment();
        } else if (window.repeated.putIfAbsent(refusal, new LongAdder()) == null) {
            log.warn(
                    "Refused a login from {} ({}): {}",
                    refusal.address(),
                    Printable.of(how, TEXT_CHARS_MAX),
                    refusal.reason());
        }
    }

    /** Takes in that an authenticator failed, which is its own fault and not the client's. */
    void failed(String authenticator, Throwable fault) {
        Refusal failure = new Refusal(authenticator, fault.getClass().getName());
        LongAdder times = new LongAdder();
        LongAdder before = window().failures.putIfAbsent(failure, times);
        if (before == null) {
            log.error("The authenticator {} failed; logins go on without it", authenticator, fault);
        } else {
            before.increment();
        }
    }

    private Window window() {
        Window window = current;
        if (window.begun.compareAndSet(false, true)) {
            later.run(() -> end(window), WINDOW_MILLIS);
        }
        return window;
    }

    private void end(Window ended) {
        current = new Window();
        ended.failures.forEach((failure, times) -> {
            if (times.sum() > 0) {
                log.error(
                        "The authenticator {} failed {} more times within a minute with {}",
                        failure.address(),
                        times.sum(),
                        failure.reason());
            }
        });
        ended.repeated.forEach((refusal, times) -> {
            if (times.sum() > 0) {
                log.warn(
                        "Refused a login from {} {} more times within a minute: {}",
                        refusal.address(),
                        times.sum(),
                        refusal.reason());
            }
        });
        if (ended.unsaid.sum() > 0) {
            log.warn("Refused {} further logins within a minute, from other addresses or users", ended.unsaid.sum());
        }
    }
}
