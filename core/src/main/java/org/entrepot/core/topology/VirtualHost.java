package org.entrepot.core.topology;

import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.entrepot.spi.topology.BindingSpec;
import org.entrepot.spi.topology.BindingSpec.Destination;
import org.jspecify.annotations.Nullable;
import org.pcollections.TreePSet;

/**
 * A name space of exchanges, queues and policies that users are let into. Immutable; changes make a new one that shares
 * what stays.
 */
public final class VirtualHost {
    private static final TreePSet<BindingSpec> NO_BINDINGS = TreePSet.empty(BindingOrder.BY_ALL);

    private final TopologyRecord.VirtualHostPut about;
    private final VirtualHostLimits limits;
    private final HashTrie<String, Exchange> exchanges;
    private final HashTrie<String, QueueNode> queues;
    private final HashTrie<Destination, TreePSet<BindingSpec>> incoming;
    private final int bindings;
    private final Policies policies;
    private final Access access;

    private VirtualHost(
            TopologyRecord.VirtualHostPut about,
            VirtualHostLimits limits,
            HashTrie<String, Exchange> exchanges,
            HashTrie<String, QueueNode> queues,
            HashTrie<Destination, TreePSet<BindingSpec>> incoming,
            int bindings,
            Policies policies,
            Access access) {
        this.about = about;
        this.limits = limits;
        this.exchanges = exchanges;
        this.queues = queues;
        this.incoming = incoming;
        this.bindings = bindings;
        this.policies = policies;
        this.access = access;
    }

    /** A virtual host with nothing in it. */
    static VirtualHost empty(TopologyRecord.VirtualHostPut about) {
        return new VirtualHost(
                about,
                VirtualHostLimits.NONE,
                HashTrie.empty(Comparator.naturalOrder()),
                HashTrie.empty(Comparator.naturalOrder()),
                HashTrie.empty(BindingOrder.DestinationOrder.BY_NAME),
                0,
                Policies.NONE,
                Access.NONE);
    }

    public String name() {
        return about.name();
    }

    public String description() {
        return about.description();
    }

    public List<String> tags() {
        return about.tags();
    }

    /** The type of queues that are declared without one, as operators name it; opaque to the core. */
    public Optional<String> defaultQueueType() {
        return about.defaultQueueType();
    }

    public VirtualHostLimits limits() {
        return limits;
    }

    /** The exchange of this name; null where there is none, and for the default exchange "", which is no object. */
    public @Nullable Exchange exchange(String name) {
        return exchanges.get(name);
    }

    public @Nullable QueueNode queue(String name) {
        return queues.get(name);
    }

    /** All exchanges, in no particular order. */
    public Collection<Exchange> exchanges() {
        return exchanges.values();
    }

    /** All queues, in no particular order. */
    public Collection<QueueNode> queues() {
        return queues.values();
    }

    /** How many bindings there are. */
    public int bindingCount() {
        return bindings;
    }

    /** The bindings that lead to a queue or exchange, in a fixed order. */
    public Collection<BindingSpec> bindingsTo(Destination destination) {
        return to(destination);
    }

    private TreePSet<BindingSpec> to(Destination destination) {
        TreePSet<BindingSpec> bound = incoming.get(destination);
        return bound == null ? NO_BINDINGS : bound;
    }

    /** All policies, operators' as well, in order of precedence. */
    public List<Policy> policies() {
        return policies.all();
    }

    /** What a user may do here; null for nothing, not even enter. */
    public @Nullable PermissionPatterns permissions(String user) {
        return access.permissions(user);
    }

    /** All permissions, by user. */
    public Map<String, PermissionPatterns> permissions() {
        return Collections.unmodifiableMap(access.permissions());
    }

    /** Which keys of a topic exchange a user may use; null for any. */
    public @Nullable TopicPatterns topicPermissions(String user, String exchange) {
        return access.topics(user).get(exchange);
    }

    /** All topic permissions of a user, by exchange. */
    public Map<String, TopicPatterns> topicPermissions(String user) {
        return Collections.unmodifiableMap(access.topics(user));
    }

    TopologyRecord.VirtualHostPut about() {
        return about;
    }

    Policies policySet() {
        return policies;
    }

    Access access() {
        return access;
    }

    /** Whether both ends of a binding are kept in the log, so that it is, too. */
    boolean logs(BindingSpec binding) {
        Exchange source = exchanges.get(binding.source());
        if (source == null || !source.logged()) {
            return false;
        }
        Destination destination = binding.destination();
        return switch (destination.kind()) {
            case QUEUE -> {
                QueueNode queue = queues.get(destination.name());
                yield queue != null && queue.logged();
            }
            case EXCHANGE -> {
                Exchange exchange = exchanges.get(destination.name());
                yield exchange != null && exchange.logged();
            }
        };
    }

    VirtualHost with(TopologyRecord.VirtualHostPut newAbout) {
        return new VirtualHost(newAbout, limits, exchanges, queues, incoming, bindings, policies, access);
    }

    VirtualHost with(VirtualHostLimits newLimits) {
        return new VirtualHost(about, newLimits, exchanges, queues, incoming, bindings, policies, access);
    }

    VirtualHost with(Access newAccess) {
        return new VirtualHost(about, limits, exchanges, queues, incoming, bindings, policies, newAccess);
    }

    VirtualHost with(Exchange exchange) {
        return with(exchanges.with(exchange.name(), exchange), incoming, bindings);
    }

    VirtualHost with(QueueNode queue) {
        return with(queues.with(queue.name(), queue));
    }

    /** Without an exchange and the bindings from it and to it. */
    VirtualHost withoutExchange(String name) {
        VirtualHost without = withoutIncoming(Destination.exchange(name));
        Exchange exchange = without.exchanges.get(name);
        if (exchange == null) {
            return without;
        }
        HashTrie<Destination, TreePSet<BindingSpec>> left = without.incoming;
        for (BindingSpec binding : exchange.bindings()) {
            left = without(left, binding);
        }
        int leftCount = without.bindings - exchange.bindings().size();
        return without.with(without.exchanges.without(name), left, leftCount);
    }

    /** Without a queue and the bindings to it. */
    VirtualHost withoutQueue(String name) {
        VirtualHost without = withoutIncoming(Destination.queue(name));
        return without.with(without.queues.without(name));
    }

    private VirtualHost withoutIncoming(Destination destination) {
        TreePSet<BindingSpec> gone = to(destination);
        HashTrie<String, Exchange> left = exchanges;
        Exchange source = null;
        // In their order those from one source follow each other.
        for (BindingSpec binding : gone) {
            if (source == null || !source.name().equals(binding.source())) {
                left = source == null ? left : left.with(source.name(), source);
                source = left.get(binding.source());
            }
            source = source == null ? null : source.without(binding);
        }
        left = source == null ? left : left.with(source.name(), source);
        return with(left, incoming.without(destination), bindings - gone.size());
    }

    private static HashTrie<Destination, TreePSet<BindingSpec>> without(
            HashTrie<Destination, TreePSet<BindingSpec>> incoming, BindingSpec binding) {
        TreePSet<BindingSpec> sameEnd = incoming.get(binding.destination());
        TreePSet<BindingSpec> left = sameEnd == null ? NO_BINDINGS : sameEnd.minus(binding);
        return left.isEmpty() ? incoming.without(binding.destination()) : incoming.with(binding.destination(), left);
    }

    VirtualHost with(BindingSpec binding) {
        Exchange source = exchanges.get(binding.source());
        if (source == null || source.has(binding)) {
            return this;
        }
        TreePSet<BindingSpec> sameEnd = to(binding.destination());
        return with(
                exchanges.with(binding.source(), source.with(binding)),
                incoming.with(binding.destination(), sameEnd.plus(binding)),
                bindings + 1);
    }

    VirtualHost without(BindingSpec binding) {
        Exchange source = exchanges.get(binding.source());
        if (source == null || !source.has(binding)) {
            return this;
        }
        return with(
                exchanges.with(binding.source(), source.without(binding)), without(incoming, binding), bindings - 1);
    }

    /** Under other policies: every exchange and queue that they mean something else for is made anew. */
    VirtualHost with(Policies newPolicies) {
        HashTrie<String, Exchange> governedExchanges = exchanges;
        for (Exchange exchange : exchanges.values()) {
            Exchange governed = exchange.under(newPolicies);
            if (governed != exchange) {
                governedExchanges = governedExchanges.with(exchange.name(), governed);
            }
        }
        HashTrie<String, QueueNode> governedQueues = queues;
        for (QueueNode queue : queues.values()) {
            QueueNode governed = queue.under(newPolicies);
            if (governed != queue) {
                governedQueues = governedQueues.with(queue.name(), governed);
            }
        }
        return new VirtualHost(
                about, limits, governedExchanges, governedQueues, incoming, bindings, newPolicies, access);
    }

    private VirtualHost with(
            HashTrie<String, Exchange> newExchanges,
            HashTrie<Destination, TreePSet<BindingSpec>> newIncoming,
            int newBindings) {
        return new VirtualHost(about, limits, newExchanges, queues, newIncoming, newBindings, policies, access);
    }

    private VirtualHost with(HashTrie<String, QueueNode> newQueues) {
        return new VirtualHost(about, limits, exchanges, newQueues, incoming, bindings, policies, access);
    }

    @Override
    public String toString() {
        return "vhost '" + name() + "'";
    }
}
