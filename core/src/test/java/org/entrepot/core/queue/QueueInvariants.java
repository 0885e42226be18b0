package org.entrepot.core.queue;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.entrepot.core.queue.ModelQueue.Command;
import org.entrepot.core.queue.ModelQueue.Entry;
import org.entrepot.core.queue.ModelQueue.Place;
import org.entrepot.spi.message.DeathReason;
import org.entrepot.spi.message.Message;
import org.entrepot.spi.session.Outcome;
import org.entrepot.spi.topology.DeadLetter;
import org.entrepot.spi.topology.QueueLimits.Overflow;
import org.jspecify.annotations.Nullable;

/** What is always so of queues. */
final class QueueInvariants {
    private QueueInvariants() {}

    static List<QueueInvariant> all() {
        return List.of(
                new NothingIsLost(),
                new NobodyHoldsWhatAnotherHolds(),
                new OldestOfTheHighestPriorityGoesFirst(),
                new FirstDeliveriesKeepThePublishersOrder(),
                new ConsumersOfHigherPriorityGoFirst(),
                new OnlyTheActiveConsumerIsServed(),
                new ExclusiveConsumersAreAlone(),
                new WindowsAreKept(),
                new SharedWindowsAreKept(),
                new CreditInBytesIsKept(),
                new ReturnsAreCounted(),
                new CommandsAreDone(),
                new ReceiptsComeOnceAndNotTooEarly(),
                new EveryEntryHasOnePlace(),
                new CountersCountWhatHappens(),
                new LimitsAreKept(),
                new NothingReadyIsOverdue(),
                new NobodyWaitsInVain(),
                new WakesAreInTime(),
                new RecordsTellTheState());
    }

    /** An entry leaves its queue for a reason, and in the end all have left. */
    static final class NothingIsLost extends QueueInvariant {

        @Override
        void leaving(ModelQueue queue, Entry entry) {
            DeadLetter to = queue.spec.deadLetter();
            Command command = queue.command;
            boolean reason = switch (entry.place) {
                case READY ->
                    command.kind() == Command.Kind.PURGE
                            || (to == null && (queue.due(entry) <= queue.now || queue.isOverfull()));
                case HELD ->
                    entry.settledByDelivery
                            || (command.settles(entry) && command.outcome() == Outcome.ACCEPTED)
                            || (to == null
                                    && ((command.settles(entry) && command.outcome() == Outcome.REJECTED)
                                            || (command.fails(entry) && queue.failsForGood(entry))));
                case DYING ->
                    (command.kind() == Command.Kind.DEAD_LETTERED
                                    && command.from() == entry.position
                                    && (command.taken() || to == null || !to.atLeastOnce()))
                            || (command.kind() == Command.Kind.RESUME && to == null);
                case UNDECIDED, SETTLING -> false;
            };
            mustBe(reason, entry, "left", queue.name, "without a reason");
        }

        @Override
        void dying(ModelQueue queue, Entry entry, DeathReason reason) {
            mustBe(queue.spec.deadLetter() != null, entry, "died without a place to go to");
            Command command = queue.command;
            boolean so = switch (reason) {
                case REJECTED ->
                    entry.place == Place.HELD && command.settles(entry) && command.outcome() == Outcome.REJECTED;
                case DELIVERY_LIMIT -> entry.place == Place.HELD && command.fails(entry) && queue.failsForGood(entry);
                case EXPIRED -> entry.place == Place.READY && queue.due(entry) <= queue.now;
                case MAXLEN -> entry.place == Place.READY && queue.isOverfull() && queue.goesBeforeTheOthers(entry);
            };
            mustBe(so, entry, "of", queue.name, "died of", reason);
        }

        @Override
        void ended(Simulation simulation) {
            for (SimulatedQueue queue : simulation.queues()) {
                mustBe(
                        queue.model().entries.isEmpty(),
                        queue.model().entries.values(),
                        "are still in",
                        queue.model().name);
            }
        }
    }

    /** What is handed out was ready. */
    static final class NobodyHoldsWhatAnotherHolds extends QueueInvariant {
        @Override
        void delivering(ModelQueue queue, Entry entry, @Nullable QueueConsumer consumer, int returns) {
            mustBe(entry.place == Place.READY, entry, "of", queue.name, "was delivered");
        }
    }

    /** The next one out is the oldest of the highest priority, whether it was there all the time or came back. */
    static final class OldestOfTheHighestPriorityGoesFirst extends QueueInvariant {
        @Override
        void delivering(ModelQueue queue, Entry entry, @Nullable QueueConsumer consumer, int returns) {
            mustBe(entry == queue.first(), entry, "of", queue.name, "went before", queue.first());
        }
    }

    /** One publisher's messages of one priority reach one consumer in order, those apart that were returned. */
    static final class FirstDeliveriesKeepThePublishersOrder extends QueueInvariant {
        private record Path(QueueConsumer consumer, Publisher publisher, int lane) {}

        private final Map<Path, Long> last = new HashMap<>();

        @Override
        void delivering(ModelQueue queue, Entry entry, @Nullable QueueConsumer consumer, int returns) {
            if (consumer != null && entry.publisher != null && entry.returns == ReturnCounts.NEVER) {
                Long before = last.put(new Path(consumer, entry.publisher, entry.lane), entry.number);
                mustBe(before == null || before < entry.number, entry, "of", queue.name, "came after", before);
            }
        }
    }

    /** Nobody is served while somebody of higher priority could be. */
    static final class ConsumersOfHigherPriorityGoFirst extends QueueInvariant {
        @Override
        void delivering(ModelQueue queue, Entry entry, @Nullable QueueConsumer consumer, int returns) {
            for (QueueConsumer other : queue.consumers) {
                mustBe(
                        consumer == null
                                || other.priority() <= consumer.priority()
                                || !other.hasCredit()
                                || !queue.serves(other),
                        entry,
                        "of",
                        queue.name,
                        "went to priority",
                        consumer == null ? 0 : consumer.priority(),
                        "before",
                        other.priority());
            }
        }
    }

    /** Of a single-active queue nobody but the one consumer that was told so gets anything. */
    static final class OnlyTheActiveConsumerIsServed extends QueueInvariant {
        @Override
        void delivering(ModelQueue queue, Entry entry, @Nullable QueueConsumer consumer, int returns) {
            mustBe(
                    consumer == null || (queue.consumers.contains(consumer) && queue.serves(consumer)),
                    entry,
                    "of",
                    queue.name,
                    "went to a consumer that is not served");
        }

        @Override
        void passed(SimulatedQueue queue) {
            ModelQueue model = queue.model();
            mustBe(
                    model.deleted
                            || !model.spec.singleActiveConsumer()
                            || model.consumers.isEmpty()
                            || model.active != null,
                    model.name,
                    "has consumers and none is active");
        }
    }

    /** An exclusive consumer is alone. */
    static final class ExclusiveConsumersAreAlone extends QueueInvariant {
        @Override
        void passed(SimulatedQueue queue) {
            ModelQueue model = queue.model();
            mustBe(
                    model.consumers.size() <= 1 || model.consumers.stream().noneMatch(QueueConsumer::exclusive),
                    model.name,
                    "has an exclusive consumer among",
                    model.consumers.size());
        }
    }

    /** Nobody holds more than the consumer's window. */
    static final class WindowsAreKept extends QueueInvariant {
        @Override
        void delivering(ModelQueue queue, Entry entry, @Nullable QueueConsumer consumer, int returns) {
            if (consumer != null) {
                int window = queue.windows.get(consumer);
                mustBe(
                        window == 0 || queue.heldBy(consumer) < window,
                        entry,
                        "of",
                        queue.name,
                        "was one more than the window of",
                        window);
            }
        }
    }

    /** Consumers that share a window do not hold more than it has places; when they hold nothing, all are free. */
    static final class SharedWindowsAreKept extends QueueInvariant {
        @Override
        void passed(SimulatedQueue queue) {
            for (SimulatedSession session : queue.simulation().sessions()) {
                if (session.windowNeverShrank()) {
                    int held = 0;
                    for (SimulatedQueue each : queue.simulation().queues()) {
                        for (Entry entry : each.model().in(Place.HELD)) {
                            held += entry.session == session && entry.consumer != null && entry.consumer.shared()
                                    ? 1
                                    : 0;
                        }
                    }
                    mustBe(held <= session.windowSize(), held, "are held of a window of", session.windowSize());
                }
            }
        }

        @Override
        void ended(Simulation simulation) {
            for (SimulatedSession session : simulation.sessions()) {
                mustBe(
                        session.windowFree() == session.windowSize(),
                        "of a window of",
                        session.windowSize(),
                        ",",
                        session.windowFree(),
                        "places are free in the end");
            }
        }
    }

    /** Credit in bytes may be overdrawn by one message, not more. */
    static final class CreditInBytesIsKept extends QueueInvariant {
        @Override
        void delivering(ModelQueue queue, Entry entry, @Nullable QueueConsumer consumer, int returns) {
            if (consumer != null) {
                mustBe(queue.byteCredit.get(consumer) > 0, entry, "of", queue.name, "was not paid for");
            }
        }
    }

    /** A delivery says how often it was returned. */
    static final class ReturnsAreCounted extends QueueInvariant {
        @Override
        void delivering(ModelQueue queue, Entry entry, @Nullable QueueConsumer consumer, int returns) {
            mustBe(returns == entry.returns, entry, "of", queue.name, "said", returns, "for", entry.returns);
        }

        @Override
        void returning(ModelQueue queue, Entry entry, int failures) {
            Command command = queue.command;
            boolean failed = command.fails(entry);
            boolean released = command.settles(entry) && command.outcome() == Outcome.RELEASED;
            mustBe(
                    (entry.place == Place.HELD && (failed || released))
                            || (entry.place == Place.SETTLING && command.givesUp(entry)),
                    entry,
                    "of",
                    queue.name,
                    "was returned by nobody");
            mustBe(
                    failures == Math.max(0, entry.returns) + (failed ? 1 : 0),
                    entry,
                    "of",
                    queue.name,
                    ",",
                    entry.returns,
                    ", was returned with",
                    failures);
            mustBe(!failed || !queue.failsForGood(entry), entry, "of", queue.name, "was returned too often");
        }
    }

    /** What was settled is no longer held, what was purged no longer ready. */
    static final class CommandsAreDone extends QueueInvariant {
        @Override
        void commanded(ModelQueue queue) {
            Command command = queue.command;
            for (Entry entry : queue.entries.values()) {
                boolean left = switch (entry.place) {
                    case READY -> command.kind() == Command.Kind.PURGE;
                    case HELD -> command.settles(entry) || command.releases(entry);
                    case DYING, UNDECIDED, SETTLING -> false;
                };
                mustBe(!left, entry, "of", queue.name, "was left by", command);
            }
        }
    }

    /** Each publish is answered once, and durable ones as stored only once they are on disk. */
    static final class ReceiptsComeOnceAndNotTooEarly extends QueueInvariant {
        private record Publish(SimulatedQueue queue, Publisher publisher, long number) {}

        private final Set<Publish> answered = new HashSet<>();

        @Override
        void answered(SimulatedQueue queue, Publisher publisher, long number, boolean stored) {
            mustBe(answered.add(new Publish(queue, publisher, number)), number, "was answered twice");
            if (stored && !queue.model().deleted) {
                mustBe(queue.isSafe(publisher, number), number, "is not stored yet");
            }
        }

        @Override
        void ended(Simulation simulation) {
            for (SimulatedQueue queue : simulation.queues()) {
                queue.offered()
                        .forEach((publisher, numbers) -> numbers.forEach(number -> mustBe(
                                answered.contains(new Publish(queue, publisher, number)),
                                number,
                                "to",
                                queue.model().name,
                                "was never answered")));
            }
        }
    }

    /** Ready, held and dying together are what the log holds, and the machine's numbers are those of reality. */
    static final class EveryEntryHasOnePlace extends QueueInvariant {
        @Override
        void passed(SimulatedQueue queue) {
            ModelQueue model = queue.model();
            QueueMachine machine = queue.machine();
            if (model.deleted) {
                return;
            }
            mustBe(
                    machine.ready() == model.count(Place.READY)
                            && machine.unsettled() == model.count(Place.HELD)
                            && machine.state().undecided() == model.count(Place.UNDECIDED)
                            && machine.state().dying().size() == model.count(Place.DYING) + model.count(Place.SETTLING),
                    model.name,
                    "says",
                    machine.ready(),
                    "ready,",
                    machine.unsettled(),
                    "held,",
                    machine.state().dying().size(),
                    "dying of",
                    model.entries.values());
            mustBe(machine.readyBytes() == model.bytes(Place.READY), model.name, "counts bytes wrongly");
            mustBe(
                    machine.state().dying().bytes() == model.bytes(Place.DYING) + model.bytes(Place.SETTLING)
                            && machine.state().undecidedBytes() == model.bytes(Place.UNDECIDED),
                    model.name,
                    "counts dying bytes wrongly");
            mustBe(
                    queue.hasNewsOfTransactions() || queue.log().positions().equals(model.entries.keySet()),
                    "the log of",
                    model.name,
                    "has",
                    queue.log().positions());
            for (Entry entry : model.entries.values()) {
                QueueState state = machine.state();
                mustBe(
                        state.isReady(entry.position) == (entry.place == Place.READY)
                                && state.isDying(entry.position)
                                        == (entry.place == Place.DYING || entry.place == Place.SETTLING)
                                && (state.leases().holder(entry.position) != null) == (entry.place == Place.HELD),
                        entry,
                        "of",
                        model.name,
                        "is not there");
            }
        }
    }

    /** Counters say what happened. */
    static final class CountersCountWhatHappens extends QueueInvariant {
        @Override
        void passed(SimulatedQueue queue) {
            ModelQueue model = queue.model();
            QueueCounters counters = queue.machine().counters();
            mustBe(
                    counters.published == model.published
                            && counters.delivered == model.delivered
                            && counters.redelivered == model.redelivered
                            && counters.acknowledged == model.acknowledged
                            && counters.returned == model.returned
                            && counters.refused == model.refused
                            && counters.purged == model.purged
                            && counters.deadLettered == model.deadLettered,
                    "those of",
                    model.name,
                    "are wrong");
            mustBe(
                    counters.rejected + counters.expired + counters.overflowed + counters.deliveryLimited
                            == model.dropped,
                    model.name,
                    "dropped",
                    model.dropped);
        }
    }

    /** After a pass a queue that drops its head holds no more than it may; one that refuses takes in no more. */
    static final class LimitsAreKept extends QueueInvariant {
        @Override
        void appended(ModelQueue queue, Entry entry) {
            if (queue.spec.limits().overflow() != Overflow.DROP_HEAD) {
                mustBe(
                        queue.count(Place.READY) + queue.count(Place.UNDECIDED)
                                        < queue.spec.limits().messages().orElse(Long.MAX_VALUE)
                                && queue.bytes(Place.READY)
                                                + queue.bytes(Place.UNDECIDED)
                                                + entry.message.body().length()
                                        <= queue.spec.limits().bytes().orElse(Long.MAX_VALUE),
                        entry,
                        "was let into",
                        queue.name,
                        ", which is full");
            }
        }

        @Override
        void refusing(ModelQueue queue, Message message) {
            DeadLetter to = queue.spec.deadLetter();
            boolean keepsDying = to != null && to.atLeastOnce();
            int messages = queue.count(Place.READY)
                    + queue.count(Place.UNDECIDED)
                    + (keepsDying ? queue.count(Place.DYING) : 0);
            long bytes = queue.bytes(Place.READY)
                    + queue.bytes(Place.UNDECIDED)
                    + (keepsDying ? queue.bytes(Place.DYING) : 0)
                    + message.body().length();
            mustBe(
                    queue.spec.limits().overflow() != Overflow.DROP_HEAD
                            && (messages >= queue.spec.limits().messages().orElse(Long.MAX_VALUE)
                                    || bytes > queue.spec.limits().bytes().orElse(Long.MAX_VALUE)),
                    queue.name,
                    "refused a message with",
                    queue.entries.values(),
                    "in it");
        }

        @Override
        void passed(SimulatedQueue queue) {
            ModelQueue model = queue.model();
            mustBe(
                    model.deleted || queue.isLoading() || !model.isOverfull(),
                    model.name,
                    "holds",
                    model.entries.values());
        }
    }

    /** What is delivered is not overdue, and after a pass nothing that is ready is. */
    static final class NothingReadyIsOverdue extends QueueInvariant {
        @Override
        void delivering(ModelQueue queue, Entry entry, @Nullable QueueConsumer consumer, int returns) {
            mustBe(queue.due(entry) >= queue.now, entry, "of", queue.name, "was due at", queue.due(entry));
        }

        @Override
        void passed(SimulatedQueue queue) {
            ModelQueue model = queue.model();
            if (model.deleted || queue.isLoading()) {
                return;
            }
            for (Entry entry : model.in(Place.READY)) {
                mustBe(model.due(entry) > model.now, entry, "of", model.name, "was due at", model.due(entry));
            }
        }
    }

    /** After a pass nothing is ready that somebody has credit for; in the end nothing is ready at all. */
    static final class NobodyWaitsInVain extends QueueInvariant {
        @Override
        void passed(SimulatedQueue queue) {
            ModelQueue model = queue.model();
            if (model.deleted || queue.isLoading() || model.first() == null) {
                return;
            }
            for (QueueConsumer consumer : model.consumers) {
                int window = model.windows.get(consumer);
                boolean open = model.byteCredit.get(consumer) > 0
                        && (window == 0 || model.heldBy(consumer) < window)
                        && model.serves(consumer);
                mustBe(!open || consumer.shared(), model.first(), "is ready in", model.name, "and a consumer waits");
                mustBe(
                        !open || !consumer.shared() || consumer.told(),
                        model.first(),
                        "is ready in",
                        model.name,
                        "and a consumer has not said that it wants it");
            }
        }
    }

    /** The machine has itself woken when something is next due, and not for nothing at once. */
    static final class WakesAreInTime extends QueueInvariant {
        @Override
        void passed(SimulatedQueue queue) {
            ModelQueue model = queue.model();
            if (model.deleted || queue.isLoading()) {
                return;
            }
            long next = Long.MAX_VALUE;
            for (Entry entry : model.entries.values()) {
                if (entry.place == Place.READY) {
                    next = Math.min(next, model.due(entry));
                } else if (entry.place == Place.HELD && queue.isWatched(entry)) {
                    next = Math.min(
                            next, entry.heldSince + entry.consumer.leaseMillis().getAsLong());
                }
            }
            if (model.spec.limits().idleMillis().isPresent() && model.consumers.isEmpty() && !model.abandoned) {
                next = Math.min(
                        next, model.lastUsed + model.spec.limits().idleMillis().getAsLong());
            }
            mustBe(
                    queue.wakeAt() <= Math.max(next, model.now),
                    model.name,
                    "sleeps until",
                    queue.wakeAt(),
                    ", not",
                    next);
            mustBe(
                    !queue.onlyTicked() || queue.wakeAt() > model.now || next <= model.now,
                    model.name,
                    "has itself woken at",
                    queue.wakeAt(),
                    ", which is now, and nothing is due before",
                    next);
        }
    }

    /** A restart that applies the records finds the entries that were not settled, ready, and returned as often. */
    static final class RecordsTellTheState extends QueueInvariant {
        @Override
        void passed(SimulatedQueue queue) {
            if (queue.simulation().random().percent(2)) {
                check(queue);
            }
        }

        @Override
        void ended(Simulation simulation) {
            simulation.queues().forEach(this::check);
        }

        private void check(SimulatedQueue queue) {
            ModelQueue model = queue.model();
            if (model.deleted || queue.hasNewsOfTransactions()) {
                return;
            }
            QueueState restarted = queue.replayed().state();
            List<Entry> lasting = model.entries.values().stream()
                    .filter(entry -> entry.envelope.durable() && entry.place != Place.UNDECIDED)
                    .toList();
            mustBe(
                    restarted.ready() + restarted.dying().size() == lasting.size()
                            && restarted.tail() <= queue.machine().state().tail(),
                    model.name,
                    "comes back with",
                    restarted.ready(),
                    "of",
                    model.entries.values());
            mustBe(
                    restarted.bytes()
                            == lasting.stream()
                                    .mapToLong(entry -> entry.message.body().length())
                                    .sum(),
                    model.name,
                    "comes back with",
                    restarted.readyBytes(),
                    "bytes of",
                    lasting);
            for (Entry entry : lasting) {
                mustBe(
                        restarted.lane(entry.lane).contains(entry.position) == !entry.condemned
                                && restarted.isDying(entry.position) == entry.condemned
                                && restarted.returns(entry.position) == entry.returns,
                        entry,
                        "of",
                        model.name,
                        "comes back",
                        restarted.lane(entry.lane).contains(entry.position) ? "of its" : "not of its",
                        "priority",
                        entry.lane,
                        "with",
                        restarted.returns(entry.position),
                        "failures, not",
                        entry.returns);
            }
        }
    }
}
