package org.entrepot.core.topology;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.entrepot.core.routing.BuiltInTypes;
import org.entrepot.spi.message.RoutingKey;
import org.entrepot.spi.topology.BindingSpec;
import org.entrepot.spi.topology.BindingSpec.Destination;
import org.entrepot.spi.topology.ExchangeSpec;
import org.entrepot.spi.topology.QueueLimits;
import org.entrepot.spi.topology.QueueSpec;
import org.entrepot.spi.topology.Retention;
import org.entrepot.spi.topology.TopologyChange;

/** A machine with the virtual host "/", and short words for what tests do with it. */
final class Stage {
    static final String HOST = "/";
    static final long OWNER = 7;
    static final ExchangeTypes TYPES = new ExchangeTypes(BuiltInTypes.all());
    static final List<ExchangeSpec> STANDARD =
            List.of(ExchangeSpec.plain("amq.direct", "direct", true), ExchangeSpec.plain("amq.topic", "topic", true));

    final TopologyMachine machine;

    Stage() {
        this(TopologyLimits.DEFAULT);
    }

    Stage(TopologyLimits limits) {
        machine = new TopologyMachine(TYPES, limits, STANDARD);
        administer(AdminChange.PutVirtualHost.plain(HOST));
    }

    Decision change(TopologyChange... changes) {
        return changeAs(OWNER, changes);
    }

    Decision changeAs(long owner, TopologyChange... changes) {
        Decision decision = machine.decide(HOST, owner, false, List.of(changes));
        machine.apply(decision);
        return decision;
    }

    Decision changeAsSystem(TopologyChange... changes) {
        Decision decision = machine.decide(HOST, OWNER, true, List.of(changes));
        machine.apply(decision);
        return decision;
    }

    Decision administer(AdminChange... changes) {
        Decision decision = machine.administer(List.of(changes));
        machine.apply(decision);
        return decision;
    }

    VirtualHost host() {
        return machine.topology().virtualHost(HOST);
    }

    QueueNode queue(String name) {
        return host().queue(name);
    }

    Exchange exchange(String name) {
        return host().exchange(name);
    }

    static TopologyChange declareQueue(String name) {
        return new TopologyChange.DeclareQueue(QueueSpec.plain(name, true, false, false));
    }

    static TopologyChange declareTransientQueue(String name) {
        return new TopologyChange.DeclareQueue(QueueSpec.plain(name, false, false, false));
    }

    static TopologyChange declareExclusiveQueue(String name) {
        return new TopologyChange.DeclareQueue(QueueSpec.plain(name, false, true, false));
    }

    static TopologyChange deleteQueue(String name) {
        return new TopologyChange.DeleteQueue(name, false, false);
    }

    static TopologyChange declareExchange(String name, String type) {
        return new TopologyChange.DeclareExchange(ExchangeSpec.plain(name, type, true));
    }

    static TopologyChange declareAutoDeleteExchange(String name) {
        return new TopologyChange.DeclareExchange(new ExchangeSpec(name, "fanout", true, true, false, null, Map.of()));
    }

    static TopologyChange deleteExchange(String name) {
        return new TopologyChange.DeleteExchange(name, false);
    }

    static BindingSpec toQueue(String source, String queue, String key) {
        return new BindingSpec(source, Destination.queue(queue), RoutingKey.of(key), Map.of());
    }

    static BindingSpec toExchange(String source, String exchange, String key) {
        return new BindingSpec(source, Destination.exchange(exchange), RoutingKey.of(key), Map.of());
    }

    static TopologyChange bind(String source, String queue, String key) {
        return new TopologyChange.Bind(toQueue(source, queue, key));
    }

    static TopologyChange bindExchange(String source, String exchange, String key) {
        return new TopologyChange.Bind(toExchange(source, exchange, key));
    }

    static TopologyChange unbind(String source, String queue, String key) {
        return new TopologyChange.Unbind(toQueue(source, queue, key));
    }

    static Policy policy(String name, String pattern, int priority, Map<String, Object> definition) {
        return new Policy(name, pattern, Policy.ApplyTo.ALL, priority, definition, false);
    }

    static Policy operatorPolicy(String name, String pattern, Map<String, Object> definition) {
        return new Policy(name, pattern, Policy.ApplyTo.QUEUES, 0, definition, true);
    }

    static User user(String name) {
        return new User(name, List.of(), java.util.Set.of(), User.Limits.NONE);
    }

    static QueueSpec spec(String name, boolean replicated, QueueLimits limits) {
        return new QueueSpec(
                name,
                true,
                false,
                false,
                replicated,
                limits,
                null,
                1,
                0,
                false,
                OptionalInt.empty(),
                OptionalLong.empty(),
                Retention.SETTLED,
                Map.of());
    }

    static AdminChange virtualHost(String name) {
        return new AdminChange.PutVirtualHost(name, "", List.of(), Optional.empty());
    }
}
