package org.entrepot.core.routing;

import org.entrepot.spi.message.Message;
import org.entrepot.spi.message.RoutingKey;
import org.entrepot.spi.topology.BindingSpec;
import org.entrepot.spi.topology.Matcher;

/** Matches keys level by level against patterns with wildcards. Immutable. */
record TopicMatcher(TopicNode root) implements Matcher {
    static final TopicMatcher EMPTY = new TopicMatcher(TopicNode.EMPTY);

    @Override
    public TopicMatcher with(BindingSpec binding) {
        return new TopicMatcher(new TopicPattern(binding.key()).bind(root, binding));
    }

    @Override
    public TopicMatcher without(BindingSpec binding) {
        return new TopicMatcher(new TopicPattern(binding.key()).unbind(root, binding));
    }

    @Override
    public boolean byKeyAlone() {
        return true;
    }

    @Override
    public void match(RoutingKey key, Message message, Matches matches) {
        new TopicMatch(matches).run(root, key);
    }
}
