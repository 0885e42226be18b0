package org.entrepot.mqtt;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.entrepot.mqtt.wire.Topics;
import org.jspecify.annotations.Nullable;

/**
 * The subscriptions of one session, and which of them match a topic. Owned by the connection's loop.
 *
 * <p>Few are tried one after the other, which takes the least memory; many are a tree of levels.
 */
final class Subscriptions {
    /** So many are tried one after the other. */
    private static final int FEW = 16;

    private final Map<String, Subscription> byFilter = new LinkedHashMap<>(2);
    private final List<Tried> few = new ArrayList<>(1);
    private @Nullable Level tree;
    private int withAnswers;
    private int withOptions;

    /** One with the bytes of its filter. */
    private static final class Tried {
        private final byte[] filter;
        private final Subscription subscription;

        Tried(Subscription subscription) {
            this.filter = subscription.filterBytes();
            this.subscription = subscription;
        }
    }

    /** Subscriptions by the levels of their filters. */
    private static final class Level {
        private final Map<String, Level> next = new HashMap<>(2);
        private @Nullable Subscription here;
    }

    int size() {
        return byFilter.size();
    }

    Collection<Subscription> all() {
        return byFilter.values();
    }

    @Nullable Subscription get(String filter) {
        return byFilter.get(filter);
    }

    /** Adds one, in place of an older one to the same filter. */
    void put(Subscription one) {
        remove(one.filter());
        byFilter.put(one.filter(), one);
        if (one.isShared()) {
            return;
        }
        count(one, 1);
        if (tree != null) {
            place(tree, one.topicFilter()).here = one;
            return;
        }
        few.add(new Tried(one));
        if (few.size() > FEW) {
            Level root = new Level();
            few.forEach(each -> place(root, each.subscription.topicFilter()).here = each.subscription);
            few.clear();
            tree = root;
        }
    }

    void remove(String filter) {
        Subscription gone = byFilter.remove(filter);
        if (gone == null || gone.isShared()) {
            return;
        }
        count(gone, -1);
        if (tree != null) {
            remove(tree, gone.topicFilter().split("/", -1), 0);
        } else {
            few.removeIf(each -> each.subscription.equals(gone));
        }
    }

    private void count(Subscription one, int change) {
        withAnswers += one.qos() > 0 ? change : 0;
        withOptions += one.isPlain() ? 0 : change;
    }

    /** Whether all that are not shared are at QoS 0 and say nothing but a filter. */
    boolean areSimple() {
        return withAnswers == 0 && withOptions == 0;
    }

    private static Level place(Level root, String filter) {
        Level at = root;
        for (String level : filter.split("/", -1)) {
            at = at.next.computeIfAbsent(level, none -> new Level());
        }
        return at;
    }

    private static boolean remove(Level at, String[] levels, int depth) {
        if (depth == levels.length) {
            at.here = null;
        } else {
            Level next = at.next.get(levels[depth]);
            if (next != null && remove(next, levels, depth + 1)) {
                at.next.remove(levels[depth]);
            }
        }
        return at.here == null && at.next.isEmpty();
    }

    /**
     * Finds those that match, shared ones aside.
     *
     * @param own whether the message is the client's own
     */
    void match(ByteBuf topic, boolean own, Matched matched) {
        matched.clear();
        if (tree == null) {
            for (int i = 0; i < few.size(); i++) {
                Tried one = few.get(i);
                if (Topics.matches(one.filter, topic)) {
                    matched.add(one.subscription, own);
                }
            }
            return;
        }
        String[] levels = topic.toString(StandardCharsets.UTF_8).split("/", -1);
        match(tree, levels, 0, own, matched);
    }

    private static void match(Level at, String[] levels, int depth, boolean own, Matched matched) {
        boolean wildcards = depth > 0 || !levels[0].startsWith("$");
        Level rest = wildcards ? at.next.get("#") : null;
        if (rest != null && rest.here != null) {
            matched.add(rest.here, own);
        }
        if (depth == levels.length) {
            if (at.here != null) {
                matched.add(at.here, own);
            }
            return;
        }
        Level literal = at.next.get(levels[depth]);
        if (literal != null) {
            match(literal, levels, depth + 1, own, matched);
        }
        Level any = wildcards ? at.next.get("+") : null;
        if (any != null) {
            match(any, levels, depth + 1, own, matched);
        }
    }
}
