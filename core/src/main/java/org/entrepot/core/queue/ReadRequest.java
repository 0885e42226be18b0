package org.entrepot.core.queue;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * One look at what is in a queue, which takes nothing: what was found so far, and from where it goes on. Made by any thread,
 * then owned by the queue's home loop until it is answered.
 */
public final class ReadRequest {
    private final LocalQueue queue;
    private final int bytesMax;
    private final CompletableFuture<ReadRequest> answer = new CompletableFuture<>();
    private long next;
    private @Nullable DeliveryBatch found;
    /** The entry that it has asked to be loaded last. */
    private long asked = ReadySet.NONE;

    /** A request for entries from a position on, of about so many bytes. */
    ReadRequest(LocalQueue queue, long from, int bytesMax) {
        this.queue = queue;
        this.next = from;
        this.bytesMax = bytesMax;
    }

    CompletionStage<ReadRequest> stage() {
        return answer;
    }

    void answer() {
        answer.complete(this);
    }

    void refuse(RuntimeException why) {
        answer.completeExceptionally(why);
    }

    // While it is read.

    DeliveryBatch batch() {
        DeliveryBatch batch = found;
        if (batch == null) {
            batch = new DeliveryBatch(queue, 1);
            found = batch;
        }
        return batch;
    }

    boolean isFull() {
        return found != null && found.bytes() >= bytesMax;
    }

    boolean isEmpty() {
        return found == null;
    }

    /** Everything below was looked at. */
    void goOnFrom(long position) {
        next = position;
    }

    /** It waits for this entry to be loaded. */
    void asks(long position) {
        asked = position;
    }

    boolean hasAsked(long position) {
        return asked == position;
    }

    /** Whether anything had to be loaded for it. */
    boolean wasLoaded() {
        return asked != ReadySet.NONE;
    }

    // What came of it.

    /** The position to go on from. */
    public long next() {
        return next;
    }

    /** What was found; null where there is nothing. */
    public @Nullable DeliveryBatch found() {
        return found;
    }
}
