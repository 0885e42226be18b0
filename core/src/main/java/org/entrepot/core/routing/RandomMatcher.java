package org.entrepot.core.routing;

import java.util.concurrent.ThreadLocalRandom;
import org.entrepot.spi.message.Message;
import org.entrepot.spi.message.RoutingKey;
import org.entrepot.spi.topology.BindingSpec;

/** Matches one binding by chance. Immutable. */
record RandomMatcher(SortedBindings bindings) implements PicksOne {
    static final RandomMatcher EMPTY = new RandomMatcher(SortedBindings.EMPTY);

    @Override
    public RandomMatcher with(BindingSpec binding) {
        return new RandomMatcher(bindings.with(binding));
    }

    @Override
    public RandomMatcher without(BindingSpec binding) {
        return new RandomMatcher(bindings.without(binding));
    }

    @Override
    public boolean byKeyAlone() {
        return false;
    }

    @Override
    public void match(RoutingKey key, Message message, Matches matches) {
        if (bindings.size() > 0) {
            matches.add(bindings.get(ThreadLocalRandom.current().nextInt(bindings.size())));
        }
    }
}
