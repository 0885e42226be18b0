package org.entrepot.core;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.concurrent.Callable;

/** What a piece of work costs the thread that does it, held to bounds. Stateless: what others do does not count. */
public final class Effort {

    /** Processor time that is more than anything small should take. */
    private static final long NANOS_MAX = 1_000_000_000;

    private Effort() {}

    /**
     * Does work that may take a second of a processor, and so many bytes of memory, garbage included. What takes more is done
     * a second time: the first one of a process has classes loaded.
     */
    public static <T> T within(long bytesMax, Callable<T> work) throws Exception {
        Cost first = new Cost();
        try {
            return work.call();
        } finally {
            first.end();
            if (first.bytes > bytesMax || first.nanos > NANOS_MAX) {
                Cost second = again(work);
                assertThat(second.bytes).as("bytes allocated").isLessThanOrEqualTo(bytesMax);
                assertThat(second.nanos).as("processor time").isLessThanOrEqualTo(NANOS_MAX);
            }
        }
    }

    private static Cost again(Callable<?> work) {
        Cost cost = new Cost();
        Object came;
        try {
            came = work.call();
        } catch (Exception refused) {
            came = refused;
        }
        // Before anything is asserted, which would load classes too.
        cost.end();
        assertThat(came).isNotNull();
        return cost;
    }

    /** What the thread has spent since this was made. */
    private static final class Cost {
        private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        private long bytes = -threads.getCurrentThreadAllocatedBytes();
        private long nanos = -threads.getCurrentThreadCpuTime();

        void end() {
            nanos += threads.getCurrentThreadCpuTime();
            bytes += threads.getCurrentThreadAllocatedBytes();
        }
    }
}
