package org.entrepot.core.session;

import org.entrepot.core.routing.Route;
import org.entrepot.core.security.Access;
import org.entrepot.core.topology.Exchange;
import org.entrepot.spi.BrokerException;
import org.entrepot.spi.ErrorKind;
import org.entrepot.spi.security.Permission;
import org.entrepot.spi.security.Permission.Action;
import org.entrepot.spi.security.Permission.Kind;
import org.entrepot.spi.security.Principal;
import org.entrepot.spi.topology.ExchangeSpec;
import org.jspecify.annotations.Nullable;

/** What one principal may do in one virtual host, and the refusals. Owned by the session's loop. */
final class Rights {
    private final Access access;
    private Principal principal;
    private final String virtualHost;
    private final String clientId;

    /** The exchange that publishing to was allowed last, under the version of users and permissions that allowed it. */
    private @Nullable String writable;

    private long writableVersion;
    private boolean everyKeyCounts;

    /** With an empty {@code clientId} where the client has none. */
    Rights(Access access, Principal principal, String virtualHost, String clientId) {
        this.access = access;
        this.principal = principal;
        this.virtualHost = virtualHost;
        this.clientId = clientId;
    }

    boolean may(Action action, Kind kind, String name) {
        return access.allows(principal, virtualHost, Permission.of(action, kind, name));
    }

    void require(Action action, Kind kind, String name) {
        if (!may(action, kind, name)) {
            throw refused(Permission.of(action, kind, name));
        }
    }

    static boolean isTopic(ExchangeSpec exchange) {
        return exchange.type().equals("topic");
    }

    /** Checks a key of a topic exchange. */
    void requireTopic(Action action, String exchange, String key) {
        Permission permission = new Permission(action, Kind.TOPIC, exchange, key, clientId);
        if (!access.allows(principal, virtualHost, permission)) {
            throw refused(permission);
        }
    }

    /** Whether the address may be published to; the last answer is remembered. */
    void mayPublish(PublishAddress address, Route route) {
        String exchange = address.exchange();
        if (!exchange.equals(writable) || writableVersion != access.version()) {
            long version = access.version();
            require(Action.WRITE, Kind.EXCHANGE, exchange);
            writable = exchange;
            writableVersion = version;
            everyKeyCounts = access.restrictsTopics(principal, virtualHost, exchange);
        }
        if (exchange.isEmpty()) {
            return;
        }
        Exchange node = route.exchange();
        if (node == null) {
            throw BrokerException.session(
                    ErrorKind.NOT_FOUND, "no exchange '" + exchange + "' in vhost '" + virtualHost + "'");
        }
        if (node.spec().internal()) {
            throw BrokerException.session(
                    ErrorKind.ACCESS_REFUSED,
                    "cannot publish to internal exchange '" + exchange + "' in vhost '" + virtualHost + "'");
        }
        if (everyKeyCounts && isTopic(node.spec())) {
            requireTopic(Action.WRITE, exchange, address.key().toString());
        }
    }

    /** Whether the queue may be published to; the address remembers it. */
    void mayPublish(QueueAddress address) {
        long version = access.version();
        if (!address.isAllowed(principal, version)) {
            require(Action.WRITE, Kind.QUEUE, address.name());
            address.allow(principal, version);
        }
    }

    /** The principal has other claims from now on: what was remembered is forgotten. */
    void renew(Principal fresh) {
        principal = fresh;
        writable = null;
    }

    private BrokerException refused(Permission permission) {
        return BrokerException.session(ErrorKind.ACCESS_REFUSED, Access.refusal(principal, virtualHost, permission));
    }
}
