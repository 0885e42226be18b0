package org.entrepot.core.queue;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.entrepot.core.loop.Loop;
import org.entrepot.core.loop.OwnedBy;
import org.entrepot.spi.BrokerException;
import org.entrepot.spi.ErrorKind;
import org.entrepot.spi.message.Annotations;
import org.entrepot.spi.message.Envelope;
import org.entrepot.spi.message.Message;
import org.entrepot.spi.session.Outcome;
import org.entrepot.spi.session.QueueHandle;
import org.entrepot.spi.storage.LogTransaction;
import org.entrepot.spi.storage.StorageEngine.Durability;
import org.entrepot.spi.topology.QueueSpec;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A queue of this node: takes commands, lets its {@link QueueMachine} decide, and has its {@link Workings} do in the world
 * what the machine says.
 *
 * <p>It has no loop until it is first used; then it lives on the {@link #home} loop of who used it first and stays there.
 * With its first use its log is opened and read; commands that come meanwhile are held back in order. Those with an answer
 * must not be given before: see {@link #whenOpen}.
 */
@OwnedBy("its home loop; home, id, name, virtualHost and stored may be called by any thread")
public final class LocalQueue implements QueueHandle {
    private static final Logger log = LoggerFactory.getLogger(LocalQueue.class);
    private static final VarHandle HOME;

    static {
        try {
            HOME = MethodHandles.lookup().findVarHandle(LocalQueue.class, "home", Loop.class);
        } catch (ReflectiveOperationException impossible) {
            throw new ExceptionInInitializerError(impossible);
        }
    }

    private final long id;
    private final String virtualHost;
    private final Queues queues;
    private volatile @Nullable Loop home;
    private volatile QueueSpec spec;
    private volatile @Nullable Durability durability;

    /** The same as {@link #workings}, while entries can be kept. */
    private @Nullable Workings accepting;
    /** There from when the log was read until the broker stops. */
    private @Nullable Workings workings;
    /** The workings whose log is being read. */
    private @Nullable Workings opening;
    /** What came while the log was read. */
    private ArrayDeque<Runnable> held = new ArrayDeque<>(0);
    /** Why the log cannot be used. */
    private @Nullable String unreadable;

    private boolean deleted;
    private boolean stopped;
    /** Entries that the log had when it was opened; negative before. */
    private volatile long storedBefore = -1;

    LocalQueue(long id, String virtualHost, QueueSpec effective, @Nullable Durability durability, Queues queues) {
        this.id = id;
        this.virtualHost = virtualHost;
        this.spec = effective;
        this.durability = durability;
        this.queues = queues;
    }

    @Override
    public long id() {
        return id;
    }

    @Override
    public String name() {
        return spec.name();
    }

    public String virtualHost() {
        return virtualHost;
    }

    /** The spec with what policies add. */
    public QueueSpec effective() {
        return spec;
    }

    /** How safe a message has to be before it is confirmed; null for what the engine's own policy says. */
    @Nullable Durability durability() {
        return durability;
    }

    @Override
    public QueueSpec spec() {
        return spec;
    }

    /** The loop the queue lives on; where it has none yet, it is {@code candidate} from now on. */
    public Loop home(Loop candidate) {
        Loop loop = home;
        if (loop != null) {
            return loop;
        }
        return HOME.compareAndSet(this, null, candidate) ? candidate : Objects.requireNonNull(home);
    }

    /** The loop the queue lives on, or null while nobody has used it: then it is empty. */
    public @Nullable Loop home() {
        return home;
    }

    /** Entries that the queue's log holds from before it was opened, while the queue is not in use. */
    public long stored() {
        long before = storedBefore;
        return before >= 0 ? before : queues.storage().entries(id);
    }

    /** Whether something may become due in it though nobody uses it. */
    boolean mayBecomeDue() {
        QueueSpec now = spec;
        boolean leaving = now.limits().messageTtlMillis().isPresent() || now.deadLetter() != null;
        return now.durable() && (now.limits().idleMillis().isPresent() || (leaving && stored() > 0));
    }

    // Opening and closing, on the home loop.

    /** Does something as soon as the log was read, in order with all that came before: now, where it was. */
    public void whenOpen(Runnable work) {
        if (workings == null) {
            open();
        }
        if (opening != null) {
            held.add(work);
        } else if (!stopped) {
            work.run();
        }
    }

    private void open() {
        if (opening != null || unreadable != null || deleted || stopped) {
            return;
        }
        storedBefore = queues.storage().entries(id);
        Workings begun = new Workings(this, queues, Objects.requireNonNull(home));
        opening = begun;
        begun.recover(new QueueReplay.Ended() {
            @Override
            public void recovered(boolean muddled) {
                if (stopped) {
                    return;
                }
                opening = null;
                workings = begun;
                accepting = begun.failed() ? null : begun;
                begun.begin(muddled);
                doHeld();
            }

            @Override
            public void unreadable(String reason) {
                if (stopped) {
                    return;
                }
                opening = null;
                LocalQueue.this.unreadable = reason;
                begun.stop();
                log.error(
                        "Queue '{}' in virtual host '{}' cannot be used, for its log cannot be read: {}. It can be deleted.",
                        name(),
                        virtualHost,
                        reason);
                doHeld();
            }
        });
    }

    private void doHeld() {
        ArrayDeque<Runnable> before = held;
        held = new ArrayDeque<>(0);
        for (Runnable work : before) {
            try {
                work.run();
            } catch (RuntimeException | AssertionError fault) {
                log.error("A fault in what waited for a queue's log: this is a defect, please report it", fault);
            }
        }
    }

    /** The log takes nothing any more. */
    void acceptNothing() {
        accepting = null;
    }

    /** The broker stops: whatever comes from now on is of no consequence. */
    void stop() {
        stopped = true;
        Workings in = workings == null ? opening : workings;
        if (in != null) {
            in.stop();
        }
        opening = null;
        workings = null;
        accepting = null;
        held.clear();
    }

    // Commands, on the home loop.

    public void enqueue(Message message, Envelope envelope, Publisher publisher, long number) {
        enqueue(message, envelope, Annotations.NONE, publisher, number);
    }

    public void enqueue(
            Message message, Envelope envelope, Annotations annotations, @Nullable Publisher publisher, long number) {
        Workings in = accepting;
        if (in == null) {
            whenOpen(() -> enqueueNowOrNever(message, envelope, annotations, publisher, number));
            return;
        }
        assert in.loop().owns();
        in.machine()
                .enqueue(
                        message,
                        envelope,
                        annotations,
                        publisher,
                        number,
                        in.loop().nowMillis());
        if (publisher != null) {
            in.published(publisher);
        }
        in.wantDispatch();
    }

    private void enqueueNowOrNever(
            Message message, Envelope envelope, Annotations annotations, @Nullable Publisher publisher, long number) {
        if (accepting != null) {
            enqueue(message, envelope, annotations, publisher, number);
        } else if (publisher != null) {
            // A queue that goes while the message is on its way is as if it had gone just after.
            queues.handover(Objects.requireNonNull(home)).answer(publisher, number, deleted);
        }
    }

    /** A consumer that was started, or why it was not. */
    public QueueConsumer attach(Outlet outlet, Object session, QueueConsumer.Terms terms, long byteCredit) {
        Workings in = workings();
        QueueConsumer.Terms full = terms.leaseMillis().isPresent()
                ? terms
                : new QueueConsumer.Terms(
                        terms.settled(),
                        terms.exclusive(),
                        terms.priority(),
                        terms.window(),
                        terms.shared(),
                        spec.leaseMillis());
        QueueConsumer consumer = new QueueConsumer(outlet, session, full, byteCredit);
        switch (in.machine().attach(consumer, in.loop().nowMillis())) {
            case YES -> in.wantDispatch();
            case EXCLUSIVE_USE ->
                throw BrokerException.session(
                        ErrorKind.ACCESS_REFUSED,
                        "queue '" + name() + "' in vhost '" + virtualHost + "' in exclusive use");
            case DELETED -> throw gone();
        }
        return consumer;
    }

    /** Ends a consumer; what it was handed has been passed on when this returns, and nothing is after that. */
    public void detach(QueueConsumer consumer) {
        Workings in = workings();
        in.passOn();
        in.machine().detach(consumer, in.loop().nowMillis());
        in.wantDispatch();
    }

    // Sessions that say one of these have used the queue, so it is open, or the broker stops.

    /** The session is gone: its consumers are ended, and what it holds is returned. */
    public void release(Object session) {
        Workings in = workings;
        if (in == null) {
            return;
        }
        in.endPulls(session);
        in.machine().release(session, in.loop().nowMillis());
        in.wantDispatch();
    }

    public void settle(Object session, long from, long to, Outcome outcome) {
        Workings in = workings;
        if (in == null) {
            return;
        }
        in.machine().settle(session, from, to, outcome);
        in.wantDispatch();
    }

    /**
     * Prepares a part of a transaction, as soon as the queue is open: what it publishes has its place and nobody gets it, what
     * it settles is not held any more.
     */
    public TransactionPart.Prepared prepare(TransactionPart part, LogTransaction in) {
        part.begin(in);
        Workings working = accepting;
        if (working == null) {
            // A queue that goes while the transaction is on its way is as if it had gone just after.
            return deleted ? TransactionPart.Prepared.NOTHING_TO_DO : TransactionPart.Prepared.REFUSED;
        }
        TransactionPart.Prepared prepared = working.prepare(part);
        working.wantDispatch();
        return prepared;
    }

    /** The transaction of a part that was prepared comes to nothing: what it was to settle is returned. */
    public void giveUp(TransactionPart part) {
        Workings in = workings;
        if (in != null) {
            in.giveUp(part);
        }
    }

    public void grantBytes(QueueConsumer consumer, long bytes) {
        Workings in = workings;
        if (in == null) {
            return;
        }
        in.machine().grantBytes(consumer, bytes);
        in.wantDispatch();
    }

    public void lend(QueueConsumer consumer, int places) {
        Workings in = workings;
        if (in == null) {
            return;
        }
        in.machine().lend(consumer, places);
        in.wantDispatch();
    }

    public void share(QueueConsumer consumer, boolean shared) {
        Workings in = workings;
        if (in == null) {
            return;
        }
        in.machine().share(consumer, shared);
        in.wantDispatch();
    }

    /**
     * A message pulled.
     *
     * @param delivery one delivery
     * @param remaining ready messages left
     */
    public record Pulled(DeliveryBatch delivery, long remaining) {}

    /** Pulls one message, where there is one; completes on the home loop, at once unless a message must be loaded. */
    public CompletionStage<Optional<Pulled>> pull(Object session, boolean settled) {
        CompletableFuture<Optional<Pulled>> pulled = new CompletableFuture<>();
        pull(session, settled, pulled);
        return pulled;
    }

    private void pull(Object session, boolean settled, CompletableFuture<Optional<Pulled>> answer) {
        Workings in = workings();
        if (in.machine().isDeleted()) {
            answer.completeExceptionally(gone());
            return;
        }
        List<DeliveryBatch> taken = new ArrayList<>(1);
        long remaining = in.machine()
                .pull(
                        session,
                        settled,
                        (position, returns, message, envelope, annotations) ->
                                taken.add(DeliveryBatch.of(this, position, returns, message, envelope, annotations)),
                        in.loop().nowMillis());
        in.wantDispatch();
        if (remaining == QueueMachine.LATER) {
            in.pullLater(session, () -> pull(session, settled, answer), () -> answer.complete(Optional.empty()));
        } else {
            answer.complete(
                    remaining == QueueMachine.NOTHING
                            ? Optional.empty()
                            : Optional.of(new Pulled(taken.get(0), remaining)));
        }
    }

    /** Reads what is there, without taking it; completes on the home loop, at once unless a message must be loaded. */
    public CompletionStage<ReadRequest> read(Object session, long from, int bytesMax) {
        ReadRequest request = new ReadRequest(this, from, bytesMax);
        read(session, request);
        return request.stage();
    }

    private void read(Object session, ReadRequest request) {
        Workings in = workings();
        if (in.machine().isDeleted()) {
            request.refuse(gone());
        } else if (in.read(request)) {
            request.answer();
        } else {
            in.pullLater(session, () -> read(session, request), request::answer);
        }
    }

    public long purge() {
        Workings in = workings();
        long purged = in.machine().purge(in.loop().nowMillis());
        in.wantDispatch();
        return purged;
    }

    /** The queue was declared once more, or inspected. */
    public void used() {
        Workings in = workings;
        if (in == null) {
            whenOpen(() -> {
                if (workings != null) {
                    used();
                }
            });
            return;
        }
        in.machine().used(in.loop().nowMillis());
        in.wantDispatch();
    }

    public void reconfigure(QueueSpec effective) {
        spec = effective;
        Workings in = workings;
        if (in == null) {
            if (opening != null) {
                held.add(() -> reconfigure(spec));
            }
            return;
        }
        in.demandDurability();
        in.machine().reconfigure(effective, in.loop().nowMillis());
        in.wantDispatch();
    }

    /** The queue is to be something else from now on. May be called by any thread, one at a time. */
    void change(QueueSpec effective, @Nullable Durability safety) {
        spec = effective;
        durability = safety;
        // Who gives the queue its home after this reads what it is to be after that, and finds it changed.
        Loop loop = home;
        if (loop != null) {
            loop.run(() -> reconfigure(effective));
        }
    }

    /** Ends the queue; gives the number of ready messages that went with it, where that is known at once. */
    public long delete(String reason) {
        if (opening != null) {
            held.add(() -> delete(reason));
            return 0;
        }
        if (deleted || stopped) {
            return 0;
        }
        deleted = true;
        Workings in = workings;
        if (in == null) {
            long stored = stored();
            storedBefore = 0;
            queues.storage().delete(id);
            return stored;
        }
        long ready = in.machine().delete(reason, in.loop().nowMillis());
        in.close();
        return ready;
    }

    void deadLettered(DeadLetters.Letter letter, boolean taken) {
        Workings in = workings;
        if (letter.position() >= 0 && in != null) {
            if (in.machine().deadLettered(letter.position(), taken)) {
                in.publishLater(letter);
            }
            in.wantDispatch();
        }
    }

    /** How the queue is now, with everything done that was decided before. */
    public QueueReport report() {
        Workings in = workings;
        if (in == null) {
            return QueueReport.unused(this);
        }
        in.dispatchIfDue();
        QueueMachine machine = in.machine();
        QueueCounters counters = machine.counters();
        return new QueueReport(
                id,
                virtualHost,
                spec,
                machine.ready(),
                machine.readyBytes(),
                machine.unsettled(),
                machine.consumerCount(),
                counters.published,
                counters.delivered,
                counters.acknowledged,
                counters.redelivered,
                counters.expired,
                counters.overflowed,
                counters.deadLettered);
    }

    private BrokerException gone() {
        return BrokerException.session(ErrorKind.NOT_FOUND, "no queue '" + name() + "' in vhost '" + virtualHost + "'");
    }

    private Workings workings() {
        Workings in = workings;
        if (in == null) {
            open();
            in = workings;
        }
        if (in == null) {
            throw unusable();
        }
        assert in.loop().owns();
        return in;
    }

    private RuntimeException unusable() {
        if (deleted) {
            return gone();
        }
        if (unreadable != null || stopped) {
            return BrokerException.session(
                    ErrorKind.INTERNAL_ERROR,
                    "queue '" + name() + "' in vhost '" + virtualHost + "' cannot be used, see the broker's log");
        }
        return new IllegalStateException("the log of queue '" + name() + "' is being read: wait with whenOpen");
    }
}
