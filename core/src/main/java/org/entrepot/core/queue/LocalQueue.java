package org.entrepot.core.queue;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.entrepot.core.loop.Loop;
import org.entrepot.core.loop.OwnedBy;
import org.entrepot.spi.BrokerException;
import org.entrepot.spi.ErrorKind;
import org.entrepot.spi.message.Annotations;
import org.entrepot.spi.message.Envelope;
import org.entrepot.spi.message.Message;
import org.entrepot.spi.session.Outcome;
import org.entrepot.spi.session.QueueHandle;
import org.entrepot.spi.topology.QueueSpec;
import org.jspecify.annotations.Nullable;

/**
 * A queue of this node: takes commands, lets its {@link QueueMachine} decide, and has its {@link Workings} do in the world
 * what the machine says.
 *
 * <p>It has no loop until it is first used; then it lives on the {@link #home} loop of who used it first and stays there.
 */
@OwnedBy("its home loop; home, id, name and virtualHost may be called by any thread")
public final class LocalQueue implements QueueHandle {
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

    private @Nullable Workings workings;

    LocalQueue(long id, String virtualHost, QueueSpec effective, Queues queues) {
        this.id = id;
        this.virtualHost = virtualHost;
        this.spec = effective;
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

    // Commands, on the home loop.

    public void enqueue(Message message, Envelope envelope, Publisher publisher, long number) {
        enqueue(message, envelope, Annotations.NONE, publisher, number);
    }

    public void enqueue(
            Message message, Envelope envelope, Annotations annotations, @Nullable Publisher publisher, long number) {
        Workings in = workings();
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

    /** The session is gone: its consumers are ended, and what it holds is returned. */
    public void release(Object session) {
        Workings in = workings();
        in.machine().release(session, in.loop().nowMillis());
        in.wantDispatch();
    }

    public void settle(Object session, long from, long to, Outcome outcome) {
        Workings in = workings();
        in.machine().settle(session, from, to, outcome);
        in.wantDispatch();
    }

    public void grantBytes(QueueConsumer consumer, long bytes) {
        Workings in = workings();
        in.machine().grantBytes(consumer, bytes);
        in.wantDispatch();
    }

    public void lend(QueueConsumer consumer, int places) {
        Workings in = workings();
        in.machine().lend(consumer, places);
        in.wantDispatch();
    }

    public void share(QueueConsumer consumer, boolean shared) {
        Workings in = workings();
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

    /** Pulls one message, or null when there is none. */
    public @Nullable Pulled pull(Object session, boolean settled) {
        Workings in = workings();
        if (in.machine().isDeleted()) {
            throw gone();
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
        return remaining == QueueMachine.NOTHING ? null : new Pulled(taken.get(0), remaining);
    }

    public long purge() {
        Workings in = workings();
        long purged = in.machine().purge(in.loop().nowMillis());
        in.wantDispatch();
        return purged;
    }

    /** The queue was declared once more, or inspected. */
    public void used() {
        Workings in = workings();
        in.machine().used(in.loop().nowMillis());
        in.wantDispatch();
    }

    public void reconfigure(QueueSpec effective) {
        Workings in = workings();
        spec = effective;
        in.machine().reconfigure(effective, in.loop().nowMillis());
        in.wantDispatch();
    }

    /** The queue is to be something else from now on. May be called by any thread, one at a time. */
    void change(QueueSpec effective) {
        spec = effective;
        // Who gives the queue its home after this reads what it is to be after that, and finds it changed.
        Loop loop = home;
        if (loop != null) {
            loop.run(() -> reconfigure(effective));
        }
    }

    /** Ends the queue; gives the number of ready messages that went with it. */
    public long delete(String reason) {
        Workings in = workings();
        if (in.machine().isDeleted()) {
            return 0;
        }
        long ready = in.machine().delete(reason, in.loop().nowMillis());
        in.close();
        return ready;
    }

    void deadLettered(DeadLetters.Letter letter, boolean taken) {
        if (letter.position() >= 0) {
            Workings in = workings();
            if (in.machine().deadLettered(letter.position(), taken)) {
                in.publishLater(letter);
            }
            in.wantDispatch();
        }
    }

    /** How the queue is now, with everything done that was decided before. */
    public QueueReport report() {
        Workings in = workings();
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
            in = new Workings(this, queues, Objects.requireNonNull(home));
            workings = in;
        }
        assert in.loop().owns();
        return in;
    }
}
