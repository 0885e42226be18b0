package org.entrepot.core.routing;

import java.util.ArrayList;
import java.util.List;
import org.entrepot.spi.message.RoutingKey;
import org.entrepot.spi.topology.BindingSpec;
import org.pcollections.TreePSet;

/**
 * The pattern of a topic binding, as the steps from the root of the trie to its node. Immutable.
 *
 * <p>It changes a trie without recursion, for patterns may have many levels.
 */
final class TopicPattern {
    static final char ANY = '*';
    static final char REST = '#';

    private final List<Step> steps;

    /** The pattern that a binding's key spells; runs of {@code #} are one. */
    TopicPattern(RoutingKey key) {
        steps = new ArrayList<>();
        if (key.length() == 0) {
            return;
        }
        Level level = Level.first(key);
        do {
            Step step = step(level);
            boolean repeatsRest =
                    step instanceof Rest && !steps.isEmpty() && steps.get(steps.size() - 1) instanceof Rest;
            if (!repeatsRest) {
                steps.add(step);
            }
        } while (level.toNext());
    }

    /** Levels that the pattern spells. */
    static int levels(RoutingKey key) {
        int levels = key.length() == 0 ? 0 : 1;
        for (int i = 0; i < key.length(); i++) {
            if (key.at(i) == RoutingKey.SEPARATOR) {
                levels++;
            }
        }
        return levels;
    }

    TopicNode bind(TopicNode root, BindingSpec binding) {
        return change(root, binding, true);
    }

    TopicNode unbind(TopicNode root, BindingSpec binding) {
        return change(root, binding, false);
    }

    private TopicNode change(TopicNode root, BindingSpec binding, boolean add) {
        TopicNode[] path = new TopicNode[steps.size() + 1];
        path[0] = root;
        for (int i = 0; i < steps.size(); i++) {
            path[i + 1] = steps.get(i).from(path[i]);
        }
        TopicNode last = path[steps.size()];
        TreePSet<BindingSpec> bindings = last.bindings();
        TopicNode changed = last.withBindings(add ? bindings.plus(binding) : bindings.minus(binding));
        for (int i = steps.size() - 1; i >= 0; i--) {
            changed = steps.get(i).to(path[i], changed);
        }
        return changed;
    }

    private static Step step(Level level) {
        if (level.isOnly(ANY)) {
            return new Any();
        }
        return level.isOnly(REST) ? new Rest() : new Literal(level.fixed());
    }

    /** One step down the trie. */
    private interface Step {
        TopicNode from(TopicNode node);

        TopicNode to(TopicNode node, TopicNode next);
    }

    private record Literal(Level level) implements Step {
        @Override
        public TopicNode from(TopicNode node) {
            TopicNode next = node.literal().get(level);
            return next == null ? TopicNode.EMPTY : next;
        }

        @Override
        public TopicNode to(TopicNode node, TopicNode next) {
            return node.withLiteral(level, next);
        }
    }

    private record Any() implements Step {
        @Override
        public TopicNode from(TopicNode node) {
            return node.any() == null ? TopicNode.EMPTY : node.any();
        }

        @Override
        public TopicNode to(TopicNode node, TopicNode next) {
            return node.withAny(next);
        }
    }

    private record Rest() implements Step {
        @Override
        public TopicNode from(TopicNode node) {
            return node.rest() == null ? TopicNode.EMPTY : node.rest();
        }

        @Override
        public TopicNode to(TopicNode node, TopicNode next) {
            return node.withRest(next);
        }
    }
}
