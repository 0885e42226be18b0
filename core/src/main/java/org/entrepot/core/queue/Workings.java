package org.entrepot.core.queue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.util.concurrent.ScheduledFuture;
import java.util.ArrayDeque;
import java.util.function.Consumer;
import org.entrepot.core.loop.Loop;
import org.entrepot.core.loop.OwnedBy;
import org.entrepot.spi.message.Annotations;
import org.entrepot.spi.message.DeathReason;
import org.entrepot.spi.message.Envelope;
import org.entrepot.spi.message.Message;
import org.entrepot.spi.message.RoutingKey;
import org.entrepot.spi.storage.Log;
import org.entrepot.spi.storage.LogListener;
import org.entrepot.spi.storage.LogTransaction;
import org.entrepot.spi.storage.StorageEngine;
import org.entrepot.spi.storage.StorageEngine.Durability;
import org.entrepot.spi.topology.DeadLetter;
import org.entrepot.spi.topology.QueueSpec;
import org.jspecify.annotations.Nullable;

/**
 * What a {@link LocalQueue} consists of once it has a home, and the doing of what its machine says.
 *
 * <p>What the machine has to say to consumers is kept until it has decided, so that nobody who is told calls it meanwhile.
 */
@OwnedBy("the queue's home loop")
final class Workings implements QueueEffects, LogListener, Pacing.Reins, Loop.PassWork {
    private final LocalQueue queue;
    private final Queues queues;
    private final Loop loop;
    private final boolean durable;
    private final Handover handover;
    private final MemoryShare memory;
    private final Log log;
    private final Residence residence;
    private final QueueMachine machine;
    private final UndecidedParts undecided;
    private final Pacing pacing;
    private final DeadLetters letters;
    private final QueueRecords records = new QueueRecords();
    private final WaitingReceipts waiting = new WaitingReceipts();
    /** Pulls, and reads, of messages that are being loaded. */
    private final ArrayDeque<WaitingPull> pulls = new ArrayDeque<>(0);
    /** Consumers that something was handed to and has not been passed on. */
    private final ArrayDeque<QueueConsumer> served = new ArrayDeque<>(1);
    /** What consumers are told before what was handed to them, and after it. */
    private final ArrayDeque<News> newsBefore = new ArrayDeque<>(1);

    private final ArrayDeque<News> newsAfter = new ArrayDeque<>(1);

    /** Looks through a table that is being opened. */
    private @Nullable TableScan scan;
    /** Hears when that cannot be done. */
    private Consumer<String> scanFailed = reason -> {};

    private @Nullable ScheduledFuture<?> wake;
    private boolean dispatchDue;
    private boolean begun;
    private boolean checkpointDue;
    private boolean failed;
    private boolean closed;
    /** Bytes that the loop's account of memory has for this queue. */
    private long accounted;

    private record WaitingPull(Object session, Runnable again, Runnable nothing) {}

    /** Something to be told to a consumer's session. */
    private record News(Outlet outlet, Runnable telling) {}

    Workings(LocalQueue queue, Queues queues, Loop loop) {
        this.queue = queue;
        this.queues = queues;
        this.loop = loop;
        this.handover = queues.handover(loop);
        this.letters = queues.deadLetters();
        QueueSpec spec = queue.effective();
        this.durable = spec.durable();
        this.memory = queues.memory(loop);
        StorageEngine storage = queues.storage();
        this.log = storage.open(queue.id(), durable, this, loop);
        demandDurability();
        this.residence = new Residence(log);
        boolean lasts = durable && storage.durability() != StorageEngine.Durability.PROCESS;
        this.machine = new QueueMachine(spec, this, new LogEntries(log), lasts, loop.nowMillis());
        this.undecided = new UndecidedParts(machine, handover);
        this.pacing = new Pacing(loop, this);
    }

    /** Makes of the log's records what the queue was; before this has ended the machine gets no command. */
    void recover(QueueReplay.Ended ended) {
        log.replay(new QueueReplay(log::release, machine, machine.latest() == null ? ended : scanned(ended)));
    }

    /** Has a table looked through before it counts as recovered. */
    private QueueReplay.Ended scanned(QueueReplay.Ended ended) {
        return new QueueReplay.Ended() {
            @Override
            public void recovered(boolean muddled) {
                TableScan begun = new TableScan(log, loop, machine, queues.loadBytes(), () -> {
                    scan = null;
                    ended.recovered(muddled);
                });
                scan = begun;
                scanFailed = ended::unreadable;
                begun.goOn();
            }

            @Override
            public void unreadable(String reason) {
                ended.unreadable(reason);
            }
        };
    }

    /** The log was read, and the queue can be used; {@code anew} writes down at once what it is. */
    void begin(boolean anew) {
        begun = true;
        if (anew || checkpointDue) {
            checkpoint();
        }
        machine.resume();
        memory.add(this);
        wantDispatch();
    }

    /** Has the log promise what the queue's policies want. */
    void demandDurability() {
        Durability wanted = queue.durability();
        log.durability(wanted == null ? queues.storage().durability() : wanted);
    }

    Loop loop() {
        return loop;
    }

    QueueMachine machine() {
        return machine;
    }

    // The pass.

    /** A publisher has published. */
    void published(Publisher publisher) {
        pacing.published(publisher);
    }

    /** The machine was given a command: what is ready is handed out at the end of the pass. */
    void wantDispatch() {
        if (!dispatchDue) {
            dispatchDue = true;
            loop.atEndOfPass(Loop.Phase.DISPATCH, this);
        }
    }

    /** Lets the machine do now what it would do at the end of the pass. */
    void dispatchIfDue() {
        if (dispatchDue) {
            machine.dispatch(loop.nowMillis());
        }
    }

    @Override
    public void atEndOfPass() {
        dispatchDue = false;
        if (closed) {
            return;
        }
        machine.dispatch(loop.nowMillis());
        passOn();
        account();
        pacing.handedOut(machine.ready(), machine.readyBytes(), machine.consumerCount());
    }

    /** Passes on what was handed out, and tells what was to be told. */
    void passOn() {
        tell(newsBefore);
        for (QueueConsumer consumer = served.poll(); consumer != null; consumer = served.poll()) {
            DeliveryBatch batch = consumer.takeBatch();
            Outlet outlet = consumer.outlet();
            if (outlet.loop() == loop) {
                outlet.deliver(batch);
            } else {
                handover.to(outlet.loop()).deliver(outlet, batch);
            }
        }
        tell(newsAfter);
    }

    private void tell(ArrayDeque<News> all) {
        for (News news = all.poll(); news != null; news = all.poll()) {
            if (news.outlet().loop() == loop) {
                news.telling().run();
            } else {
                handover.to(news.outlet().loop()).run(news.telling());
            }
        }
    }

    private void account() {
        QueueState state = machine.state();
        long messages = log.residentBytes();
        long all = state.bytes();
        long entries = messages >= all ? state.entries() : (long) ((double) messages / all * state.entries());
        long bytes = messages + entries * ResidentBytes.ENTRY_OVERHEAD + machine.keyBytes();
        if (bytes != accounted) {
            long change = bytes - accounted;
            accounted = bytes;
            memory.changed(change);
        }
    }

    /** Whether the log takes anything at all. */
    boolean failed() {
        return failed;
    }

    /** Bytes that the queue's messages take in memory, roughly. */
    long accounted() {
        return accounted;
    }

    /** Lets about so many bytes of messages out of memory, of those that will be needed last, but not the last ones. */
    void unload(long bytes, long bytesKept) {
        residence.unload(machine.state(), bytes, bytesKept);
        account();
    }

    /** The machine's queue is deleted. */
    void close() {
        passOn();
        closed = true;
        pacing.release();
        waiting.answerUpTo(Long.MAX_VALUE, this::answer, true);
        undecided.close();
        leave();
        queues.storage().delete(queue.id());
        retryPulls();
    }

    /** The broker stops: nobody is left who could be told anything. */
    void stop() {
        closed = true;
        leave();
    }

    private void leave() {
        if (scan != null) {
            scan.stop();
        }
        if (wake != null) {
            wake.cancel(false);
        }
        memory.changed(-accounted);
        accounted = 0;
        memory.remove(this);
        log.close();
    }

    /** Reads what a request is for; whether it is done, and not to be repeated when something was loaded. */
    boolean read(ReadRequest request) {
        boolean done = machine.read(request, loop.nowMillis());
        DeliveryBatch found = request.found();
        if (done && found != null && request.wasLoaded() && queues.isShortOfMemory()) {
            // What somebody has looked at is not what is needed next.
            long first = Math.max(found.position(0), machine.loadedTo() + 1);
            log.unload(first, found.position(found.size() - 1));
        }
        // What was loaded for it takes memory, and others may have waited for their turn.
        wantDispatch();
        return done;
    }

    /** Pulls {@code again} when what was asked for is loaded; unless the session is gone by then. */
    void pullLater(Object session, Runnable again, Runnable nothing) {
        pulls.add(new WaitingPull(session, again, nothing));
    }

    /** Nobody is there any more to take what a session pulls. */
    void endPulls(Object session) {
        for (int left = pulls.size(); left > 0; left--) {
            WaitingPull pull = pulls.remove();
            if (pull.session == session) {
                pull.nothing.run();
            } else {
                pulls.add(pull);
            }
        }
    }

    /** Prepares a part of a transaction. */
    TransactionPart.Prepared prepare(TransactionPart part) {
        return undecided.prepare(part, loop.nowMillis());
    }

    @Override
    public void committed(LogTransaction transaction) {
        TransactionPart part = undecided.committed(transaction);
        if (part.size() > 0) {
            published(part.session());
        }
        decided();
    }

    /** The transaction of a part that was prepared comes to nothing. */
    void giveUp(TransactionPart part) {
        undecided.giveUp(part);
        decided();
    }

    private void decided() {
        if (checkpointDue && !closed) {
            checkpoint();
        }
        wantDispatch();
    }

    private void retryPulls() {
        for (int left = pulls.size(); left > 0; left--) {
            pulls.remove().again.run();
        }
    }

    /** Publishes a dead letter once more after a while. */
    void publishLater(DeadLetters.Letter letter) {
        loop.schedule(
                () -> {
                    if (!closed) {
                        letters.publish(letter);
                    }
                },
                queues.deadLetterRetryMillis());
    }

    // What the machine wants done.

    @Override
    public boolean append(long position, long stamp, Message message, Envelope envelope, Annotations annotations) {
        boolean lasting = durable && envelope.durable();
        long index = log.append(position, stamp, message, envelope, annotations, lasting);
        waiting.appended(index);
        return !lasting || log.durableIndex() >= index;
    }

    @Override
    public void settled(long from, long to, long lastingBytes) {
        // A replay tells the size of what came after the checkpoint, not of what went.
        if (lastingBytes > 0 && from < machine.state().checkpointTail()) {
            log.append(records.left(from, to, lastingBytes), false);
        }
        log.release(from, to);
    }

    @Override
    public void emptied() {
        if (machine.state().checkpointTail() > 0) {
            checkpoint();
        }
    }

    @Override
    public void returned(long position, int failures) {
        if (log.keepsFacts()) {
            log.append(records.returned(position, failures), false);
        }
    }

    @Override
    public void append(LogTransaction in, long position, long stamp, Message message, Envelope envelope) {
        log.append(in, position, stamp, message, envelope, Annotations.NONE, durable && envelope.durable());
    }

    @Override
    public void settled(LogTransaction in, long from, long to, long lastingBytes) {
        if (lastingBytes > 0 && from < machine.state().checkpointTail()) {
            log.append(in, records.left(from, to, lastingBytes));
        }
        log.release(in, from, to);
    }

    @Override
    public void returned(LogTransaction in, long position, int failures) {
        log.append(in, records.returned(position, failures));
    }

    @Override
    public void dies(LogTransaction in, long position, DeathReason reason, int lane, int bytes) {
        log.append(in, records.dies(position, reason, lane, bytes));
    }

    @Override
    public boolean erased(RoutingKey key, long below, boolean asDurable) {
        if (!log.keepsFacts()) {
            return true;
        }
        boolean awaited = durable && asDurable;
        long index = log.append(records.erased(key, below), awaited);
        waiting.appended(index);
        return !awaited || log.durableIndex() >= index;
    }

    @Override
    public void erased(LogTransaction in, RoutingKey key, long below) {
        log.append(in, records.erased(key, below));
    }

    @Override
    public void givenUp(long position) {
        log.release(position, position);
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
            batch = consumer.beginBatch(queue);
            served.add(consumer);
        }
        batch.add(position, returns, message, envelope, annotations);
        if (envelope.ttlMillis() != Envelope.NO_TTL) {
            batch.waited(loop.nowMillis() - log.stamp(position));
        }
    }

    @Override
    public void answer(Publisher publisher, long number, boolean stored) {
        handover.answer(publisher, number, stored);
    }

    @Override
    public void answerWhenDurable(Publisher publisher, long number) {
        if (failed) {
            answer(publisher, number, false);
        } else {
            waiting.add(publisher, number);
        }
    }

    @Override
    public void deadLetter(
            long position,
            DeathReason reason,
            DeadLetter to,
            Message message,
            Envelope envelope,
            Annotations annotations) {
        DeadLetters.Letter letter = new DeadLetters.Letter(queue, position, reason, to, message, envelope, annotations);
        loop.atEndOfPass(Loop.Phase.DISPATCH, () -> letters.publish(letter));
    }

    @Override
    public void wants(QueueConsumer consumer, int messages) {
        newsAfter.add(new News(consumer.outlet(), () -> consumer.outlet().wants(messages)));
    }

    @Override
    public void unused(QueueConsumer consumer, int places) {
        newsAfter.add(new News(consumer.outlet(), () -> consumer.outlet().unused(places)));
    }

    @Override
    public void active(QueueConsumer consumer, boolean active) {
        newsBefore.add(new News(consumer.outlet(), () -> consumer.outlet().active(active)));
    }

    @Override
    public void revoked(QueueConsumer consumer, String reason) {
        newsAfter.add(new News(consumer.outlet(), () -> consumer.outlet().revoked(reason)));
    }

    @Override
    public void leaseExpired(QueueConsumer consumer, long leaseMillis) {
        newsAfter.add(new News(consumer.outlet(), () -> consumer.outlet().leaseExpired(leaseMillis)));
    }

    @Override
    public void wakeAt(long instant) {
        if (wake != null) {
            wake.cancel(false);
        }
        wake = loop.schedule(this::woken, instant - loop.nowMillis());
    }

    private void woken() {
        wake = null;
        if (!closed) {
            machine.tick(loop.nowMillis());
            wantDispatch();
        }
    }

    @Override
    public void abandoned() {
        // Whoever deletes the queue may do so at once: not while the machine is deciding.
        loop.post(() -> queues.abandoned(queue));
    }

    // What the log says.

    @Override
    public void durable(long index) {
        waiting.answerUpTo(index, this::answer, true);
    }

    @Override
    public void loaded(long from, long to) {
        TableScan scanning = scan;
        if (!closed && scanning != null) {
            scanning.loaded(from, to);
        } else if (!closed) {
            residence.loaded(to);
            machine.loaded(from, to, loop.nowMillis());
            retryPulls();
            wantDispatch();
        }
    }

    @Override
    public void lost(long from, long to) {
        TableScan scanning = scan;
        if (!closed && scanning != null) {
            scanning.lost(from, to);
        } else if (!closed) {
            machine.lost(from, to, loop.nowMillis());
            retryPulls();
            wantDispatch();
        }
    }

    @Override
    public void checkpointWanted() {
        if (!begun) {
            checkpointDue = true;
        } else if (!closed) {
            checkpoint();
        }
    }

    private void checkpoint() {
        // It could not say of what is not decided whether it is there.
        checkpointDue = !undecided.isEmpty();
        if (checkpointDue) {
            return;
        }
        ByteBuf state = Unpooled.buffer();
        QueueCheckpoint.write(machine.state(), machine.expiry(), state);
        log.checkpoint(state);
        machine.state().checkpointed();
    }

    @Override
    public void failed(String reason) {
        failed = true;
        queue.acceptNothing();
        TableScan scanning = scan;
        if (scanning != null) {
            scanning.stop();
            scan = null;
            scanFailed.accept(reason);
        }
        waiting.answerUpTo(Long.MAX_VALUE, this::answer, false);
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
