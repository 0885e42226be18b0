package org.entrepot.core.admin;

import java.time.Instant;
import java.util.List;

/**
 * How a broker is at one moment, for operators. Immutable. Queues on different loops are asked one after the other: the
 * report is no snapshot of the whole.
 *
 * @param startedAt when the process began
 * @param storage the storage engine's name, and what its durability means
 * @param confirms what it means when a publish is confirmed
 * @param connections how many there are
 */
public record StatusReport(
        String product,
        String version,
        String node,
        long processId,
        Instant startedAt,
        long uptimeMillis,
        String storage,
        String confirms,
        List<Listener> listeners,
        int connections,
        List<Queue> queues,
        List<Alarm> alarms,
        Memory memory) {

    public StatusReport {
        listeners = List.copyOf(listeners);
        queues = List.copyOf(queues);
        alarms = List.copyOf(alarms);
    }

    /** A port that clients connect to. */
    public record Listener(String name, String address, boolean tls) {}

    /**
     * A queue.
     *
     * @param ready messages that a consumer could get
     * @param unsettled messages that consumers have and have not settled
     */
    public record Queue(String virtualHost, String name, long ready, long unsettled, int consumers) {}

    /** Something an operator must know: what the broker holds publishers back for, or what was found damaged. */
    public record Alarm(String name, String reason) {}

    /**
     * Memory of the process in bytes.
     *
     * @param heapUsed what objects, living and dead, take
     * @param heapMax what they may take
     * @param direct buffers outside the heap
     * @param resident what the system has given the process; 0 where it does not tell
     */
    public record Memory(long heapUsed, long heapMax, long direct, long resident) {

        /** The memory of this process. */
        public static Memory now() {
            return MemoryReading.take();
        }
    }
}
