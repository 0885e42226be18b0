package org.entrepot.core.routing;

import org.entrepot.core.topology.BindingOrder;
import org.entrepot.spi.message.Message;
import org.entrepot.spi.message.RoutingKey;
import org.entrepot.spi.topology.BindingSpec;
import org.entrepot.spi.topology.Matcher;
import org.pcollections.TreePMap;
import org.pcollections.TreePSet;

/** Matches bindings whose key is the message's. Immutable. */
record DirectMatcher(TreePMap<RoutingKey, TreePSet<BindingSpec>> bindings) implements Matcher {
    static final DirectMatcher EMPTY = new DirectMatcher(TreePMap.empty(BindingOrder::compareKeys));

    private static final TreePSet<BindingSpec> NONE = TreePSet.empty(BindingOrder.BY_ALL);

    @Override
    public DirectMatcher with(BindingSpec binding) {
        TreePSet<BindingSpec> sameKey = bindings.getOrDefault(binding.key(), NONE);
        return new DirectMatcher(bindings.plus(binding.key(), sameKey.plus(binding)));
    }

    @Override
    public DirectMatcher without(BindingSpec binding) {
        TreePSet<BindingSpec> sameKey =
                bindings.getOrDefault(binding.key(), NONE).minus(binding);
        return new DirectMatcher(
                sameKey.isEmpty() ? bindings.minus(binding.key()) : bindings.plus(binding.key(), sameKey));
    }

    @Override
    public boolean byKeyAlone() {
        return true;
    }

    @Override
    public void match(RoutingKey key, Message message, Matches matches) {
        TreePSet<BindingSpec> sameKey = bindings.get(key);
        if (sameKey != null) {
            for (BindingSpec binding : sameKey) {
                matches.add(binding);
            }
        }
    }
}
