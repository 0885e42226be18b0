package org.entrepot.core.session;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.entrepot.core.queue.LocalQueue;
import org.entrepot.core.queue.Queues;
import org.entrepot.core.routing.Route;
import org.entrepot.core.routing.RouteTarget;
import org.entrepot.core.routing.Router;
import org.entrepot.core.topology.Topology;
import org.entrepot.spi.message.Envelope;
import org.entrepot.spi.message.Message;
import org.entrepot.spi.message.RoutingKey;
import org.entrepot.spi.session.Address;
import org.jspecify.annotations.Nullable;

/**
 * An exchange and a key, with the route that was found for them. Owned by one loop, and shared by all sessions there.
 */
final class PublishAddress implements Address {
    private static final LocalQueue[] NO_QUEUES = {};

    private final String virtualHost;
    private final String exchange;
    private final byte[] exchangeBytes;
    private final RoutingKey key;
    private @Nullable Route route;
    private LocalQueue[] queues = NO_QUEUES;

    PublishAddress(String virtualHost, String exchange, RoutingKey key) {
        this.virtualHost = virtualHost;
        this.exchange = exchange;
        this.exchangeBytes = exchange.getBytes(StandardCharsets.UTF_8);
        this.key = key;
    }

    /** The route as it is now; it is looked up again when the topology has changed in what it used. */
    Route route(Topology topology, Router router, Queues all) {
        Route known = route;
        if (known != null && known.current(topology)) {
            return known;
        }
        Route found = router.route(topology, virtualHost, exchange, key);
        LocalQueue[] targets = new LocalQueue[found.size()];
        int count = 0;
        for (int i = 0; i < targets.length; i++) {
            LocalQueue queue = all.get(found.queue(i).id());
            if (queue != null) {
                targets[count++] = queue;
            }
        }
        queues = count == targets.length ? targets : Arrays.copyOf(targets, count);
        route = found;
        return found;
    }

    /** The queues of the route that {@link #route} gave last. */
    LocalQueue[] queues() {
        return queues;
    }

    /** Which queues a message goes to that has to be looked into. */
    void route(Topology topology, Router router, Message message, Envelope envelope, RouteTarget target) {
        router.route(topology, virtualHost, exchange, key, envelope.copies(), envelope.blindCopies(), message, target);
    }

    boolean is(String virtualHost, ByteBuf buffer, int exchangeIndex, int exchangeLength, int keyIndex, int keyLength) {
        return matches(buffer, exchangeIndex, exchangeLength, keyIndex, keyLength)
                && this.virtualHost.equals(virtualHost);
    }

    @Override
    public String exchange() {
        return exchange;
    }

    @Override
    public RoutingKey key() {
        return key;
    }

    @Override
    public boolean matches(ByteBuf buffer, int exchangeIndex, int exchangeLength, int keyIndex, int keyLength) {
        if (exchangeLength != exchangeBytes.length || !key.matches(buffer, keyIndex, keyLength)) {
            return false;
        }
        for (int i = 0; i < exchangeLength; i++) {
            if (exchangeBytes[i] != buffer.getByte(exchangeIndex + i)) {
                return false;
            }
        }
        return true;
    }
}
