package org.entrepot.core.session;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.entrepot.core.loop.Loop;
import org.entrepot.core.queue.DeadLetters;
import org.entrepot.core.queue.LocalQueue;
import org.entrepot.core.queue.Publisher;
import org.entrepot.core.topology.QueueNode;
import org.entrepot.core.topology.Topology;
import org.entrepot.spi.message.Annotations;
import org.entrepot.spi.message.Death;
import org.entrepot.spi.message.DeathReason;
import org.entrepot.spi.message.Envelope;
import org.entrepot.spi.message.RoutingKey;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Publishes dead letters: writes the death into the message's history, routes it like any other publish, and drops it
 * where it would go round in circles. Immutable; called on any queue's home loop.
 */
public final class DeadLetterPublisher implements DeadLetters {
    private static final Logger log = LoggerFactory.getLogger(DeadLetterPublisher.class);

    private final Services services;
    private final Set<String> circlesTold = ConcurrentHashMap.newKeySet();
    /** Queues whose circles are written down, each once. */
    private static final int CIRCLES_TOLD_MAX = 1_000;

    public DeadLetterPublisher(Services services) {
        this.services = services;
    }

    @Override
    public void publish(Letter letter) {
        Loop loop = Objects.requireNonNull(letter.from().home());
        Envelope before = letter.envelope();
        RoutingKey newKey = letter.to().routingKey();
        Envelope envelope = new Envelope(
                letter.to().exchange(),
                newKey == null ? before.routingKey() : newKey,
                newKey == null ? before.copies() : List.of(),
                newKey == null ? before.blindCopies() : List.of(),
                before.durable(),
                before.priority(),
                Envelope.NO_TTL);
        Annotations annotations = withDeath(letter, loop.nowMillis());
        List<LocalQueue> targets = route(letter, envelope, annotations);
        if (targets.isEmpty()) {
            letter.done(false);
            return;
        }
        LetterReceipts receipts = new LetterReceipts(letter, loop, targets.size());
        for (LocalQueue target : targets) {
            Loop home = target.home(loop);
            if (home == loop) {
                target.enqueue(letter.message(), envelope, annotations, receipts, 0);
            } else {
                services.handover(loop)
                        .to(home)
                        .run(() -> target.enqueue(letter.message(), envelope, annotations, receipts, 0));
            }
        }
    }

    private List<LocalQueue> route(Letter letter, Envelope envelope, Annotations annotations) {
        Topology topology = services.topology().current();
        List<LocalQueue> targets = new ArrayList<>();
        services.router()
                .route(
                        topology,
                        letter.from().virtualHost(),
                        envelope.exchange(),
                        envelope.routingKey(),
                        envelope.copies(),
                        envelope.blindCopies(),
                        letter.message(),
                        node -> addTarget(targets, node, letter, annotations));
        return targets;
    }

    private void addTarget(List<LocalQueue> targets, QueueNode node, Letter letter, Annotations annotations) {
        if (isCircle(node.name(), letter.reason(), annotations)) {
            if (circlesTold.size() < CIRCLES_TOLD_MAX
                    && circlesTold.add(letter.from().virtualHost() + '/' + node.name())) {
                log.warn(
                        "Message dropped: dead-lettering from queue '{}' in virtual host '{}' would bring it back to queue"
                                + " '{}' without anybody having rejected it. Said once a queue.",
                        letter.from().name(),
                        letter.from().virtualHost(),
                        node.name());
            }
            return;
        }
        LocalQueue queue = services.queues().get(node.id());
        if (queue != null) {
            targets.add(queue);
        }
    }

    /**
     * Whether a message would come back to a queue that it has died in, and nobody rejected it on the way round: it would do
     * so for ever.
     */
    private static boolean isCircle(String target, DeathReason reason, Annotations annotations) {
        if (reason == DeathReason.REJECTED) {
            return false;
        }
        for (Death death : annotations.deaths()) {
            if (death.reason() == DeathReason.REJECTED) {
                return false;
            }
            if (death.queue().equals(target)) {
                return true;
            }
        }
        return false;
    }

    private static Annotations withDeath(Letter letter, long now) {
        Annotations before = letter.annotations();
        Envelope envelope = letter.envelope();
        List<Death> deaths = new ArrayList<>(before.deaths().size() + 1);
        Death same = null;
        for (Death death : before.deaths()) {
            if (death.queue().equals(letter.from().name()) && death.reason() == letter.reason()) {
                same = death;
            } else {
                deaths.add(death);
            }
        }
        Death newest;
        if (same == null) {
            List<RoutingKey> keys = new ArrayList<>(1 + envelope.copies().size());
            keys.add(envelope.routingKey());
            keys.addAll(envelope.copies());
            newest = new Death(
                    letter.from().name(),
                    letter.reason(),
                    1,
                    now,
                    envelope.exchange(),
                    List.copyOf(keys),
                    envelope.ttlMillis());
        } else {
            newest = new Death(
                    same.queue(),
                    same.reason(),
                    same.count() + 1,
                    same.timeMillis(),
                    same.exchange(),
                    same.routingKeys(),
                    same.originalTtlMillis());
        }
        deaths.add(0, newest);
        return new Annotations(List.copyOf(deaths), before.first() == null ? newest : before.first());
    }

    /** Waits for all queues that a letter was offered to. Owned by the home loop of the queue that it leaves. */
    private static final class LetterReceipts implements Publisher {
        private final Letter letter;
        private final Loop loop;
        private int remaining;
        private boolean refused;

        LetterReceipts(Letter letter, Loop loop, int remaining) {
            this.letter = letter;
            this.loop = loop;
            this.remaining = remaining;
        }

        @Override
        public Loop loop() {
            return loop;
        }

        @Override
        public void receipt(long number, boolean stored) {
            refused |= !stored;
            if (--remaining == 0) {
                letter.done(!refused);
            }
        }

        @Override
        public void hold() {
            // A dead letter leaves its queue one way or another: nothing is gained by holding it.
        }

        @Override
        public void resume() {}
    }
}
