package org.entrepot.core.queue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.entrepot.core.loop.Loop;
import org.entrepot.core.loop.Loops;
import org.entrepot.spi.storage.StorageEngine;
import org.entrepot.spi.topology.QueueSpec;

/** Queues on two real loops, for tests of what happens between loops. */
final class Node {
    private static final long PATIENCE_SECONDS = 20;

    final Loops loops;
    final Queues queues;
    final List<Handover> handovers = new ArrayList<>();
    /** Queues that have said that they are of no use any more. */
    final LinkedBlockingQueue<Long> abandoned = new LinkedBlockingQueue<>();
    /** Dead letters, in the order in which they were to be published. */
    final LinkedBlockingQueue<DeadLetters.Letter> letters = new LinkedBlockingQueue<>();

    Node(StorageEngine storage) {
        this(storage, Long.MAX_VALUE);
    }

    /** A node on which messages may take so many bytes before queues let some out of memory. */
    Node(StorageEngine storage, long messageBytesMax) {
        this(storage, messageBytesMax, System::currentTimeMillis);
    }

    Node(StorageEngine storage, long messageBytesMax, LongSupplier clockMillis) {
        loops = new Loops(2, clockMillis);
        for (Loop loop : loops.all()) {
            handovers.add(new Handover(loop, loops.all()));
        }
        queues = new Queues(storage, handovers, messageBytesMax, abandoned::add);
        queues.publishDeadLettersWith(letters::add);
    }

    Loop loop(int index) {
        return loops.get(index);
    }

    Crossing crossing(Loop from, Loop to) {
        return handovers.get(from.index()).to(to);
    }

    /** A queue that lives on a loop. */
    LocalQueue queue(QueueSpec spec, Loop home) {
        long id = queues.all().size() + 1L;
        queues.add(id, "/", spec, null);
        LocalQueue queue = queues.get(id);
        queue.home(home);
        return queue;
    }

    /** What comes of doing something on a loop. */
    <T> T on(Loop loop, Callable<T> doing) throws Exception {
        CompletableFuture<T> result = new CompletableFuture<>();
        loop.post(() -> {
            try {
                result.complete(doing.call());
            } catch (Throwable failure) { // whatever it is: the test is to see it
                result.completeExceptionally(failure);
            }
        });
        return result.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    }

    /** Ends all queues in good order. */
    void stop() throws Exception {
        queues.stop().toCompletableFuture().get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        close();
    }

    /** Lets every loop finish what it was asked to do, and what that asked others to do, some times over. */
    void quiesce() throws Exception {
        for (int i = 0; i < 10; i++) {
            for (Loop loop : loops.all()) {
                on(loop, () -> null);
            }
        }
    }

    void close() throws Exception {
        loops.close().toCompletableFuture().get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    }
}
