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
import org.entrepot.spi.topology.DeadLetter;
import org.entrepot.spi.topology.QueueLimits;
import org.entrepot.spi.topology.QueueSpec;
import org.jspecify.annotations.Nullable;

/**
 * Decides what happens in one queue. Pure: it knows no clock, thread, file or socket; time comes in with each command,
 * and what is to happen in the world goes out through {@link QueueEffects}. Owned by the queue's home loop.
 *
 * <p>Commands only decide and record; {@link #dispatch} hands out what is ready, once for all commands of a loop's pass.
 */
final class QueueMachine {
    /** The position of a message that is in no queue. */
    static final long NOWHERE = -1;

    private final QueueEffects effects;
    private final Entries entries;
    private final QueueState state;
    private final Consumers consumers;
    private final Expiry expiry;
    private final QueueCounters counters = new QueueCounters();
    /** Holders of deliveries that were pulled, by session. */
    private final List<Holder> pullers = new ArrayList<>();

    /** Consumers of which places in a shared window became free during the present command. */
    private final List<QueueConsumer> freed = new ArrayList<>(1);

    private QueueSpec settings;
    private boolean hadConsumer;
    private boolean deleted;
    private boolean abandoned;
    private long lastUsed;
    private long wakeAt = Expiry.NEVER;

    /** A run of settled positions that has not been told yet. */
    private long runFrom;

    private long runTo = NOWHERE;

    QueueMachine(QueueSpec settings, QueueEffects effects, Entries entries, long now) {
        this.settings = settings;
        this.effects = effects;
        this.entries = entries;
        this.state = new QueueState(settings.priorities(), settings.defaultPriority());
        this.consumers = new Consumers(settings.singleActiveConsumer());
        this.expiry = new Expiry(state, entries, settings.limits().messageTtlMillis());
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
            answer(publisher, number, true);
            return;
        }
        int bytes = message.size();
        QueueLimits limits = settings.limits();
        boolean limited = limits.messages().isPresent() || limits.bytes().isPresent();
        if (limited && limits.overflow() != QueueLimits.Overflow.DROP_HEAD && isFullFor(bytes)) {
            dispatch(now);
            if (isFullFor(bytes)) {
                refuse(message, envelope, annotations, publisher, number);
                return;
            }
        }
        long position = state.tail();
        long stamp = Math.max(now, state.lastStamp());
        boolean durable = effects.append(position, stamp, message, envelope, annotations);
        state.enqueued(position, stamp, envelope, bytes);
        expiry.enqueued(position, stamp, envelope);
        counters.published++;
        if (publisher != null) {
            if (durable) {
                effects.answer(publisher, number, true);
            } else {
                effects.answerWhenDurable(publisher, number);
            }
        }
        if (limited && limits.overflow() == QueueLimits.Overflow.DROP_HEAD && isOverfull()) {
            dispatch(now);
            while (isOverfull()) {
                dropReady(state.first(), DeathReason.MAXLEN);
            }
            tellRun();
        }
    }

    private boolean isFullFor(int bytes) {
        OptionalLong messages = settings.limits().messages();
        OptionalLong total = settings.limits().bytes();
        return (messages.isPresent() && state.ready() >= messages.getAsLong())
                || (total.isPresent() && state.readyBytes() + bytes > total.getAsLong());
    }

    private boolean isOverfull() {
        OptionalLong messages = settings.limits().messages();
        OptionalLong total = settings.limits().bytes();
        return state.ready() > 0
                && ((messages.isPresent() && state.ready() > messages.getAsLong())
                        || (total.isPresent() && state.readyBytes() > total.getAsLong()));
    }

    private void refuse(
            Message message, Envelope envelope, Annotations annotations, @Nullable Publisher publisher, long number) {
        counters.refused++;
        if (settings.limits().overflow() == QueueLimits.Overflow.REJECT_PUBLISH_DEAD_LETTER
                && settings.deadLetter() != null) {
            effects.deadLetter(NOWHERE, DeathReason.MAXLEN, message, envelope, annotations);
        }
        answer(publisher, number, false);
    }

    private void answer(@Nullable Publisher publisher, long number, boolean stored) {
        if (publisher != null) {
            effects.answer(publisher, number, stored);
        }
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
        if (consumers.hasExclusive()
                || (consumer.exclusive() && !(consumers.isEmpty() && !settings.singleActiveConsumer()))) {
            return Attached.EXCLUSIVE_USE;
        }
        hadConsumer = true;
        consumers.add(consumer);
        elect();
        lastUsed = now;
        return Attached.YES;
    }

    /** Ends a consumer; what it holds stays with its session. */
    void detach(QueueConsumer consumer, long now) {
        if (consumer.gone()) {
            return;
        }
        takeBackLent(consumer);
        consumers.remove(consumer);
        consumer.leaseDeadlines().clear();
        lastUsed = now;
        if (consumer.holder().unsettled() > 0) {
            pullers.add(consumer.holder());
        }
        elect();
        if (consumers.isEmpty() && settings.autoDelete() && hadConsumer && !deleted) {
            abandon();
        }
    }

    /** The session is gone: its consumers are ended, and what it holds, by whatever way, is returned. */
    void release(Object session, long now) {
        for (QueueConsumer consumer : consumers.of(session)) {
            detach(consumer, now);
        }
        Leases leases = state.leases();
        for (long position = leases.next(0); position != Leases.NONE; position = leases.next(position + 1)) {
            Holder holder = holderAt(position);
            if (holder.session() == session) {
                giveBack(position, holder, true);
            }
        }
        pullers.removeIf(holder -> holder.session() == session);
        tellRun();
        tellFreed();
    }

    void grantBytes(QueueConsumer consumer, long bytes) {
        consumer.grantBytes(bytes);
        consumers.update(consumer);
    }

    /** Lends places of a shared window; what is not used at once is given back by {@link QueueEffects#unused}. */
    void lend(QueueConsumer consumer, int places) {
        if (consumer.gone()) {
            effects.unused(consumer, places);
            return;
        }
        consumer.lend(places);
        consumers.update(consumer);
    }

    /** Whether the consumer shares a window from now on. */
    void share(QueueConsumer consumer, boolean shared) {
        takeBackLent(consumer);
        boolean before = consumer.shared();
        consumer.share(shared);
        if (!before && consumer.shared() && consumer.holder().unsettled() > 0) {
            // What it holds already takes places: they are given back as it is settled.
            effects.unused(consumer, -consumer.holder().unsettled());
        }
        consumers.update(consumer);
    }

    private void takeBackLent(QueueConsumer consumer) {
        int unused = consumer.takeBackLent();
        if (unused > 0) {
            effects.unused(consumer, unused);
        }
    }

    private void elect() {
        QueueConsumer elected = consumers.elect();
        if (elected != null) {
            effects.active(elected, true);
        }
    }

    // Delivering.

    /** Hands out what is ready to those who have credit, and drops what has expired. */
    void dispatch(long now) {
        if (deleted) {
            return;
        }
        QueueConsumer next;
        while (state.ready() > 0 && (next = consumers.next()) != null) {
            long position = state.first();
            Message message = entries.message(position);
            if (message == null) {
                effects.load(position);
                break;
            }
            if (expiry.isOver(position, now)) {
                dropReady(position, DeathReason.EXPIRED);
            } else {
                deliver(next, position, message, now);
            }
        }
        tellRun();
        lendAndTakeBack();
        expire(now);
        wake(now);
    }

    private void deliver(QueueConsumer consumer, long position, Message message, long now) {
        Envelope envelope = entries.envelope(position);
        Annotations annotations = entries.annotations(position);
        int bytes = message.size();
        int returns = state.returns(position);
        consumer.delivered(bytes + DeliveryBatch.OVERHEAD_BYTES);
        effects.deliver(consumer, position, returns, message, envelope, annotations);
        counters.delivered++;
        if (returns != ReturnCounts.NEVER) {
            counters.redelivered++;
        }
        if (consumer.settled()) {
            state.settledReady(position, envelope, bytes);
            gone(position);
        } else {
            state.lease(position, consumer.holder(), envelope, bytes);
            consumer.holder().took();
            if (consumer.leaseMillis().isPresent()) {
                consumer.leaseDeadlines()
                        .add(position, now + consumer.leaseMillis().getAsLong());
            }
        }
        consumers.served(consumer);
    }

    private void lendAndTakeBack() {
        for (QueueConsumer consumer : consumers) {
            if (!consumer.shared()) {
                continue;
            }
            if (state.ready() == 0) {
                takeBackLent(consumer);
            } else if (consumer.wantsToBeLent() && !consumer.told()) {
                consumer.tell();
                effects.wants(consumer, state.ready());
            }
        }
    }

    /** What a pull gives: how many ready messages are left, or {@link #NOTHING}. */
    static final long NOTHING = -1;

    /** Delivers one message without a consumer. */
    long pull(Object session, boolean settled, PullTarget target, long now) {
        lastUsed = now;
        if (deleted) {
            return NOTHING;
        }
        expire(now);
        while (state.ready() > 0) {
            long position = state.first();
            Message message = entries.message(position);
            if (message == null) {
                effects.load(position);
                return NOTHING;
            }
            if (expiry.isOver(position, now)) {
                dropReady(position, DeathReason.EXPIRED);
                continue;
            }
            Envelope envelope = entries.envelope(position);
            Annotations annotations = entries.annotations(position);
            int returns = state.returns(position);
            target.pulled(position, returns, message, envelope, annotations);
            counters.delivered++;
            if (settled) {
                state.settledReady(position, envelope, message.size());
                gone(position);
            } else {
                Holder puller = pullerFor(session);
                state.lease(position, puller, envelope, message.size());
                puller.took();
            }
            tellRun();
            return state.ready();
        }
        tellRun();
        return NOTHING;
    }

    /** Takes what is pulled. */
    @FunctionalInterface
    interface PullTarget {
        void pulled(long position, int returns, Message message, Envelope envelope, Annotations annotations);
    }

    private Holder pullerFor(Object session) {
        for (Holder puller : pullers) {
            if (puller.session() == session) {
                return puller;
            }
        }
        Holder puller = new Holder(session, null);
        pullers.add(puller);
        return puller;
    }

    // Settling.

    /** Settles what the session holds among these positions, both included. */
    void settle(Object session, long from, long to, Outcome outcome) {
        Leases leases = state.leases();
        for (long position = leases.next(from); position <= to; position = leases.next(position + 1)) {
            Holder holder = holderAt(position);
            if (holder.session() == session) {
                settleOne(position, holder, outcome);
            }
        }
        tellRun();
        tellFreed();
    }

    private void settleOne(long position, Holder holder, Outcome outcome) {
        switch (outcome) {
            case ACCEPTED -> {
                state.settledHeld(position);
                gone(position);
                counters.acknowledged++;
                gaveBack(holder);
            }
            case REJECTED -> {
                dropHeld(position, DeathReason.REJECTED);
                gaveBack(holder);
            }
            case RELEASED -> giveBack(position, holder, false);
            case MODIFIED -> giveBack(position, holder, true);
        }
    }

    private void giveBack(long position, Holder holder, boolean failed) {
        int failures = Math.max(0, state.returns(position)) + (failed ? 1 : 0);
        if (failed
                && settings.deliveryLimit().isPresent()
                && failures > settings.deliveryLimit().getAsInt()) {
            dropHeld(position, DeathReason.DELIVERY_LIMIT);
        } else {
            Message message = messageAt(position);
            state.returned(position, failures, entries.envelope(position), message.size());
            effects.returned(position, failures);
            expiry.returned(position);
            counters.returned++;
        }
        gaveBack(holder);
    }

    private void gaveBack(Holder holder) {
        holder.gaveBack();
        QueueConsumer consumer = holder.consumer();
        if (consumer != null && consumer.shared()) {
            freed(consumer);
        }
        if (consumer != null && !consumer.gone()) {
            consumers.update(consumer);
        } else if (holder.unsettled() == 0) {
            pullers.remove(holder);
        }
    }

    private void freed(QueueConsumer consumer) {
        if (consumer.freePlace()) {
            freed.add(consumer);
        }
    }

    private void tellFreed() {
        for (int i = 0; i < freed.size(); i++) {
            effects.unused(freed.get(i), freed.get(i).takeFreed());
        }
        freed.clear();
    }

    private Holder holderAt(long position) {
        return Objects.requireNonNull(state.leases().holder(position));
    }

    private Message messageAt(long position) {
        Message message = entries.message(position);
        if (message == null) {
            throw new IllegalStateException("entry " + position + " is not in memory");
        }
        return message;
    }

    // Dropping.

    private void dropReady(long position, DeathReason reason) {
        Message message = messageAt(position);
        Envelope envelope = entries.envelope(position);
        counters.count(reason);
        if (settings.deadLetter() == null) {
            state.settledReady(position, envelope, message.size());
            gone(position);
        } else {
            state.dieReady(position, envelope, message.size());
            effects.deadLetter(position, reason, message, envelope, entries.annotations(position));
        }
    }

    private void dropHeld(long position, DeathReason reason) {
        counters.count(reason);
        if (settings.deadLetter() == null) {
            state.settledHeld(position);
            gone(position);
        } else {
            state.dieHeld(position);
            effects.deadLetter(
                    position, reason, messageAt(position), entries.envelope(position), entries.annotations(position));
        }
    }

    /**
     * What became of a dead letter.
     *
     * @param taken whether a queue has it; where not it is gone all the same, unless the queue promises to keep it
     * @return whether it is to be published once more, later
     */
    boolean deadLettered(long position, boolean taken) {
        if (!state.isDying(position)) {
            return false;
        }
        DeadLetter deadLetter = settings.deadLetter();
        if (!taken && deadLetter != null && deadLetter.atLeastOnce()) {
            return true;
        }
        if (taken) {
            counters.deadLettered++;
        }
        state.settledDying(position);
        gone(position);
        tellRun();
        return false;
    }

    /** Removes all ready entries; gives their number. */
    long purge() {
        long purged = state.ready();
        while (state.ready() > 0) {
            long position = state.first();
            state.settledReady(
                    position, entries.envelope(position), messageAt(position).size());
            gone(position);
        }
        tellRun();
        counters.purged += purged;
        return purged;
    }

    private void gone(long position) {
        if (position == runTo + 1 && runTo != NOWHERE) {
            runTo = position;
        } else {
            tellRun();
            runFrom = position;
            runTo = position;
        }
    }

    private void tellRun() {
        if (runTo != NOWHERE) {
            long to = runTo;
            runTo = NOWHERE;
            effects.settled(runFrom, to);
        }
    }

    // Time.

    /** Does what is due. */
    void tick(long now) {
        wakeAt = Expiry.NEVER;
        checkLeases(now);
        dispatch(now);
        OptionalLong idle = settings.limits().idleMillis();
        if (idle.isPresent() && consumers.isEmpty() && now >= lastUsed + idle.getAsLong()) {
            abandon();
        }
    }

    private void expire(long now) {
        for (long position = expiry.next(now); position != ReadySet.NONE; position = expiry.next(now)) {
            if (entries.message(position) == null) {
                effects.load(position);
                break;
            }
            dropReady(position, DeathReason.EXPIRED);
        }
        tellRun();
    }

    private void checkLeases(long now) {
        for (QueueConsumer consumer : List.copyOf(consumersWithLeases())) {
            LeaseDeadlines deadlines = consumer.leaseDeadlines();
            while (!deadlines.isEmpty()) {
                boolean held = state.leases().holder(deadlines.firstPosition()) == consumer.holder();
                if (held && deadlines.firstInstant() > now) {
                    break;
                }
                if (held && !deadlines.firstIsOutdated()) {
                    effects.leaseExpired(consumer, consumer.leaseMillis().orElseThrow());
                    deadlines.clear();
                    break;
                }
                deadlines.removeFirst();
            }
        }
    }

    private List<QueueConsumer> consumersWithLeases() {
        List<QueueConsumer> found = new ArrayList<>();
        for (QueueConsumer consumer : consumers) {
            if (!consumer.leaseDeadlines().isEmpty()) {
                found.add(consumer);
            }
        }
        return found;
    }

    /** Asks to be woken when something is next due, unless that was asked for already. */
    private void wake(long now) {
        long next = expiry.nextInstant();
        OptionalLong idle = settings.limits().idleMillis();
        if (idle.isPresent() && consumers.isEmpty() && !abandoned) {
            next = Math.min(next, lastUsed + idle.getAsLong());
        }
        if (settings.leaseMillis().isPresent() || !consumers.isEmpty()) {
            for (QueueConsumer consumer : consumers) {
                next = Math.min(next, consumer.leaseDeadlines().firstInstant());
            }
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

    /** Entries that were asked for are in memory. */
    void loaded(long now) {
        dispatch(now);
    }

    /** A policy changed what the queue is to be; priorities stay as they were. */
    void reconfigure(QueueSpec changed, long now) {
        settings = changed;
        expiry.messageTtl(changed.limits().messageTtlMillis());
        consumers.singleActive(changed.singleActiveConsumer());
        elect();
        while (changed.limits().overflow() == QueueLimits.Overflow.DROP_HEAD && isOverfull()) {
            dropReady(state.first(), DeathReason.MAXLEN);
        }
        tellRun();
        wake(now);
    }

    /** The queue is gone: its consumers are revoked, its messages forgotten. Gives the number of ready ones. */
    long delete(String reason) {
        if (deleted) {
            return 0;
        }
        deleted = true;
        for (QueueConsumer consumer : consumers) {
            effects.revoked(consumer, reason);
            takeBackLent(consumer);
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

    int ready() {
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

    QueueState state() {
        return state;
    }
}
