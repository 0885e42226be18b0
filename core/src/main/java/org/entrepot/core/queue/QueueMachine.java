package org.entrepot.core.queue;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;
import org.entrepot.spi.message.Annotations;
import org.entrepot.spi.message.DeathReason;
import org.entrepot.spi.message.Envelope;
import org.entrepot.spi.message.Message;
import org.entrepot.spi.session.Outcome;
import org.entrepot.spi.topology.QueueSpec;
import org.entrepot.spi.topology.Retention;
import org.jspecify.annotations.Nullable;

/**
 * Decides what happens in one queue. Pure: it knows no clock, thread, file or socket; time comes in with each command,
 * and what is to happen in the world goes out through {@link QueueEffects}. Owned by the queue's home loop.
 *
 * <p>Commands only decide and record; {@link #dispatch} hands out what is ready, once for all commands of a loop's pass,
 * and then drops what is too old or too much. Commands that must not get what others have a right to dispatch first.
 */
final class QueueMachine {
    /** Entries dropped in one dispatch; others of the loop have their turn before the next. */
    private static final int DROPPED_AT_ONCE_MAX = 10_000;

    private final QueueEffects effects;
    private final Entries entries;
    private final QueueState state;
    private final Consumers consumers;
    private final Expiry expiry;
    private final LeaseWatch leaseWatch;
    private final Lending lending;
    private final QueueCounters counters = new QueueCounters();
    private final Exits exits;
    private final Intake intake;
    private final Transactions transactions;
    /** Which entries are the newest of their keys, in a table. */
    private final @Nullable LatestPerKey latest;

    /** Holders without a consumer: of sessions that pulled, and of consumers that ended while they held something. */
    private final List<Holder> loose = new ArrayList<>(0);

    private QueueSpec settings;
    private final Loading loading;
    /** Whether the present dispatch came to an entry that is not in memory. */
    private boolean starving;
    /** Whether entries on their way out are loaded before those that consumers wait for. */
    private boolean lettersFirst = true;
    /** Ready entries dropped since the present dispatch began. */
    private int dropped;

    private boolean deleted;
    private boolean abandoned;
    private long lastUsed;
    private long wakeAt = Expiry.NEVER;

    /**
     * A machine of an empty queue.
     *
     * @param lasts whether a restart finds what is durable
     */
    QueueMachine(QueueSpec settings, QueueEffects effects, Entries entries, boolean lasts, long now) {
        this.settings = settings;
        this.effects = effects;
        this.entries = entries;
        boolean table = settings.retention() == Retention.LATEST_PER_KEY;
        this.state = new QueueState(settings.priorities(), settings.defaultPriority(), lasts, table);
        this.consumers = new Consumers(settings.singleActiveConsumer());
        this.expiry = new Expiry(state, entries, settings.limits().messageTtlMillis());
        this.leaseWatch = new LeaseWatch(state.leases());
        this.lending = new Lending(consumers, effects);
        this.loading = new Loading(effects);
        this.exits = new Exits(state, entries, effects, counters);
        this.latest = table ? new LatestPerKey(state, exits, counters) : null;
        this.intake = new Intake(settings, state, expiry, latest, effects, counters);
        this.transactions = new Transactions(state, expiry, exits, latest, effects, counters, this::gaveBack);
        this.lastUsed = now;
    }

    // Publishing.

    /**
     * Takes a message in, or refuses it.
     *
     * @param publisher gets the receipt; null for nobody
     */
    void enqueue(
            Message message,
            Envelope envelope,
            Annotations annotations,
            @Nullable Publisher publisher,
            long number,
            long now) {
        if (deleted) {
            // The queue went while the message was on its way: it is as if it had been deleted just after.
            if (publisher != null) {
                effects.answer(publisher, number, true);
            }
            return;
        }
        if (latest != null && message.body().length() == 0) {
            intake.erase(latest, envelope, publisher, number);
        } else if (refuses(message, envelope, now)) {
            intake.refuse(message, envelope, annotations, publisher, number);
        } else {
            intake.take(message, envelope, annotations, publisher, number, now);
        }
        exits.tell();
    }

    private boolean refuses(Message message, Envelope envelope, long now) {
        if (intake.refuses(message, envelope)) {
            // Those who have credit make room first.
            dispatch(now);
            return intake.refuses(message, envelope);
        }
        return false;
    }

    // Consumers.

    /** What came of asking for a consumer. */
    enum Attached {
        YES,
        /** There is an exclusive one, or this is to be the exclusive one and there are others. */
        EXCLUSIVE_USE,
        DELETED
    }

    Attached attach(QueueConsumer consumer, long now) {
        if (deleted) {
            return Attached.DELETED;
        }
        boolean mayBeExclusive = consumers.isEmpty() && !settings.singleActiveConsumer();
        if (consumers.hasExclusive() || (consumer.exclusive() && !mayBeExclusive)) {
            return Attached.EXCLUSIVE_USE;
        }
        consumers.add(consumer);
        elect();
        lastUsed = now;
        return Attached.YES;
    }

    /** Ends a consumer; what it holds stays with its session. */
    void detach(QueueConsumer consumer, long now) {
        if (!consumer.gone()) {
            end(consumer);
            ended(now);
        }
    }

    private void end(QueueConsumer consumer) {
        lending.takeBack(consumer);
        consumers.remove(consumer);
        if (consumer.holder().unsettled() > 0) {
            loose.add(consumer.holder());
        }
    }

    private void ended(long now) {
        lastUsed = now;
        elect();
        if (consumers.isEmpty() && settings.autoDelete()) {
            abandon();
        }
    }

    /** The session is gone: its consumers are ended, and what it holds, by whatever way, is returned. */
    void release(Object session, long now) {
        if (deleted) {
            return;
        }
        List<QueueConsumer> ending = consumers.of(session);
        for (QueueConsumer consumer : ending) {
            end(consumer);
        }
        int held = 0;
        for (Holder holder : loose) {
            held += holder.session() == session ? holder.unsettled() : 0;
        }
        Leases leases = state.leases();
        for (long position = leases.next(0); held > 0; position = leases.next(position + 1)) {
            Holder holder = holderAt(position);
            if (holder.session() == session) {
                held--;
                giveBack(position, holder, true);
            }
        }
        exits.tell();
        lending.tellFreed();
        if (!ending.isEmpty()) {
            ended(now);
        }
    }

    void grantBytes(QueueConsumer consumer, long bytes) {
        consumer.grantBytes(bytes);
        consumers.update(consumer);
    }

    /** Lends places of a shared window; what is not used at once is given back by {@link QueueEffects#unused}. */
    void lend(QueueConsumer consumer, int places) {
        lending.lend(consumer, places);
    }

    /** Whether the consumer shares a window from now on. */
    void share(QueueConsumer consumer, boolean shared) {
        if (!deleted) {
            lending.share(consumer, shared);
        }
    }

    private void elect() {
        QueueConsumer elected = consumers.elect();
        if (elected != null) {
            effects.active(elected, true);
        }
    }

    // Delivering.

    /** Hands out what is ready to those who have credit, and drops what has expired or is too much. */
    void dispatch(long now) {
        if (deleted) {
            return;
        }
        dropped = 0;
        starving = false;
        if (lettersFirst) {
            publishLetters();
        }
        handOut(now);
        dropExpired(now);
        if (dropExcess()) {
            // Another head, of which it may not be known when it expires.
            dropExpired(now);
        }
        if (!lettersFirst) {
            publishLetters();
        }
        exits.tell();
        lending.tellFreed();
        if (!starving) {
            lending.handedOut(state.ready());
        }
        wake(now);
    }

    private void handOut(long now) {
        QueueConsumer next;
        while (state.ready() > 0 && mayDropMore() && (next = consumers.next()) != null) {
            long position = state.first();
            Message message = entries.message(position);
            if (message == null) {
                starve(position);
                return;
            }
            if (expiry.isOver(position, now)) {
                drop(position, message, DeathReason.EXPIRED);
            } else {
                deliver(next, position, message, now);
            }
            if (loading.isTimeToReadAhead(position)) {
                readAhead();
            }
        }
    }

    /** Before consumers wait for it. */
    private void readAhead() {
        long next = state.next(loading.loadedTo() + 1);
        if (next != ReadySet.NONE && entries.message(next) == null) {
            loading.load(next);
        }
    }

    private void deliver(QueueConsumer consumer, long position, Message message, long now) {
        Envelope envelope = entries.envelope(position);
        int bytes = message.body().length();
        int returns = state.returns(position);
        consumer.delivered(message.size() + DeliveryBatch.OVERHEAD_BYTES);
        effects.deliver(consumer, position, returns, message, envelope, entries.annotations(position));
        countDelivered(returns);
        if (consumer.settled()) {
            exits.settleReady(position, envelope, bytes);
            lending.settled(consumer);
        } else if (consumer.leaseMillis().isPresent()) {
            long deadline = Expiry.later(now, consumer.leaseMillis().getAsLong());
            state.lease(position, consumer.holder(), deadline, envelope, bytes);
            consumer.holder().took();
            leaseWatch.got(consumer, position, deadline);
        } else {
            state.lease(position, consumer.holder(), Leases.NO_DEADLINE, envelope, bytes);
            consumer.holder().took();
        }
        consumers.served(consumer);
    }

    private void countDelivered(int returns) {
        counters.delivered++;
        if (returns != ReturnCounts.NEVER) {
            counters.redelivered++;
        }
    }

    private void dropExpired(long now) {
        long position;
        while (mayDropMore() && (position = expiry.next(now)) != ReadySet.NONE) {
            Message message = entries.message(position);
            if (message == null) {
                starve(position);
                return;
            }
            drop(position, message, DeathReason.EXPIRED);
        }
    }

    private boolean dropExcess() {
        int before = dropped;
        while (mayDropMore() && intake.isOverfull()) {
            long position = state.first();
            Message message = entries.message(position);
            if (message == null) {
                starve(position);
                break;
            }
            drop(position, message, DeathReason.MAXLEN);
        }
        return dropped > before;
    }

    private boolean mayDropMore() {
        return dropped < DROPPED_AT_ONCE_MAX;
    }

    private void drop(long position, Message message, DeathReason reason) {
        dropped++;
        if (latest != null) {
            latest.left(entries.envelope(position).routingKey(), position);
        }
        exits.dropReady(position, message, reason, settings.deadLetter());
    }

    private void publishLetters() {
        long unread = exits.publishRead();
        if (unread != ReadySet.NONE) {
            loading.load(unread);
        }
    }

    private void starve(long position) {
        starving = true;
        loading.load(position);
    }

    /** Entries that were asked for are in memory. What should be among them and is not is not in the log. */
    void loaded(long from, long to, long now) {
        if (deleted) {
            return;
        }
        long asked = loading.from();
        if (loading.loaded(from, to)) {
            lettersFirst = !lettersFirst;
        }
        if (from > asked || to < from) {
            forget(asked, Math.max(asked, from - 1));
        }
        dispatch(now);
    }

    /** The log cannot read these entries any more. */
    void lost(long from, long to, long now) {
        if (deleted) {
            return;
        }
        loading.lost(from, to);
        forget(from, to);
        dispatch(now);
    }

    /** What nobody can read nobody can be given; what somebody has already can be settled as ever. */
    private void forget(long from, long to) {
        if (latest != null) {
            latest.forget(from, to);
        }
        exits.forget(from, to);
        counters.lost += state.lost(from, to, (first, last) -> effects.settled(first, last, 0));
    }

    /** What a pull gives: how many ready messages are left, or {@link #NOTHING}, or {@link #LATER}. */
    static final long NOTHING = -1;

    /** What a pull gives that is to be repeated after {@link #loaded}. */
    static final long LATER = -2;

    /** Delivers one message without a consumer, after those who have credit. */
    long pull(Object session, boolean settled, PullTarget target, long now) {
        lastUsed = now;
        dispatch(now);
        long position = deliverable(now);
        if (position == ReadySet.NONE) {
            return state.ready() > 0 && !deleted ? LATER : NOTHING;
        }
        Message message = Objects.requireNonNull(entries.message(position));
        Envelope envelope = entries.envelope(position);
        int returns = state.returns(position);
        target.pulled(position, returns, message, envelope, entries.annotations(position));
        countDelivered(returns);
        if (settled) {
            exits.settleReady(position, envelope, message.body().length());
            exits.tell();
        } else {
            Holder puller = pullerFor(session);
            state.lease(
                    position,
                    puller,
                    Leases.NO_DEADLINE,
                    envelope,
                    message.body().length());
            puller.took();
        }
        return state.ready();
    }

    /** The entry that is to go next, when it is in memory and not overdue; {@link ReadySet#NONE} when there is none. */
    private long deliverable(long now) {
        while (!deleted && state.ready() > 0) {
            long position = state.first();
            Message message = entries.message(position);
            if (message == null) {
                loading.load(position);
                break;
            }
            if (!expiry.isOver(position, now)) {
                exits.tell();
                return position;
            }
            drop(position, message, DeathReason.EXPIRED);
        }
        exits.tell();
        return ReadySet.NONE;
    }

    /**
     * Looks at what is ready or held, in the order of positions, and gives it to a request until that is full; whether it is
     * done. Where not, it is to be repeated after {@link #loaded}.
     */
    boolean read(ReadRequest request, long now) {
        long position;
        while (!deleted && !request.isFull() && (position = state.nextReadable(request.next())) != ReadySet.NONE) {
            Message message = entries.message(position);
            if (message != null) {
                if (!state.isReady(position) || !expiry.isOver(position, now)) {
                    request.batch()
                            .add(
                                    position,
                                    state.returns(position),
                                    message,
                                    entries.envelope(position),
                                    entries.annotations(position));
                    if (entries.envelope(position).ttlMillis() != Envelope.NO_TTL) {
                        request.batch().waited(now - entries.stamp(position));
                    }
                }
            } else if (!request.hasAsked(position) || !loading.wasForReader(position)) {
                if (request.isEmpty()) {
                    request.asks(position);
                    loading.loadForReader(position);
                }
                return !request.isEmpty();
            }
            request.goOnFrom(position + 1);
        }
        return true;
    }

    /** Up to where entries were loaded for consumers last. */
    long loadedTo() {
        return loading.loadedTo();
    }

    /** Takes what is pulled. */
    @FunctionalInterface
    interface PullTarget {
        void pulled(long position, int returns, Message message, Envelope envelope, Annotations annotations);
    }

    private Holder pullerFor(Object session) {
        for (Holder holder : loose) {
            if (holder.session() == session && holder.consumer() == null) {
                return holder;
            }
        }
        Holder puller = new Holder(session, null);
        loose.add(puller);
        return puller;
    }

    // Settling.

    /** Settles what the session holds among these positions, both included. */
    void settle(Object session, long from, long to, Outcome outcome) {
        if (deleted) {
            return;
        }
        Leases leases = state.leases();
        for (long position = leases.next(from);
                position <= to && position != Leases.NONE;
                position = leases.next(position + 1)) {
            Holder holder = holderAt(position);
            if (holder.session() == session) {
                settleOne(position, holder, outcome);
            }
        }
        exits.tell();
        lending.tellFreed();
    }

    private void settleOne(long position, Holder holder, Outcome outcome) {
        switch (outcome) {
            case ACCEPTED -> {
                exits.settle(position);
                counters.acknowledged++;
                gaveBack(holder);
            }
            case REJECTED -> {
                exits.drop(position, DeathReason.REJECTED, settings.deadLetter());
                gaveBack(holder);
            }
            case RELEASED -> giveBack(position, holder, false);
            case MODIFIED -> giveBack(position, holder, true);
        }
    }

    private void giveBack(long position, Holder holder, boolean failed) {
        int failures = Math.max(0, state.returns(position)) + (failed ? 1 : 0);
        if (failed && failures > settings.deliveryLimit().orElse(Integer.MAX_VALUE)) {
            exits.drop(position, DeathReason.DELIVERY_LIMIT, settings.deadLetter());
        } else {
            state.returned(position, failures);
            effects.returned(position, failures);
            expiry.cameBack(position);
            counters.returned++;
        }
        gaveBack(holder);
    }

    private void gaveBack(Holder holder) {
        holder.gaveBack();
        QueueConsumer consumer = holder.consumer();
        if (consumer != null) {
            lending.settled(consumer);
            consumers.update(consumer);
        }
        if (holder.unsettled() == 0 && (consumer == null || consumer.gone())) {
            loose.remove(holder);
        }
    }

    // Transactions.

    /**
     * Prepares a part of a transaction: nobody sees of it anything before {@link #committed}, except that what it settles is
     * not held any more. Whether the queue takes it; where it does not, the part is {@linkplain #givenUp given up}.
     */
    boolean prepare(TransactionPart part, long now) {
        // Where the queue went meanwhile it is as if it had gone just after.
        boolean taken = deleted
                || transactions.prepare(part, settings, (message, envelope) -> refuses(message, envelope, now), now);
        lending.tellFreed();
        return taken;
    }

    /** The transaction of a part that was prepared was committed. */
    void committed(TransactionPart part) {
        if (!deleted) {
            transactions.committed(part);
        }
    }

    /** The transaction of a part that was prepared was given up: what it was to settle is returned. */
    void givenUp(TransactionPart part) {
        if (!deleted) {
            transactions.givenUp(part);
        }
    }

    /** Which entries are the newest of their keys; null where the queue is no table. */
    @Nullable LatestPerKey latest() {
        return latest;
    }

    /** Bytes that a table's keys take in memory, roughly. */
    long keyBytes() {
        return latest == null ? 0 : latest.keyBytes();
    }

    /** All that was in a table before it was opened has become known. */
    void known() {
        exits.tell();
        if (latest != null) {
            latest.forgetErasures();
        }
    }

    /** The log was read, and what came of transactions goes on. */
    void resume() {
        transactions.resume(settings.deadLetter());
    }

    private Holder holderAt(long position) {
        return Objects.requireNonNull(state.leases().holder(position));
    }

    /**
     * What became of a dead letter.
     *
     * @param taken whether a queue has it
     * @return whether it is to be published once more, later
     */
    boolean deadLettered(long position, boolean taken) {
        if (deleted) {
            return false;
        }
        boolean again = exits.deadLettered(position, taken, settings.deadLetter());
        exits.tell();
        return again;
    }

    /** Removes all ready entries but those that consumers have credit for; gives their number. */
    long purge(long now) {
        if (deleted) {
            return 0;
        }
        dispatch(now);
        long purged = state.ready();
        exits.settleAllReady();
        exits.tell();
        if (latest != null) {
            latest.clear();
        }
        counters.purged += purged;
        return purged;
    }

    // Time.

    /** Does what is due. */
    void tick(long now) {
        if (deleted) {
            return;
        }
        wakeAt = Expiry.NEVER;
        OptionalLong idle = settings.limits().idleMillis();
        if (idle.isPresent() && consumers.isEmpty() && now >= Expiry.later(lastUsed, idle.getAsLong())) {
            abandon();
        }
        leaseWatch.check(now, effects);
        dispatch(now);
    }

    /** Asks to be woken when something is next due, unless that was asked for already. */
    private void wake(long now) {
        long next = mayDropMore() ? leaseWatch.nextInstant() : now;
        if (!loading.isUnderWay()) {
            next = Math.min(next, expiry.nextInstant());
        }
        OptionalLong idle = settings.limits().idleMillis();
        if (idle.isPresent() && consumers.isEmpty() && !abandoned) {
            next = Math.min(next, Expiry.later(lastUsed, idle.getAsLong()));
        }
        if (next < wakeAt) {
            wakeAt = next;
            effects.wakeAt(Math.max(next, now));
        }
    }

    // Life.

    /** The queue was declared once more. */
    void used(long now) {
        lastUsed = now;
    }

    /** A policy changed what the queue is to be; priorities stay as they were. */
    void reconfigure(QueueSpec changed, long now) {
        if (deleted) {
            return;
        }
        if (!changed.limits().idleMillis().equals(settings.limits().idleMillis())) {
            lastUsed = now;
        }
        settings = changed;
        intake.reconfigure(changed);
        expiry.messageTtl(changed.limits().messageTtlMillis());
        consumers.singleActive(changed.singleActiveConsumer());
        elect();
        dispatch(now);
    }

    /** The queue is gone: its consumers are revoked, its messages forgotten. Gives the number of ready ones. */
    long delete(String reason, long now) {
        if (deleted) {
            return 0;
        }
        dispatch(now);
        deleted = true;
        for (Holder holder : loose) {
            if (holder.consumer() != null) {
                lending.takeBackAll(holder.consumer());
            }
        }
        for (QueueConsumer consumer : consumers) {
            lending.takeBackAll(consumer);
            effects.revoked(consumer, reason);
            consumer.leave();
        }
        return state.ready();
    }

    private void abandon() {
        if (!abandoned && !deleted) {
            abandoned = true;
            effects.abandoned();
        }
    }

    boolean isDeleted() {
        return deleted;
    }

    long ready() {
        return state.ready();
    }

    long readyBytes() {
        return state.readyBytes();
    }

    int unsettled() {
        return state.leases().size();
    }

    int consumerCount() {
        return consumers.size();
    }

    QueueCounters counters() {
        return counters;
    }

    /** Deadlines of messages that are kept, of ones that are gone as well. */
    int indexedDeadlines() {
        return expiry.indexed();
    }

    QueueState state() {
        return state;
    }

    Expiry expiry() {
        return expiry;
    }
}
