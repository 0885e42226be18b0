package org.entrepot.core.routing;

import java.util.Arrays;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;
import org.entrepot.spi.message.RoutingKey;
import org.entrepot.spi.topology.Matcher;
import org.jspecify.annotations.Nullable;

/**
 * One key on its way through a trie, at all nodes at once that the levels so far lead to. Owned by the call that makes
 * it.
 *
 * <p>A node has one parent, so a level leads to it at most once, and a {@code #} node stays once it is reached: the work
 * is at most the levels of the key times the nodes of the trie, however the patterns are made.
 */
final class TopicMatch {
    /** Up to so many {@code #} nodes a list is searched for those reached already; above, a set is kept. */
    private static final int FEW = 16;

    private final Matcher.Matches matches;
    private TopicNode[] reached = new TopicNode[4];
    private int reachedCount;
    private TopicNode[] next = new TopicNode[4];
    private int nextCount;
    private TopicNode[] rests = new TopicNode[2];
    private int restCount;
    private @Nullable Set<TopicNode> manyRests;

    TopicMatch(Matcher.Matches matches) {
        this.matches = matches;
    }

    void run(TopicNode root, RoutingKey key) {
        reach(root);
        swap();
        if (key.length() > 0) {
            Level level = Level.first(key);
            do {
                step(level);
            } while ((reachedCount > 0 || restCount > 0) && level.toNext());
        }
        for (int i = 0; i < reachedCount; i++) {
            report(reached[i]);
        }
    }

    private void step(Level level) {
        // Those reached by this level come into play with the next one.
        int restsBefore = restCount;
        for (int i = 0; i < reachedCount; i++) {
            follow(reached[i], level);
        }
        for (int i = 0; i < restsBefore; i++) {
            follow(rests[i], level);
        }
        swap();
    }

    private void follow(TopicNode node, Level level) {
        TopicNode literal = node.literal().get(level);
        if (literal != null) {
            reach(literal);
        }
        TopicNode any = node.any();
        if (any != null) {
            reach(any);
        }
    }

    private void reach(TopicNode node) {
        if (nextCount == next.length) {
            next = Arrays.copyOf(next, 2 * nextCount);
        }
        next[nextCount++] = node;
        TopicNode rest = node.rest();
        if (rest != null && isNew(rest)) {
            if (restCount == rests.length) {
                rests = Arrays.copyOf(rests, 2 * restCount);
            }
            rests[restCount++] = rest;
            // Whatever levels follow, what ends with # matches.
            report(rest);
        }
    }

    private boolean isNew(TopicNode rest) {
        if (restCount < FEW) {
            for (int i = 0; i < restCount; i++) {
                if (rests[i] == rest) {
                    return false;
                }
            }
            return true;
        }
        if (manyRests == null) {
            manyRests = Collections.newSetFromMap(new IdentityHashMap<>());
            manyRests.addAll(Arrays.asList(rests).subList(0, restCount));
        }
        return manyRests.add(rest);
    }

    private void report(TopicNode node) {
        Reports.all(node.bindings(), matches);
    }

    private void swap() {
        TopicNode[] old = reached;
        reached = next;
        reachedCount = nextCount;
        next = old;
        nextCount = 0;
    }
}
