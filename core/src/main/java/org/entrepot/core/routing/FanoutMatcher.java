package org.entrepot.core.routing;

import org.entrepot.core.topology.BindingOrder;
import org.entrepot.spi.message.Message;
import org.entrepot.spi.message.RoutingKey;
import org.entrepot.spi.topology.BindingSpec;
import org.entrepot.spi.topology.Matcher;
import org.pcollections.TreePSet;

/** Matches every binding. Immutable. */
record FanoutMatcher(TreePSet<BindingSpec> bindings) implements Matcher {
    static final FanoutMatcher EMPTY = new FanoutMatcher(TreePSet.empty(BindingOrder.BY_ALL));

    @Override
    public FanoutMatcher with(BindingSpec binding) {
        return new FanoutMatcher(bindings.plus(binding));
    }

    @Override
    public FanoutMatcher without(BindingSpec binding) {
        return new FanoutMatcher(bindings.minus(binding));
    }

    @Override
    public boolean byKeyAlone() {
        return true;
    }

    @Override
    public void match(RoutingKey key, Message message, Matches matches) {
        Reports.all(bindings, matches);
    }
}
