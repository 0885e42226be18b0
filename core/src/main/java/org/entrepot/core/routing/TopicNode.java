package org.entrepot.core.routing;

import org.entrepot.core.topology.BindingOrder;
import org.entrepot.core.topology.HashTrie;
import org.entrepot.spi.topology.BindingSpec;
import org.jspecify.annotations.Nullable;
import org.pcollections.TreePSet;

/** A node of the trie of a topic exchange: what follows the levels that lead to it. Immutable. */
final class TopicNode {
    static final TopicNode EMPTY =
            new TopicNode(HashTrie.empty(Level.BY_BYTES), null, null, TreePSet.empty(BindingOrder.BY_ALL));

    private final HashTrie<Level, TopicNode> literal;
    private final @Nullable TopicNode any;
    private final @Nullable TopicNode rest;
    private final TreePSet<BindingSpec> bindings;

    private TopicNode(
            HashTrie<Level, TopicNode> literal,
            @Nullable TopicNode any,
            @Nullable TopicNode rest,
            TreePSet<BindingSpec> bindings) {
        this.literal = literal;
        this.any = any;
        this.rest = rest;
        this.bindings = bindings;
    }

    /** What follows a level that must be just so. */
    HashTrie<Level, TopicNode> literal() {
        return literal;
    }

    /** What follows a level that may be any, {@code *}. */
    @Nullable TopicNode any() {
        return any;
    }

    /** What follows any number of levels, {@code #}; has no {@code rest} itself, for {@code #.#} is {@code #}. */
    @Nullable TopicNode rest() {
        return rest;
    }

    /** What is bound with exactly the pattern that leads here. */
    TreePSet<BindingSpec> bindings() {
        return bindings;
    }

    boolean isEmpty() {
        return bindings.isEmpty() && literal.isEmpty() && any == null && rest == null;
    }

    TopicNode withLiteral(Level level, TopicNode next) {
        return new TopicNode(next.isEmpty() ? literal.without(level) : literal.with(level, next), any, rest, bindings);
    }

    TopicNode withAny(TopicNode next) {
        return new TopicNode(literal, next.isEmpty() ? null : next, rest, bindings);
    }

    TopicNode withRest(TopicNode next) {
        return new TopicNode(literal, any, next.isEmpty() ? null : next, bindings);
    }

    TopicNode withBindings(TreePSet<BindingSpec> newBindings) {
        return new TopicNode(literal, any, rest, newBindings);
    }
}
