package org.entrepot.core.session;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.entrepot.core.loop.Loop;
import org.entrepot.core.loop.OwnedBy;
import org.entrepot.core.queue.LocalQueue;
import org.entrepot.core.queue.Publisher;
import org.entrepot.core.queue.TransactionPart;
import org.entrepot.spi.BrokerException;
import org.entrepot.spi.ErrorKind;
import org.entrepot.spi.message.Envelope;
import org.entrepot.spi.message.Message;
import org.entrepot.spi.session.Address;
import org.entrepot.spi.session.Outcome;
import org.entrepot.spi.session.QueueHandle;
import org.entrepot.spi.session.Session.Routed;
import org.entrepot.spi.session.Transaction;
import org.entrepot.spi.storage.LogTransaction;
import org.jspecify.annotations.Nullable;

/**
 * A transaction of a session. Its commit goes in two steps: every queue prepares its part, and when all have, the storage
 * engine appends what all of them have put into one {@link LogTransaction}, which is the decision; it tells the queues. See
 * docs/adr/0016.
 */
@OwnedBy("the connection's loop")
final class ClientTransaction implements Transaction {
    private final ClientSession session;
    private final Services services;
    private final List<TransactionPart> parts = new ArrayList<>(2);
    private final Map<LocalQueue, TransactionPart> partsByQueue = new HashMap<>(4);
    private final List<TransactionPart> prepared = new ArrayList<>(2);
    private final CompletableFuture<Boolean> done = new CompletableFuture<>();
    private int entries;
    private int unprepared;
    private boolean refused;
    /** What went wrong in a queue that was to prepare its part. */
    private @Nullable Throwable fault;

    /** Prepared parts that do not show yet. */
    private int unshown;

    private boolean durable;
    private boolean committed;

    ClientTransaction(ClientSession session, Services services) {
        this.session = session;
        this.services = services;
    }

    @Override
    public Routed publish(Address address, Message message, Envelope envelope) {
        return session.publish(address, message, envelope, this::publish);
    }

    private void publish(LocalQueue queue, Message message, Envelope envelope) {
        part(queue).publish(message, envelope);
    }

    @Override
    public void settle(QueueHandle queue, long from, long to, Outcome outcome) {
        part((LocalQueue) queue).settle(from, to, outcome);
    }

    private TransactionPart part(LocalQueue queue) {
        if (committed) {
            throw new IllegalStateException("the transaction is committed");
        }
        if (++entries > ENTRIES_MAX) {
            throw BrokerException.session(
                    ErrorKind.PRECONDITION_FAILED,
                    "transaction holds more than " + ENTRIES_MAX + " entries of queues and acknowledgements");
        }
        return partsByQueue.computeIfAbsent(queue, none -> {
            TransactionPart part = new TransactionPart(queue, session, this::shown);
            parts.add(part);
            return part;
        });
    }

    @Override
    public CompletionStage<Boolean> commit() {
        if (committed) {
            throw new IllegalStateException("the transaction is committed");
        }
        committed = true;
        CompletionStage<Boolean> answer = session.exclusively(done);
        if (parts.isEmpty()) {
            done.complete(true);
        } else if (entries == 1 && parts.get(0).size() == 1) {
            publishPlainly(parts.get(0));
        } else {
            prepare();
        }
        return answer;
    }

    /** One message for one queue is whole by itself. */
    private void publishPlainly(TransactionPart part) {
        Loop loop = session.loop();
        Loop home = part.queue().home(loop);
        Receipt receipt = new Receipt(session, done);
        if (home == loop) {
            part.queue().enqueue(part.message(0), part.envelope(0), receipt, 1);
        } else {
            services.handover(loop).to(home).enqueue(part.queue(), part.message(0), part.envelope(0), receipt, 1);
        }
    }

    /** Awaits one receipt. Called on the connection's loop. */
    private record Receipt(ClientSession session, CompletableFuture<Boolean> done) implements Publisher {
        @Override
        public Loop loop() {
            return session.loop();
        }

        @Override
        public void receipt(long number, boolean stored) {
            done.complete(stored);
        }

        @Override
        public void hold() {
            session.hold();
        }

        @Override
        public void resume() {
            session.resume();
        }
    }

    private void prepare() {
        LogTransaction in = services.queues().beginTransaction();
        unprepared = parts.size();
        for (TransactionPart part : parts) {
            session.ask(part.queue(), queue -> queue.prepare(part, in))
                    .whenComplete((answer, failure) -> prepared(part, answer, failure, in));
        }
    }

    private void prepared(
            TransactionPart part,
            TransactionPart.@Nullable Prepared answer,
            @Nullable Throwable failure,
            LogTransaction in) {
        if (answer == null) {
            fault = failure;
        } else if (answer == TransactionPart.Prepared.YES) {
            prepared.add(part);
            unshown++;
        } else if (answer == TransactionPart.Prepared.REFUSED) {
            refused = true;
        }
        if (--unprepared > 0) {
            return;
        }
        if (fault != null) {
            giveUp();
            done.completeExceptionally(fault);
            return;
        }
        if (refused) {
            giveUp();
            done.complete(false);
            return;
        }
        try {
            in.commit(session.loop(), this::answered);
        } catch (IllegalArgumentException tooLarge) {
            giveUp();
            done.completeExceptionally(BrokerException.session(
                    ErrorKind.PRECONDITION_FAILED, "transaction is too large: " + tooLarge.getMessage()));
        }
    }

    private void answered(boolean lasts) {
        durable = lasts;
        if (!lasts || unshown == 0) {
            done.complete(lasts);
        }
    }

    /** Whoever hears that the commit is done finds all of it, on whatever connection. */
    private void shown() {
        unshown--;
        if (durable && unshown == 0) {
            done.complete(true);
        }
    }

    private void giveUp() {
        Loop loop = session.loop();
        for (TransactionPart part : prepared) {
            Loop home = part.queue().home(loop);
            if (home == loop) {
                part.queue().giveUp(part);
            } else {
                services.handover(loop).to(home).run(() -> part.queue().giveUp(part));
            }
        }
    }
}
