package org.entrepot.mqtt;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import org.entrepot.mqtt.wire.Topics;
import org.entrepot.spi.message.Envelope;
import org.entrepot.spi.message.Message;
import org.entrepot.spi.message.RoutingKey;
import org.entrepot.spi.session.Deliveries;
import org.jspecify.annotations.Nullable;

/**
 * The retained messages of a virtual host: stored in a table of the plugin's own, and found by a tree of levels in memory.
 * Any thread may call it; it is written to on the loop of the plugin's session only.
 *
 * <p>A message is found as soon as it is accepted, and its publisher hears of it when it is stored.
 */
final class RetainedMessages implements Retained {
    private static final String ANY = "+";
    private static final String REST = "#";

    private final OwnState own;
    private final Level root = new Level();

    /** What is retained at a topic and below. */
    private static final class Level {
        private final @Nullable Level above;
        private final String name;
        private volatile @Nullable ConcurrentHashMap<String, Level> next;
        private volatile @Nullable Kept here;

        Level() {
            this(null, "");
        }

        Level(@Nullable Level above, String name) {
            this.above = above;
            this.name = name;
        }

        /** Whether nothing is retained here or below. */
        boolean isBare() {
            ConcurrentHashMap<String, Level> present = next;
            return here == null && (present == null || present.isEmpty());
        }

        void drop(Level below) {
            ConcurrentHashMap<String, Level> present = next;
            if (present != null) {
                present.remove(below.name);
            }
        }

        @Nullable Level next(String level) {
            ConcurrentHashMap<String, Level> present = next;
            return present == null ? null : present.get(level);
        }
    }

    /** A message, and when it expires; {@link Long#MAX_VALUE} for never. */
    private record Kept(Message message, Envelope envelope, long expiresAtMillis) {}

    RetainedMessages(OwnState own) {
        this.own = own;
    }

    /** What the table has, at the start. */
    void restored(Deliveries stored, int i) {
        keep(stored.message(i), stored.envelope(i), stored.waitedMillis(i));
    }

    @Override
    public CompletionStage<Boolean> put(Message message, Envelope envelope, Executor caller) {
        CompletableFuture<Boolean> answer = new CompletableFuture<>();
        own.execute(() -> {
            if (message.body().length() > 0 && !own.hasRoom() && !isKept(Topics.topic(envelope.routingKey()))) {
                caller.execute(() -> answer.complete(false));
                return;
            }
            keep(message, envelope, 0);
            own.store(OwnState.RETAINED, envelope, message)
                    .whenComplete(
                            (stored, failure) -> caller.execute(() -> answer.complete(failure == null && stored)));
        });
        return answer;
    }

    private boolean isKept(String topic) {
        Level at = find(topic);
        return at != null && at.here != null;
    }

    private @Nullable Level find(String topic) {
        Level at = root;
        for (String level : topic.split("/", -1)) {
            at = at.next(level);
            if (at == null) {
                return null;
            }
        }
        return at;
    }

    /** Keeps a message, which has waited for so long, in memory. */
    void keep(Message message, Envelope envelope, long waitedMillis) {
        String topic = Topics.topic(envelope.routingKey());
        if (topic.isEmpty()) {
            return;
        }
        if (message.body().length() == 0) {
            forget(topic);
            return;
        }
        Level at = root;
        for (String level : topic.split("/", -1)) {
            ConcurrentHashMap<String, Level> next = at.next;
            if (next == null) {
                next = new ConcurrentHashMap<>(2);
                at.next = next;
            }
            Level above = at;
            at = next.computeIfAbsent(level, name -> new Level(above, name));
        }
        if (at.here == null && isCounted(envelope)) {
            own.count(1);
        }
        long ttl = envelope.ttlMillis();
        at.here = new Kept(
                message,
                envelope,
                ttl == Envelope.NO_TTL ? Long.MAX_VALUE : own.nowMillis() + Math.max(0, ttl - waitedMillis));
    }

    /** What the broker tells of itself takes no room from what clients may have retained. */
    private static boolean isCounted(Envelope envelope) {
        return !envelope.exchange().equals(SystemTopics.EXCHANGE);
    }

    private void forget(String topic) {
        Level at = find(topic);
        if (at == null) {
            return;
        }
        if (at.here != null) {
            at.here = null;
            own.count(-1);
        }
        prune(at);
    }

    private static void prune(Level from) {
        Level at = from;
        Level above = at.above;
        while (above != null && at.isBare()) {
            above.drop(at);
            at = above;
            above = at.above;
        }
    }

    /** Removes what has expired; called now and then. */
    void removeExpired() {
        long now = own.nowMillis();
        removeExpired(root, now);
    }

    private void removeExpired(Level at, long now) {
        ConcurrentHashMap<String, Level> next = at.next;
        if (next != null) {
            for (Level each : next.values()) {
                removeExpired(each, now);
            }
        }
        Kept kept = at.here;
        if (kept != null && kept.expiresAtMillis() <= now) {
            Message nothing =
                    new Message(kept.message().format(), kept.message().header(), org.entrepot.spi.message.Bytes.EMPTY);
            RoutingKey key = kept.envelope().routingKey();
            own.store(OwnState.RETAINED, Envelope.of(kept.envelope().exchange(), key, true), nothing);
            at.here = null;
            own.count(-1);
        }
        prune(at);
    }

    @Override
    public void forEach(String topicFilter, Visitor visitor) {
        String[] levels = topicFilter.split("/", -1);
        match(root, levels, 0, own.nowMillis(), visitor);
    }

    private static void match(Level at, String[] levels, int depth, long now, Visitor visitor) {
        if (depth == levels.length) {
            visit(at, now, visitor);
            return;
        }
        String level = levels[depth];
        ConcurrentHashMap<String, Level> next = at.next;
        if (level.equals(REST)) {
            // It matches the level above as well, but for the root, which is no topic.
            all(at, depth == 0, now, visitor);
        } else if (next != null && level.equals(ANY)) {
            for (Level each : next.values()) {
                if (depth > 0 || !each.name.startsWith("$")) {
                    match(each, levels, depth + 1, now, visitor);
                }
            }
        } else if (next != null) {
            Level one = next.get(level);
            if (one != null) {
                match(one, levels, depth + 1, now, visitor);
            }
        }
    }

    private static void all(Level at, boolean isRoot, long now, Visitor visitor) {
        visit(at, now, visitor);
        ConcurrentHashMap<String, Level> next = at.next;
        if (next != null) {
            for (Level each : next.values()) {
                if (!isRoot || !each.name.startsWith("$")) {
                    all(each, false, now, visitor);
                }
            }
        }
    }

    private static void visit(Level at, long now, Visitor visitor) {
        Kept kept = at.here;
        if (kept == null || kept.expiresAtMillis() <= now) {
            return;
        }
        Envelope envelope = kept.envelope();
        if (kept.expiresAtMillis() != Long.MAX_VALUE) {
            envelope = new Envelope(
                    envelope.exchange(),
                    envelope.routingKey(),
                    envelope.copies(),
                    envelope.blindCopies(),
                    envelope.durable(),
                    envelope.priority(),
                    kept.expiresAtMillis() - now);
        }
        visitor.visit(kept.message(), envelope);
    }
}
