package org.entrepot.stomp;

import org.entrepot.spi.message.RoutingKey;
import org.entrepot.spi.session.Address;
import org.entrepot.spi.session.Session;
import org.entrepot.stomp.wire.FrameHead;
import org.entrepot.stomp.wire.Header;
import org.jspecify.annotations.Nullable;

/**
 * Where a session's messages go, found by the bytes of their destinations: what was sent to lately is not read again. Owned
 * by the session's loop.
 */
final class Routes {

    /** Destinations that are kept, one for every remainder of a hash. A power of two. */
    private static final int PLACES = 64;

    private final Session session;
    private final Queues queues;
    private final String topicExchange;
    private final @Nullable Route[] places = new Route[PLACES];

    /** A destination of messages. */
    static final class Route {
        private final byte[] raw;
        private final Destination destination;
        private final Address address;
        private boolean ready;

        private Route(byte[] raw, Destination destination, Address address) {
            this.raw = raw;
            this.destination = destination;
            this.address = address;
        }

        Address address() {
            return address;
        }

        String name() {
            return destination.name();
        }
    }

    Routes(Session session, Queues queues, String topicExchange) {
        this.session = session;
        this.queues = queues;
        this.topicExchange = topicExchange;
    }

    /** Where a SEND goes; throws a refusal where it says nothing sensible. */
    Route of(FrameHead head) {
        int place = head.valueHash(Header.DESTINATION) & (PLACES - 1);
        Route known = places[place];
        if (known != null && head.matches(Header.DESTINATION, known.raw)) {
            return known;
        }
        Route found = find(head);
        places[place] = found;
        return found;
    }

    private Route find(FrameHead head) {
        String text = head.text(Header.DESTINATION);
        byte[] raw = head.raw(Header.DESTINATION);
        if (text == null || raw == null) {
            throw missing("SEND");
        }
        Destination destination = Destination.parse(text, topicExchange);
        if (destination.kind() == Destination.Kind.TEMPORARY) {
            throw notFor(text, "SEND");
        }
        Address address = session.address(destination.exchange(), RoutingKey.of(destination.name()));
        return new Route(raw, destination, address);
    }

    /** Whether a message may be sent without a declaration before it. */
    boolean ready(Route route) {
        if (!route.ready) {
            route.ready =
                    route.destination.kind() != Destination.Kind.QUEUE || queues.isDeclared(route.destination.name());
        }
        return route.ready;
    }

    static Refusal missing(String command) {
        return new Refusal("Missing destination", '"' + command + "\" must include a 'destination' header\n");
    }

    static Refusal notFor(String destination, String command) {
        return new Refusal(
                "Invalid destination", "'" + destination + "' is not a valid destination for '" + command + "'\n");
    }
}
