package org.entrepot.core.routing;

import org.entrepot.core.topology.BindingOrder;
import org.entrepot.core.topology.HashTrie;
import org.entrepot.spi.message.Message;
import org.entrepot.spi.message.RoutingKey;
import org.entrepot.spi.topology.BindingSpec;
import org.entrepot.spi.topology.Matcher;
import org.pcollections.TreePSet;

/** Matches bindings whose key is the message's. Immutable. */
record DirectMatcher(HashTrie<RoutingKey, TreePSet<BindingSpec>> bindings) implements Matcher {
    static final DirectMatcher EMPTY = new DirectMatcher(HashTrie.empty(BindingOrder::compareKeys));

    private static final TreePSet<BindingSpec> NONE = TreePSet.empty(BindingOrder.BY_ALL);

    @Override
    public DirectMatcher with(BindingSpec binding) {
        return new DirectMatcher(
                bindings.with(binding.key(), boundWith(binding.key()).plus(binding)));
    }

    @Override
    public DirectMatcher without(BindingSpec binding) {
        TreePSet<BindingSpec> others = boundWith(binding.key()).minus(binding);
        return new DirectMatcher(
                others.isEmpty() ? bindings.without(binding.key()) : bindings.with(binding.key(), others));
    }

    @Override
    public boolean byKeyAlone() {
        return true;
    }

    @Override
    public void match(RoutingKey key, Message message, Matches matches) {
        Reports.all(boundWith(key), matches);
    }

    private TreePSet<BindingSpec> boundWith(RoutingKey key) {
        TreePSet<BindingSpec> bound = bindings.get(key);
        return bound == null ? NONE : bound;
    }
}
