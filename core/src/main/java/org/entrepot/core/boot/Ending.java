package org.entrepot.core.boot;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * How the process ends: whatever ends it, a signal, an operator's command or a start that failed, ends here, in a
 * shutdown hook. Used by any thread.
 */
final class Ending {
    /** A signal during the start waits so long for the start to finish or fail. */
    private static final long START_SECONDS_MAX = 60;

    private final CountDownLatch startIsOver = new CountDownLatch(1);
    private volatile @Nullable Product product;
    private volatile int exitCode = ExitCode.OK;

    /** Has the JVM call it at its end. */
    void install() {
        Runtime.getRuntime().addShutdownHook(new Thread(this::run, "stop"));
    }

    /** The start went well. */
    void started(Product started) {
        product = started;
        startIsOver.countDown();
    }

    /** The start went wrong: ends the process. */
    void failed(int code) {
        exitCode = code;
        startIsOver.countDown();
        System.exit(code);
    }

    /** Ends the process in good order, on a thread of its own. */
    void begin() {
        new Thread(() -> System.exit(ExitCode.OK), "end").start();
    }

    private void run() {
        try {
            if (startIsOver.await(START_SECONDS_MAX, TimeUnit.SECONDS)) {
                Product running = product;
                if (running != null) {
                    running.stop();
                }
            }
            LogSetup.end();
        } catch (InterruptedException e) {
            exitCode = ExitCode.INTERNAL;
        } finally {
            // Without this the JVM would end with 143 after SIGTERM.
            Runtime.getRuntime().halt(exitCode);
        }
    }
}
