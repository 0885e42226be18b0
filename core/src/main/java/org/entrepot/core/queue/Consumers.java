package org.entrepot.core.queue;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The consumers of a queue and whose turn it is: higher priorities first, round robin among equals, only those with
 * credit. On a single-active queue only one is served. Part of a queue's state.
 */
final class Consumers implements Iterable<QueueConsumer> {

    /** Consumers of one priority that have credit, the next one first. */
    private static final class Line {
        final int priority;
        final ArrayDeque<QueueConsumer> waiting = new ArrayDeque<>();

        Line(int priority) {
            this.priority = priority;
        }
    }

    /** In the order in which they came. */
    private final List<QueueConsumer> all = new ArrayList<>();
    /** Those of them that share a window. */
    private final List<QueueConsumer> sharing = new ArrayList<>(0);
    /** Highest priority first. */
    private final List<Line> lines = new ArrayList<>();

    private boolean singleActive;
    private @Nullable QueueConsumer active;

    Consumers(boolean singleActive) {
        this.singleActive = singleActive;
    }

    int size() {
        return all.size();
    }

    boolean isEmpty() {
        return all.isEmpty();
    }

    @Override
    public Iterator<QueueConsumer> iterator() {
        return all.iterator();
    }

    List<QueueConsumer> of(Object session) {
        List<QueueConsumer> found = new ArrayList<>();
        for (QueueConsumer consumer : all) {
            if (consumer.holder().session() == session) {
                found.add(consumer);
            }
        }
        return found;
    }

    boolean hasExclusive() {
        return !all.isEmpty() && all.get(0).exclusive();
    }

    /** Those that share a window with others of their session. */
    List<QueueConsumer> sharing() {
        return sharing;
    }

    /** Whether a consumer is served when it has credit. */
    boolean serves(QueueConsumer consumer) {
        return !singleActive || consumer == active;
    }

    void add(QueueConsumer consumer) {
        all.add(consumer);
        if (consumer.shared()) {
            sharing.add(consumer);
        }
        update(consumer);
    }

    /** A consumer begins, or ends, to share a window. */
    void share(QueueConsumer consumer, boolean shared) {
        sharing.remove(consumer);
        consumer.share(shared);
        if (consumer.shared() && !consumer.gone()) {
            sharing.add(consumer);
        }
        update(consumer);
    }

    void remove(QueueConsumer consumer) {
        all.remove(consumer);
        sharing.remove(consumer);
        consumer.leave();
        if (consumer.inLine()) {
            line(consumer.priority()).waiting.remove(consumer);
            consumer.standInLine(false);
        }
        if (active == consumer) {
            active = null;
        }
    }

    void singleActive(boolean singleActive) {
        this.singleActive = singleActive;
        if (!singleActive) {
            active = null;
        }
        for (QueueConsumer consumer : all) {
            update(consumer);
        }
    }

    /**
     * Makes the consumer active that should be, on a single-active queue without one: the one of the highest priority that
     * came first. Gives it when it was not active before.
     */
    @Nullable QueueConsumer elect() {
        if (!singleActive || active != null || all.isEmpty()) {
            return null;
        }
        QueueConsumer best = all.get(0);
        for (QueueConsumer consumer : all) {
            if (consumer.priority() > best.priority()) {
                best = consumer;
            }
        }
        active = best;
        update(best);
        return best;
    }

    /** Puts a consumer in line when it has credit; called whenever its credit grew. */
    void update(QueueConsumer consumer) {
        if (!consumer.inLine() && consumer.hasCredit() && serves(consumer)) {
            line(consumer.priority()).waiting.addLast(consumer);
            consumer.standInLine(true);
        }
    }

    /** Whose turn it is, or null when nobody has credit. */
    @Nullable QueueConsumer next() {
        for (int i = 0; i < lines.size(); i++) {
            ArrayDeque<QueueConsumer> waiting = lines.get(i).waiting;
            for (QueueConsumer first = waiting.peekFirst(); first != null; first = waiting.peekFirst()) {
                if (first.hasCredit() && serves(first)) {
                    return first;
                }
                waiting.pollFirst();
                first.standInLine(false);
            }
        }
        return null;
    }

    /** The consumer that {@link #next} gave has had its turn. */
    void served(QueueConsumer consumer) {
        ArrayDeque<QueueConsumer> waiting = line(consumer.priority()).waiting;
        if (waiting.size() > 1) {
            waiting.pollFirst();
            waiting.addLast(consumer);
        }
    }

    private Line line(int priority) {
        int i = 0;
        while (i < lines.size() && lines.get(i).priority > priority) {
            i++;
        }
        if (i == lines.size() || lines.get(i).priority != priority) {
            lines.add(i, new Line(priority));
        }
        return lines.get(i);
    }
}
