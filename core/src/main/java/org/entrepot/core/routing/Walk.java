package org.entrepot.core.routing;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.entrepot.core.topology.Exchange;
import org.entrepot.core.topology.QueueNode;
import org.entrepot.core.topology.VirtualHost;
import org.entrepot.spi.message.Bytes;
import org.entrepot.spi.message.Message;
import org.entrepot.spi.message.MessageFormat;
import org.entrepot.spi.message.RoutingKey;
import org.entrepot.spi.topology.BindingSpec;
import org.entrepot.spi.topology.Matcher;
import org.jspecify.annotations.Nullable;

/**
 * One way through the exchanges of a virtual host, each visited once however they are bound to each other. Owned by the
 * call that makes it.
 */
final class Walk implements Matcher.Matches {
    /** What matchers that match by key alone are given in place of a message. */
    private static final Message NO_MESSAGE = new Message(new NoFormat(), Bytes.EMPTY, Bytes.EMPTY);

    /** Up to so many found a list is searched for what was found already; above, a set is kept. */
    private static final int FEW = 16;

    private static final String DEFAULT_EXCHANGE = "";

    private final @Nullable VirtualHost host;
    private final List<RoutingKey> keys;
    private final @Nullable Message message;

    /** In the order in which they are visited. */
    private final List<String> names = new ArrayList<>(2);

    private final List<String> exchangeNames = new ArrayList<>(2);
    private final List<@Nullable Exchange> exchanges = new ArrayList<>(2);
    private final List<String> impliedNames = new ArrayList<>(1);
    private final List<@Nullable QueueNode> implied = new ArrayList<>(1);
    private final List<QueueNode> queues = new ArrayList<>();
    private @Nullable Set<QueueNode> manyQueues;
    private @Nullable Set<String> manyNames;
    private boolean matched;
    private boolean reusable = true;

    /**
     * A walk from nowhere yet.
     *
     * @param message null to find only where every message with these keys goes
     */
    Walk(@Nullable VirtualHost host, List<RoutingKey> keys, @Nullable Message message) {
        this.host = host;
        this.keys = keys;
        this.message = message;
    }

    /** Walks from this exchange as far as it goes. */
    void from(String exchange) {
        if (host == null) {
            return;
        }
        visit(exchange);
        for (int i = 0; i < names.size() && reusable; i++) {
            String name = names.get(i);
            if (name.equals(DEFAULT_EXCHANGE)) {
                followKeys(host);
            } else {
                Exchange found = host.exchange(name);
                exchangeNames.add(name);
                exchanges.add(found);
                if (found != null) {
                    follow(found);
                }
            }
        }
    }

    private void follow(Exchange exchange) {
        Matcher matcher = exchange.matcher();
        if (message == null && !matcher.byKeyAlone()) {
            reusable = false;
            return;
        }
        Message seen = message == null ? NO_MESSAGE : message;
        int keysSeen = matcher instanceof PicksOne ? 1 : keys.size();
        matched = false;
        for (int i = 0; i < keysSeen; i++) {
            matcher.match(keys.get(i), seen, this);
        }
        String alternate = exchange.alternate();
        if (!matched && alternate != null) {
            visit(alternate);
        }
    }

    private void followKeys(VirtualHost in) {
        for (RoutingKey key : keys) {
            String name = key.toString();
            QueueNode queue = in.queue(name);
            impliedNames.add(name);
            implied.add(queue);
            if (queue != null) {
                found(queue);
            }
        }
    }

    @Override
    public void add(BindingSpec binding) {
        matched = true;
        String name = binding.destination().name();
        switch (binding.destination().kind()) {
            case QUEUE -> {
                QueueNode queue = host == null ? null : host.queue(name);
                assert queue != null : "a matcher reports a binding to queue '" + name + "', which is not there";
                if (queue != null) {
                    found(queue);
                }
            }
            case EXCHANGE -> visit(name);
        }
    }

    private void visit(String name) {
        if (names.size() < FEW) {
            if (!names.contains(name)) {
                names.add(name);
            }
            return;
        }
        if (manyNames == null) {
            manyNames = new HashSet<>(names);
        }
        if (manyNames.add(name)) {
            names.add(name);
        }
    }

    private void found(QueueNode queue) {
        if (queues.size() < FEW) {
            for (int i = 0; i < queues.size(); i++) {
                if (queues.get(i) == queue) {
                    return;
                }
            }
            queues.add(queue);
            return;
        }
        if (manyQueues == null) {
            manyQueues = Collections.newSetFromMap(new IdentityHashMap<>());
            manyQueues.addAll(queues);
        }
        if (manyQueues.add(queue)) {
            queues.add(queue);
        }
    }

    /** What was found, as of this version of the topology. */
    Route route(long version, String virtualHost) {
        return new Route(
                virtualHost,
                host != null,
                reusable,
                reusable ? queues.toArray(new QueueNode[0]) : new QueueNode[0],
                exchangeNames.toArray(new String[0]),
                exchanges.toArray(new @Nullable Exchange[0]),
                impliedNames.toArray(new String[0]),
                implied.toArray(new @Nullable QueueNode[0]),
                version);
    }

    void report(RouteTarget target) {
        for (int i = 0; i < queues.size(); i++) {
            target.add(queues.get(i));
        }
    }

    /** The format of no message: it has no properties. */
    private static final class NoFormat implements MessageFormat {
        @Override
        public String name() {
            return "none";
        }

        @Override
        public Map<String, Object> headers(Bytes header) {
            return Map.of();
        }

        @Override
        public @Nullable Object property(Bytes header, String name) {
            return null;
        }
    }
}
