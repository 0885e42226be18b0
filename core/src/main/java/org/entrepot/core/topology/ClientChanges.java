package org.entrepot.core.topology;

import java.nio.charset.StandardCharsets;
import org.entrepot.spi.BrokerException;
import org.entrepot.spi.ErrorKind;
import org.entrepot.spi.topology.BindingSpec;
import org.entrepot.spi.topology.BindingSpec.Destination;
import org.entrepot.spi.topology.ExchangeSpec;
import org.entrepot.spi.topology.ExchangeType;
import org.entrepot.spi.topology.QueueSpec;
import org.entrepot.spi.topology.Retention;
import org.entrepot.spi.topology.TopologyChange;

/**
 * The rules of what clients change: declaring, deleting, binding. Immutable. Texts are RabbitMQ's, for clients match on
 * them.
 */
final class ClientChanges {
    /** Names that begin with it are the broker's own to create. */
    private static final String RESERVED_PREFIX = "amq.";

    private final ExchangeTypes types;
    private final TopologyLimits limits;

    ClientChanges(ExchangeTypes types, TopologyLimits limits) {
        this.types = types;
        this.limits = limits;
    }

    /**
     * Judges one change and drafts what follows from it.
     *
     * @param owner the connection that asks
     * @param system whether the broker itself, or an operator, asks
     */
    TopologyOutcome judge(Draft draft, String virtualHost, long owner, boolean system, TopologyChange change) {
        VirtualHost host = draft.virtualHost(virtualHost);
        if (change instanceof TopologyChange.DeclareExchange declare) {
            return declareExchange(draft, host, system, declare.spec());
        }
        if (change instanceof TopologyChange.DeleteExchange delete) {
            return deleteExchange(draft, host, delete);
        }
        if (change instanceof TopologyChange.DeclareQueue declare) {
            return declareQueue(draft, host, owner, system, declare);
        }
        if (change instanceof TopologyChange.ChangeLimits limit) {
            return limitQueue(draft, host, owner, system, limit);
        }
        if (change instanceof TopologyChange.DeleteQueue delete) {
            return deleteQueue(draft, host, owner, system, delete.name());
        }
        if (change instanceof TopologyChange.Bind bind) {
            return bind(draft, host, owner, system, bind.binding());
        }
        if (change instanceof TopologyChange.Unbind unbind) {
            return unbind(draft, host, owner, system, unbind.binding());
        }
        throw new AssertionError("a change of no known kind: " + change);
    }

    private TopologyOutcome declareExchange(Draft draft, VirtualHost host, boolean system, ExchangeSpec spec) {
        refuseDefaultExchange(spec.name());
        // A bad type is refused even where the name exists.
        ExchangeType type = type(spec.type());
        Exchange existing = host.exchange(spec.name());
        if (existing != null) {
            return new TopologyOutcome.ExchangeIs(existing, false);
        }
        checkNewName("exchange", spec.name(), system);
        if (host.exchanges().size() >= limits.exchanges()) {
            throw refused("cannot declare exchange '" + spec.name() + "' in " + host + ": exchange limit of "
                    + limits.exchanges() + " is reached");
        }
        type.check(spec);
        return new TopologyOutcome.ExchangeIs(draft.addExchange(host.name(), spec), true);
    }

    private static TopologyOutcome deleteExchange(Draft draft, VirtualHost host, TopologyChange.DeleteExchange delete) {
        refuseDefaultExchange(delete.name());
        if (delete.name().startsWith(RESERVED_PREFIX)) {
            throw BrokerException.session(
                    ErrorKind.ACCESS_REFUSED,
                    "deletion of system exchange '" + delete.name() + "' in " + host + " not allowed");
        }
        Exchange exchange = host.exchange(delete.name());
        if (exchange == null) {
            return TopologyOutcome.Gone.NOTHING;
        }
        if (delete.onlyIfUnused() && !exchange.bindings().isEmpty()) {
            throw refused(exchange + " in use");
        }
        draft.removeExchange(exchange);
        return new TopologyOutcome.Gone(null, exchange);
    }

    private TopologyOutcome declareQueue(
            Draft draft, VirtualHost host, long owner, boolean system, TopologyChange.DeclareQueue declare) {
        QueueSpec spec = declare.spec();
        QueueNode existing = host.queue(spec.name());
        if (existing != null) {
            refuseForeign(existing, owner, system);
            return new TopologyOutcome.QueueIs(existing, false);
        }
        checkNewName("queue", spec.name(), system || declare.nameMadeUp());
        checkTable(spec);
        long most = Math.min(limits.queues(), host.limits().queues().orElse(Long.MAX_VALUE));
        if (host.queues().size() >= most) {
            throw refused("cannot declare queue '" + spec.name() + "': queue limit in " + host + " (" + most
                    + ") is reached");
        }
        return new TopologyOutcome.QueueIs(draft.addQueue(host.name(), spec.exclusive() ? owner : 0, spec), true);
    }

    /** Refuses a table that is to be something else besides. */
    private static void checkTable(QueueSpec spec) {
        if (spec.retention() == Retention.SETTLED) {
            return;
        }
        String wrong = null;
        if (spec.limits().messageTtlMillis().isPresent()) {
            wrong = "a time to live of its messages";
        } else if (spec.deadLetter() != null) {
            wrong = "a dead-letter exchange";
        } else if (spec.priorities() > 1) {
            wrong = "priorities";
        } else if (spec.autoDelete()
                || spec.singleActiveConsumer()
                || spec.deliveryLimit().isPresent()
                || spec.leaseMillis().isPresent()) {
            wrong = "settings of consumers";
        }
        if (wrong != null) {
            throw refused("queue '" + spec.name() + "' keeps the latest message of each key and cannot have " + wrong);
        }
    }

    private static TopologyOutcome limitQueue(
            Draft draft, VirtualHost host, long owner, boolean system, TopologyChange.ChangeLimits change) {
        QueueNode queue = host.queue(change.queue());
        if (queue == null) {
            throw notFound("queue", change.queue(), host);
        }
        refuseForeign(queue, owner, system);
        checkTable(queue.spec().withLimits(change.limits()));
        return new TopologyOutcome.QueueIs(
                change.limits().equals(queue.spec().limits()) ? queue : draft.limitQueue(queue, change.limits()),
                false);
    }

    private static TopologyOutcome deleteQueue(Draft draft, VirtualHost host, long owner, boolean system, String name) {
        QueueNode queue = host.queue(name);
        if (queue == null) {
            return TopologyOutcome.Gone.NOTHING;
        }
        refuseForeign(queue, owner, system);
        draft.removeQueue(queue);
        return new TopologyOutcome.Gone(queue, null);
    }

    private TopologyOutcome bind(Draft draft, VirtualHost host, long owner, boolean system, BindingSpec binding) {
        refuseDefaultExchange(binding);
        Exchange source = host.exchange(binding.source());
        if (source == null) {
            throw notFound("exchange", binding.source(), host);
        }
        Destination destination = binding.destination();
        ExchangeType type = type(source.spec().type());
        switch (destination.kind()) {
            case QUEUE -> {
                QueueNode queue = host.queue(destination.name());
                if (queue == null) {
                    throw notFound("queue", destination.name(), host);
                }
                type.check(binding);
                refuseForeign(queue, owner, system);
            }
            case EXCHANGE -> {
                if (host.exchange(destination.name()) == null) {
                    throw notFound("exchange", destination.name(), host);
                }
                type.check(binding);
            }
        }
        if (source.has(binding)) {
            return new TopologyOutcome.Bound(false);
        }
        if (host.bindingCount() >= limits.bindings()) {
            throw refused("cannot bind to " + source + ": binding limit of " + limits.bindings() + " is reached");
        }
        draft.bind(host, binding);
        return new TopologyOutcome.Bound(true);
    }

    private static TopologyOutcome unbind(
            Draft draft, VirtualHost host, long owner, boolean system, BindingSpec binding) {
        refuseDefaultExchange(binding);
        Exchange source = host.exchange(binding.source());
        if (source == null) {
            return new TopologyOutcome.Bound(false);
        }
        if (binding.destination().kind() == Destination.Kind.QUEUE) {
            QueueNode queue = host.queue(binding.destination().name());
            if (queue != null) {
                refuseForeign(queue, owner, system);
            }
        }
        if (!source.has(binding)) {
            return new TopologyOutcome.Bound(false);
        }
        draft.unbind(host, binding);
        return new TopologyOutcome.Bound(true);
    }

    private ExchangeType type(String name) {
        ExchangeType type = types.type(name);
        if (type == null) {
            throw refused("unknown exchange type '" + name + "'");
        }
        return type;
    }

    private static void checkNewName(String kind, String name, boolean mayBeReserved) {
        if (!mayBeReserved && name.startsWith(RESERVED_PREFIX)) {
            throw BrokerException.session(
                    ErrorKind.ACCESS_REFUSED, kind + " name '" + name + "' contains reserved prefix 'amq.*'");
        }
        if (name.isEmpty()) {
            throw refused("a " + kind + " needs a name");
        }
        // A char is at most three bytes: most names need not be encoded to know that they are short enough.
        if (name.length() > QueueSpec.NAME_BYTES_MAX / 3
                && name.getBytes(StandardCharsets.UTF_8).length > QueueSpec.NAME_BYTES_MAX) {
            throw refused("the name of a " + kind + " may have " + QueueSpec.NAME_BYTES_MAX + " bytes");
        }
    }

    private static void refuseDefaultExchange(BindingSpec binding) {
        refuseDefaultExchange(binding.source());
        if (binding.destination().kind() == Destination.Kind.EXCHANGE) {
            refuseDefaultExchange(binding.destination().name());
        }
    }

    private static void refuseDefaultExchange(String name) {
        if (name.isEmpty()) {
            throw BrokerException.session(ErrorKind.ACCESS_REFUSED, "operation not permitted on the default exchange");
        }
    }

    private static void refuseForeign(QueueNode queue, long owner, boolean system) {
        if (!system && queue.owner() != 0 && queue.owner() != owner) {
            throw BrokerException.session(
                    ErrorKind.RESOURCE_LOCKED,
                    "cannot obtain exclusive access to locked " + queue
                            + ". It could be originally declared on another connection or the exclusive property value"
                            + " does not match that of the original declaration.");
        }
    }

    private static BrokerException notFound(String kind, String name, VirtualHost host) {
        return BrokerException.session(ErrorKind.NOT_FOUND, "no " + kind + " '" + name + "' in " + host);
    }

    private static BrokerException refused(String text) {
        return BrokerException.session(ErrorKind.PRECONDITION_FAILED, text);
    }
}
