package org.entrepot.core.topology;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.entrepot.spi.message.RoutingKey;
import org.entrepot.spi.topology.BindingSpec;
import org.entrepot.spi.topology.BindingSpec.Destination;
import org.entrepot.spi.topology.ExchangeSpec;
import org.entrepot.spi.topology.Matcher;
import org.jspecify.annotations.Nullable;
import org.pcollections.TreePSet;

/**
 * An exchange with the bindings from it. Immutable: each change of its bindings or its alternate makes a new one, so that
 * a route remembered for this very object is good while the topology still holds it.
 */
public final class Exchange {
    private final long id;
    private final String virtualHost;
    private final ExchangeSpec spec;
    private final @Nullable String alternate;
    private final @Nullable String policy;
    private final Matcher matcher;
    private final TreePSet<BindingSpec> bindings;

    private Exchange(
            long id,
            String virtualHost,
            ExchangeSpec spec,
            @Nullable String alternate,
            @Nullable String policy,
            Matcher matcher,
            TreePSet<BindingSpec> bindings) {
        this.id = id;
        this.virtualHost = virtualHost;
        this.spec = spec;
        this.alternate = alternate;
        this.policy = policy;
        this.matcher = matcher;
        this.bindings = bindings;
    }

    /** An exchange without bindings and without policies. */
    static Exchange of(long id, String virtualHost, ExchangeSpec spec, Matcher matcher) {
        return new Exchange(
                id, virtualHost, spec, spec.alternate(), null, matcher, TreePSet.empty(BindingOrder.BY_KEY));
    }

    /** Unique for all time: an exchange declared again under the name is another one. */
    public long id() {
        return id;
    }

    public String virtualHost() {
        return virtualHost;
    }

    public String name() {
        return spec.name();
    }

    /** What it was declared as. */
    public ExchangeSpec spec() {
        return spec;
    }

    /** The exchange that gets what this one routes nowhere, by argument or else by policy; null for none. */
    public @Nullable String alternate() {
        return alternate;
    }

    /** The name of the policy that has effect; null for none. */
    public @Nullable String policy() {
        return policy;
    }

    /** The bindings from this exchange, arranged for matching. */
    public Matcher matcher() {
        return matcher;
    }

    /** The bindings from this exchange, in a fixed order. */
    public Collection<BindingSpec> bindings() {
        return bindings;
    }

    /** The bindings from this exchange that have exactly this key. */
    public List<BindingSpec> bindings(RoutingKey key) {
        BindingSpec least = new BindingSpec(spec.name(), Destination.queue(""), key, Map.of());
        List<BindingSpec> found = new ArrayList<>();
        for (BindingSpec binding : bindings.tailSet(least)) {
            if (!binding.key().equals(key)) {
                break;
            }
            found.add(binding);
        }
        return found;
    }

    boolean has(BindingSpec binding) {
        return bindings.contains(binding);
    }

    Exchange with(BindingSpec binding) {
        return new Exchange(id, virtualHost, spec, alternate, policy, matcher.with(binding), bindings.plus(binding));
    }

    Exchange without(BindingSpec binding) {
        return new Exchange(
                id, virtualHost, spec, alternate, policy, matcher.without(binding), bindings.minus(binding));
    }

    /** The same exchange where the policies mean nothing new for it, else one they have effect on. */
    Exchange under(Policies policies) {
        Policy effective = policies.forExchange(spec.name());
        String newPolicy = effective == null ? null : effective.name();
        String newAlternate = alternate(spec, effective);
        return Objects.equals(newPolicy, policy) && Objects.equals(newAlternate, alternate)
                ? this
                : new Exchange(id, virtualHost, spec, newAlternate, newPolicy, matcher, bindings);
    }

    private static @Nullable String alternate(ExchangeSpec spec, @Nullable Policy policy) {
        if (spec.alternate() != null || policy == null) {
            return spec.alternate();
        }
        return policy.definition().get(PolicyKeys.ALTERNATE_EXCHANGE) instanceof String name ? name : null;
    }

    /** Whether it is kept in the topology's log. */
    boolean logged() {
        return spec.durable();
    }

    @Override
    public String toString() {
        return "exchange '" + name() + "' in vhost '" + virtualHost + "'";
    }
}
