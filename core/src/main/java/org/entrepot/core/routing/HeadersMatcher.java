package org.entrepot.core.routing;

import java.util.Map;
import org.entrepot.core.topology.BindingOrder;
import org.entrepot.spi.message.Message;
import org.entrepot.spi.message.RoutingKey;
import org.entrepot.spi.topology.BindingSpec;
import org.entrepot.spi.topology.Matcher;
import org.pcollections.TreePMap;

/** Matches bindings whose arguments are among the message's headers. Immutable. Its work grows with the bindings. */
record HeadersMatcher(TreePMap<BindingSpec, HeadersCondition> conditions) implements Matcher {
    static final HeadersMatcher EMPTY = new HeadersMatcher(TreePMap.empty(BindingOrder.BY_ALL));

    @Override
    public HeadersMatcher with(BindingSpec binding) {
        return new HeadersMatcher(conditions.plus(binding, HeadersCondition.of(binding.arguments())));
    }

    @Override
    public HeadersMatcher without(BindingSpec binding) {
        return new HeadersMatcher(conditions.minus(binding));
    }

    @Override
    public boolean byKeyAlone() {
        return false;
    }

    @Override
    public void match(RoutingKey key, Message message, Matches matches) {
        if (conditions.isEmpty()) {
            return;
        }
        Map<String, Object> headers = message.format().headers(message.header());
        for (Map.Entry<BindingSpec, HeadersCondition> entry : conditions.entrySet()) {
            if (entry.getValue().holds(headers)) {
                matches.add(entry.getKey());
            }
        }
    }
}
