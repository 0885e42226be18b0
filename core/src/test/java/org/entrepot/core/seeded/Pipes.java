package org.entrepot.core.seeded;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What actors of a simulation have to tell each other: arrives in order between each two, and otherwise whenever chance
 * wants it. Used by one thread.
 */
public final class Pipes {
    private record Pair(Object from, Object to) {}

    private final Map<Pair, ArrayDeque<Runnable>> pipes = new HashMap<>();
    private final List<Pair> order = new ArrayList<>();

    public void send(Object from, Object to, Runnable what) {
        Pair pair = new Pair(from, to);
        ArrayDeque<Runnable> pipe = pipes.get(pair);
        if (pipe == null) {
            pipe = new ArrayDeque<>();
            pipes.put(pair, pipe);
            order.add(pair);
        }
        pipe.add(what);
    }

    /** Lets so many things arrive at somebody, from whomever chance wants; whether anything did. */
    public boolean arrive(Object to, int most, SeededRandom random) {
        boolean any = false;
        for (int i = 0; i < most; i++) {
            ArrayDeque<Runnable> pipe = waitingFor(to, random);
            if (pipe == null) {
                break;
            }
            any = true;
            pipe.remove().run();
        }
        return any;
    }

    /** Nothing that is under way arrives. */
    public void clear() {
        pipes.clear();
        order.clear();
    }

    private ArrayDeque<Runnable> waitingFor(Object to, SeededRandom random) {
        ArrayDeque<Runnable> chosen = null;
        int seen = 0;
        for (int i = 0; i < order.size(); i++) {
            Pair pair = order.get(i);
            if (pair.to() == to && !pipes.get(pair).isEmpty() && random.below(++seen) == 0) {
                chosen = pipes.get(pair);
            }
        }
        return chosen;
    }
}
