package org.entrepot.core.queue;

import io.netty.util.concurrent.ScheduledFuture;
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
import org.entrepot.spi.message.DeathReason;
import org.entrepot.spi.message.Envelope;
import org.entrepot.spi.message.Message;
import org.entrepot.spi.session.Outcome;
import org.entrepot.spi.session.QueueHandle;
import org.entrepot.spi.storage.Log;
import org.entrepot.spi.storage.LogListener;
import org.entrepot.spi.topology.DeadLetter;
import org.entrepot.spi.topology.QueueSpec;
import org.jspecify.annotations.Nullable;

/**
 * A queue of this node: takes commands, lets its {@link QueueMachine} decide, and does in the world what the machine says.
 *
 * <p>It has no loop until it is first used; then it lives on the {@link #home} loop of who used it first and stays there.
 */
@OwnedBy("its home loop; home, id, name and virtualHost may be called by any thread")
public final class LocalQueue implements QueueHandle, Loop.PassWork {
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

    private @Nullable Inside inside;
    private boolean dispatchDue;

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
        Inside in = inside();
        in.machine.enqueue(message, envelope, annotations, publisher, number, in.loop.nowMillis());
        if (publisher != null) {
            in.pacing.published(publisher);
        }
        wantDispatch(in);
    }

    /** A consumer that was started, or why it was not. */
    public QueueConsumer attach(Outlet outlet, Object session, QueueConsumer.Terms terms, long byteCredit) {
        Inside in = inside();
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
        switch (in.machine.attach(consumer, in.loop.nowMillis())) {
            case YES -> wantDispatch(in);
            case EXCLUSIVE_USE ->
                throw BrokerException.session(
                        ErrorKind.ACCESS_REFUSED,
                        "queue '" + name() + "' in vhost '" + virtualHost + "' in exclusive use");
            case DELETED -> throw gone();
        }
        return consumer;
    }

    public void detach(QueueConsumer consumer) {
        Inside in = inside();
        in.machine.detach(consumer, in.loop.nowMillis());
        wantDispatch(in);
    }

    /** The session is gone: its consumers are ended, and what it holds is returned. */
    public void release(Object session) {
        Inside in = inside();
        in.machine.release(session, in.loop.nowMillis());
        wantDispatch(in);
    }

    public void settle(Object session, long from, long to, Outcome outcome) {
        Inside in = inside();
        in.machine.settle(session, from, to, outcome);
        wantDispatch(in);
    }

    public void grantBytes(QueueConsumer consumer, long bytes) {
        Inside in = inside();
        in.machine.grantBytes(consumer, bytes);
        wantDispatch(in);
    }

    public void lend(QueueConsumer consumer, int places) {
        Inside in = inside();
        in.machine.lend(consumer, places);
        wantDispatch(in);
    }

    public void share(QueueConsumer consumer, boolean shared) {
        Inside in = inside();
        in.machine.share(consumer, shared);
        wantDispatch(in);
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
        Inside in = inside();
        if (in.machine.isDeleted()) {
            throw gone();
        }
        List<DeliveryBatch> taken = new ArrayList<>(1);
        long remaining = in.machine.pull(
                session,
                settled,
                (position, returns, message, envelope, annotations) ->
                        taken.add(DeliveryBatch.of(this, position, returns, message, envelope, annotations)),
                in.loop.nowMillis());
        wantDispatch(in);
        return remaining == QueueMachine.NOTHING ? null : new Pulled(taken.get(0), remaining);
    }

    public long purge() {
        Inside in = inside();
        long purged = in.machine.purge();
        wantDispatch(in);
        return purged;
    }

    /** The queue was declared once more, or inspected. */
    public void used() {
        Inside in = inside();
        in.machine.used(in.loop.nowMillis());
        wantDispatch(in);
    }

    public void reconfigure(QueueSpec effective) {
        Inside in = inside();
        spec = effective;
        in.machine.reconfigure(effective, in.loop.nowMillis());
        wantDispatch(in);
    }

    /** Ends the queue; gives the number of ready messages that went with it. */
    public long delete(String reason) {
        Inside in = inside();
        if (in.machine.isDeleted()) {
            return 0;
        }
        long ready = in.machine.delete(reason);
        in.close();
        return ready;
    }

    void deadLettered(DeadLetters.Letter letter, boolean taken) {
        Inside in = inside();
        if (letter.position() >= 0 && in.machine.deadLettered(letter.position(), taken) && !in.machine.isDeleted()) {
            in.loop.schedule(() -> in.letters.publish(letter), queues.deadLetterRetryMillis());
        }
    }

    /** How the queue is now. */
    public QueueReport report() {
        Inside in = inside();
        return new QueueReport(
                id,
                virtualHost,
                spec,
                in.machine.ready(),
                in.machine.readyBytes(),
                in.machine.unsettled(),
                in.machine.consumerCount(),
                in.machine.counters().published,
                in.machine.counters().delivered,
                in.machine.counters().acknowledged,
                in.machine.counters().redelivered,
                in.machine.counters().expired,
                in.machine.counters().overflowed,
                in.machine.counters().deadLettered);
    }

    private BrokerException gone() {
        return BrokerException.session(ErrorKind.NOT_FOUND, "no queue '" + name() + "' in vhost '" + virtualHost + "'");
    }

    // The pass.

    private void wantDispatch(Inside in) {
        if (!dispatchDue) {
            dispatchDue = true;
            in.loop.atEndOfPass(Loop.Phase.DISPATCH, this);
        }
    }

    @Override
    public void atEndOfPass() {
        dispatchDue = false;
        Inside in = inside();
        in.machine.dispatch(in.loop.nowMillis());
        in.handOut();
        in.pacing.handedOut(in.machine.ready(), in.machine.readyBytes(), in.machine.consumerCount());
    }

    private Inside inside() {
        Inside in = inside;
        if (in == null) {
            in = new Inside(Objects.requireNonNull(home));
            inside = in;
        }
        assert in.loop.owns();
        return in;
    }

    /** What the queue consists of once it has a home, and the doing of what its machine says. */
    private final class Inside implements QueueEffects, LogListener, Pacing.Reins {
        final Loop loop;
        final Handover handover;
        final Log log;
        final QueueMachine machine;
        final Pacing pacing;
        final DeadLetters letters;
        private final QueueRecords records = new QueueRecords();
        private final WaitingReceipts waiting = new WaitingReceipts();
        /** Consumers that something was handed to since the last {@link #handOut}. */
        private final List<QueueConsumer> served = new ArrayList<>();

        private @Nullable ScheduledFuture<?> wake;
        private boolean closed;

        Inside(Loop loop) {
            this.loop = loop;
            this.handover = queues.handover(loop);
            this.letters = queues.deadLetters();
            this.log = queues.storage().open(id, spec.durable(), this, loop);
            this.machine = new QueueMachine(spec, this, new LogEntries(log), loop.nowMillis());
            this.pacing = new Pacing(loop, this);
        }

        void close() {
            closed = true;
            pacing.release();
            waiting.answerUpTo(Long.MAX_VALUE, this, true);
            if (wake != null) {
                wake.cancel(false);
            }
            queues.resident(loop).add(-log.residentBytes());
            log.close();
            queues.storage().delete(id);
        }

        void handOut() {
            for (int i = 0; i < served.size(); i++) {
                QueueConsumer consumer = served.get(i);
                DeliveryBatch batch = consumer.takeBatch();
                Outlet outlet = consumer.outlet();
                if (outlet.loop() == loop) {
                    outlet.deliver(batch);
                } else {
                    handover.to(outlet.loop()).deliver(outlet, batch);
                }
            }
            served.clear();
        }

        private void tell(Outlet outlet, Runnable news) {
            if (outlet.loop() == loop) {
                news.run();
            } else {
                handover.to(outlet.loop()).run(news);
            }
        }

        // What the machine wants done.

        @Override
        public boolean append(long position, long stamp, Message message, Envelope envelope, Annotations annotations) {
            boolean durable = envelope.durable() && spec.durable();
            long index = log.append(position, stamp, message, envelope, annotations, durable);
            waiting.appended(index);
            queues.resident(loop).add(message.size() + ResidentBytes.ENTRY_OVERHEAD);
            return !durable || log.durableIndex() >= index;
        }

        @Override
        public void settled(long from, long to) {
            if (log.keepsFacts()) {
                log.append(records.settled(from, to));
            }
            long before = log.residentBytes();
            log.release(from, to);
            queues.resident(loop).add(log.residentBytes() - before - (to - from + 1) * ResidentBytes.ENTRY_OVERHEAD);
        }

        @Override
        public void returned(long position, int failures) {
            if (log.keepsFacts()) {
                log.append(records.returned(position, failures));
            }
        }

        @Override
        public void load(long from) {
            log.load(from, queues.loadBytes());
        }

        @Override
        public void deliver(
                QueueConsumer consumer,
                long position,
                int returns,
                Message message,
                Envelope envelope,
                Annotations annotations) {
            DeliveryBatch batch = consumer.batch();
            if (batch == null) {
                batch = consumer.beginBatch(LocalQueue.this);
                served.add(consumer);
            }
            batch.add(position, returns, message, envelope, annotations);
        }

        @Override
        public void answer(Publisher publisher, long number, boolean stored) {
            if (publisher.loop() == loop) {
                publisher.receipt(number, stored);
            } else {
                handover.to(publisher.loop()).receipt(publisher, number, stored);
            }
        }

        @Override
        public void answerWhenDurable(Publisher publisher, long number) {
            waiting.add(publisher, number);
        }

        @Override
        public void deadLetter(
                long position, DeathReason reason, Message message, Envelope envelope, Annotations annotations) {
            DeadLetter to = Objects.requireNonNull(spec.deadLetter());
            DeadLetters.Letter letter =
                    new DeadLetters.Letter(LocalQueue.this, position, reason, to, message, envelope, annotations);
            loop.atEndOfPass(Loop.Phase.DISPATCH, () -> letters.publish(letter));
        }

        @Override
        public void wants(QueueConsumer consumer, int messages) {
            tell(consumer.outlet(), () -> consumer.outlet().wants(messages));
        }

        @Override
        public void unused(QueueConsumer consumer, int places) {
            // What was handed out in this pass goes first, so that the session counts it before it lends again.
            handOut();
            tell(consumer.outlet(), () -> consumer.outlet().unused(places));
        }

        @Override
        public void active(QueueConsumer consumer, boolean active) {
            tell(consumer.outlet(), () -> consumer.outlet().active(active));
        }

        @Override
        public void revoked(QueueConsumer consumer, String reason) {
            handOut();
            tell(consumer.outlet(), () -> consumer.outlet().revoked(reason));
        }

        @Override
        public void leaseExpired(QueueConsumer consumer, long leaseMillis) {
            tell(consumer.outlet(), () -> consumer.outlet().leaseExpired(leaseMillis));
        }

        @Override
        public void wakeAt(long instant) {
            if (wake != null) {
                wake.cancel(false);
            }
            wake = loop.schedule(this::woken, Math.max(0, instant - loop.nowMillis()));
        }

        private void woken() {
            wake = null;
            if (!closed) {
                machine.tick(loop.nowMillis());
                handOut();
                wantDispatch(this);
            }
        }

        @Override
        public void abandoned() {
            queues.abandoned(LocalQueue.this);
        }

        // What the log says.

        @Override
        public void durable(long index) {
            waiting.answerUpTo(index, this, true);
        }

        @Override
        public void loaded(long from, long to) {
            if (!closed) {
                machine.loaded(loop.nowMillis());
                handOut();
                wantDispatch(this);
            }
        }

        @Override
        public void failed(String reason) {
            waiting.answerUpTo(Long.MAX_VALUE, this, false);
        }

        // Pacing.

        @Override
        public void hold(Publisher publisher) {
            if (publisher.loop() == loop) {
                publisher.hold();
            } else {
                handover.to(publisher.loop()).run(publisher::hold);
            }
        }

        @Override
        public void resume(Publisher publisher) {
            if (publisher.loop() == loop) {
                publisher.resume();
            } else {
                handover.to(publisher.loop()).run(publisher::resume);
            }
        }
    }
}
