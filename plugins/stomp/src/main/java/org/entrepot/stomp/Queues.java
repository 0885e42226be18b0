package org.entrepot.stomp;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import org.entrepot.spi.session.ConsumerSpec;
import org.entrepot.spi.session.DeliverySink;
import org.entrepot.spi.session.Session;
import org.entrepot.spi.topology.QueueSpec;
import org.entrepot.spi.topology.TopologyAnswer;
import org.entrepot.spi.topology.TopologyChange.DeclareQueue;
import org.entrepot.stomp.wire.FrameHead;
import org.entrepot.stomp.wire.Header;
import org.jspecify.annotations.Nullable;

/**
 * The queues that a session has declared: those of destinations /queue, each once, and those that it waits for answers in.
 * Owned by the session's loop.
 */
final class Queues {

    /** Names that are kept; a session that uses more declares again what it had declared. */
    private static final int NAMES_MAX = 1 << 16;

    private static final String TEMPORARY_PREFIX = "stomp.gen-";

    private final Session session;
    private final String virtualHost;
    private final Set<String> declared = new HashSet<>();
    private final Map<String, String> temporary = new HashMap<>();

    Queues(Session session, String virtualHost) {
        this.session = session;
        this.virtualHost = virtualHost;
    }

    boolean isDeclared(String name) {
        return declared.contains(name);
    }

    /** Declares the queue of a destination /queue as the headers of SEND say: durable, unless they say otherwise. */
    CompletionStage<?> declareToSend(String name, FrameHead head) {
        return declare(name, head, head.flag(Header.DURABLE, true));
    }

    /** Declares the queue of a destination /queue as the headers of SUBSCRIBE say. */
    CompletionStage<?> declareToSubscribe(String name, FrameHead head) {
        return declare(name, head, head.flag(Header.DURABLE, head.flag(Header.PERSISTENT, true)));
    }

    private CompletionStage<?> declare(String name, FrameHead head, boolean durable) {
        // As RabbitMQ has it, what is not durable is this session's own.
        boolean exclusive = !durable || head.flag(Header.EXCLUSIVE, false);
        boolean autoDelete = !durable || head.flag(Header.AUTO_DELETE, false);
        return declare(QueueHeaders.spec(name, durable, exclusive, autoDelete, head), false)
                .thenRun(() -> {
                    if (declared.size() == NAMES_MAX) {
                        declared.clear();
                    }
                    declared.add(name);
                });
    }

    /** Declares a queue, or finds it as it is asked to be. */
    CompletionStage<QueueSpec> declare(QueueSpec asked, boolean nameMadeUp) {
        return session.change(new DeclareQueue(asked, nameMadeUp)).thenApply(answer -> {
            TopologyAnswer.Queue queue = (TopologyAnswer.Queue) answer;
            if (!queue.created()) {
                Equivalence.check(virtualHost, queue.spec(), asked);
            }
            return queue.spec();
        });
    }

    /** The queue behind a destination /temp-queue; null before {@link #openTemporary}. */
    @Nullable String temporary(String id) {
        return temporary.get(id);
    }

    int temporaryCount() {
        return temporary.size();
    }

    /** Makes a queue for answers and begins to consume from it. */
    CompletionStage<?> openTemporary(String id, String tag, DeliverySink sink) {
        String name = session.generateName(TEMPORARY_PREFIX);
        return declare(QueueSpec.plain(name, false, true, true), true)
                .thenCompose(spec -> session.consume(
                        new ConsumerSpec(name, tag, true, false, 0, 0, OptionalLong.empty(), Map.of()), sink))
                .thenRun(() -> temporary.put(id, name));
    }
}
