package org.entrepot.core.routing;

import org.entrepot.spi.message.Message;
import org.entrepot.spi.message.RoutingKey;
import org.entrepot.spi.topology.BindingSpec;

/** Matches one binding, by the hash of the message's key modulo their number. Immutable. */
record ModulusMatcher(SortedBindings bindings) implements PicksOne {
    static final ModulusMatcher EMPTY = new ModulusMatcher(SortedBindings.EMPTY);

    @Override
    public ModulusMatcher with(BindingSpec binding) {
        return new ModulusMatcher(bindings.with(binding));
    }

    @Override
    public ModulusMatcher without(BindingSpec binding) {
        return new ModulusMatcher(bindings.without(binding));
    }

    @Override
    public boolean byKeyAlone() {
        return true;
    }

    @Override
    public void match(RoutingKey key, Message message, Matches matches) {
        if (bindings.size() > 0) {
            matches.add(bindings.get((int) Long.remainderUnsigned(Hash.of(key), bindings.size())));
        }
    }
}
