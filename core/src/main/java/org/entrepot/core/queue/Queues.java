package org.entrepot.core.queue;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongConsumer;
import org.entrepot.core.loop.Loop;
import org.entrepot.spi.storage.LogTransaction;
import org.entrepot.spi.storage.StorageEngine;
import org.entrepot.spi.storage.StorageEngine.Durability;
import org.entrepot.spi.topology.QueueSpec;
import org.jspecify.annotations.Nullable;

/**
 * The queues of this node, by id, and what they work with. Any thread may look a queue up; queues are added and removed by
 * the loop of the topology, before and after the topology shows them.
 */
public final class Queues {
    /** Bytes of messages that are brought into memory at a time. */
    private static final int LOAD_BYTES_MIN = 64 << 10;

    private static final int LOAD_BYTES_MAX = 1 << 20;

    /** So many times that much of every queue may be in memory at once. */
    private static final int LOADS_IN_MEMORY = 4;

    /** How long a dead letter that must not be lost waits for the next try. */
    private static final long DEAD_LETTER_RETRY_MILLIS = 5_000;

    private final ConcurrentHashMap<Long, LocalQueue> queues = new ConcurrentHashMap<>();
    private final StorageEngine storage;
    private final List<Handover> handovers;
    private final MessageMemory memory;
    private final LongConsumer deleteQueue;
    private volatile @Nullable DeadLetters deadLetters;

    /**
     * @param handovers of each loop, by index
     * @param messageBytesMax bytes of messages in memory, roughly, beyond which queues let some of them out
     * @param deleteQueue deletes the queue of an id from the topology, when it says that it has no more use
     */
    public Queues(StorageEngine storage, List<Handover> handovers, long messageBytesMax, LongConsumer deleteQueue) {
        this.storage = storage;
        this.handovers = List.copyOf(handovers);
        this.deleteQueue = deleteQueue;
        this.memory = new MessageMemory(
                messageBytesMax,
                queues::size,
                handovers.stream().map(Handover::loop).toList());
    }

    /** Says how dead letters are published; called once, before the first queue is used. */
    public void publishDeadLettersWith(DeadLetters deadLetters) {
        this.deadLetters = deadLetters;
    }

    /**
     * A queue is about to be seen.
     *
     * @param durability how safe a message has to be before it is confirmed; null for what the engine's own policy says
     */
    public void add(long id, String virtualHost, QueueSpec effective, @Nullable Durability durability) {
        queues.put(id, new LocalQueue(id, virtualHost, effective, durability, this));
    }

    /** The queue's policies have changed. */
    public void change(long id, QueueSpec effective, @Nullable Durability durability) {
        LocalQueue queue = queues.get(id);
        if (queue != null) {
            queue.change(effective, durability);
            if (queue.home() == null && queue.mayBecomeDue()) {
                open(id);
            }
        }
    }

    /** The queue is no longer in the topology. */
    public void remove(long id, String reason) {
        LocalQueue queue = queues.remove(id);
        if (queue != null) {
            Loop home = queue.home(handovers.get(0).loop());
            home.run(() -> queue.delete(reason));
        }
    }

    /** The queue of an id, or null when it is gone. */
    public @Nullable LocalQueue get(long id) {
        return queues.get(id);
    }

    public Collection<LocalQueue> all() {
        return queues.values();
    }

    /** Bytes that the messages in all queues take, roughly. */
    public long residentBytes() {
        return memory.bytes();
    }

    /**
     * Opens, in the background and one after the other on each loop, those queues in which something may become due though
     * nobody uses them. Called once, when all queues from before the start are there.
     */
    public void openWhatMayBecomeDue() {
        List<ArrayDeque<LocalQueue>> byLoop = new ArrayList<>();
        handovers.forEach(any -> byLoop.add(new ArrayDeque<>()));
        int next = 0;
        for (LocalQueue queue : queues.values()) {
            if (queue.mayBecomeDue()) {
                Loop home = queue.home(handovers.get(next).loop());
                byLoop.get(home.index()).add(queue);
                next = (next + 1) % handovers.size();
            }
        }
        for (Handover handover : handovers) {
            openNext(handover.loop(), byLoop.get(handover.loop().index()));
        }
    }

    /** Opens the log of a queue, where there is one of this id. */
    public void open(long id) {
        LocalQueue queue = queues.get(id);
        if (queue != null) {
            Loop home = queue.home(handovers.get((int) (id % handovers.size())).loop());
            home.run(() -> queue.whenOpen(() -> {}));
        }
    }

    private static void openNext(Loop loop, ArrayDeque<LocalQueue> waiting) {
        loop.post(() -> {
            LocalQueue queue = waiting.poll();
            if (queue != null) {
                queue.whenOpen(() -> openNext(loop, waiting));
            }
        });
    }

    /** Closes all logs; completes when that is done. Whatever queues are told from now on is of no consequence. */
    public CompletionStage<Void> stop() {
        List<CompletableFuture<?>> stopping = new ArrayList<>();
        for (LocalQueue queue : queues.values()) {
            Loop home = queue.home(handovers.get(0).loop());
            stopping.add(CompletableFuture.runAsync(queue::stop, home));
        }
        return CompletableFuture.allOf(stopping.toArray(CompletableFuture[]::new));
    }

    /** Begins a transaction over logs of queues. */
    public LogTransaction beginTransaction() {
        return storage.begin();
    }

    StorageEngine storage() {
        return storage;
    }

    Handover handover(Loop loop) {
        return handovers.get(loop.index());
    }

    MemoryShare memory(Loop loop) {
        return memory.share(loop);
    }

    DeadLetters deadLetters() {
        return Objects.requireNonNull(deadLetters, "nobody publishes dead letters");
    }

    /** Bytes of messages that a queue brings into memory at a time: less where there are many queues. */
    int loadBytes() {
        long share = memory.bytesMax() / LOADS_IN_MEMORY / Math.max(1, queues.size());
        return (int) Math.max(LOAD_BYTES_MIN, Math.min(LOAD_BYTES_MAX, share));
    }

    /** Whether messages take most of the memory that they may. */
    boolean isShortOfMemory() {
        return memory.bytes() > memory.bytesMax() / 2;
    }

    long deadLetterRetryMillis() {
        return DEAD_LETTER_RETRY_MILLIS;
    }

    void abandoned(LocalQueue queue) {
        deleteQueue.accept(queue.id());
    }
}
