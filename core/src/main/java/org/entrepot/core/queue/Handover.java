package org.entrepot.core.queue;

import java.util.List;
import org.entrepot.core.loop.Loop;

/** The crossings from one loop to all others. Owned by that loop. */
public final class Handover {
    private final Loop from;
    private final Crossing[] crossings;

    /** Crossings from {@code from} to each of {@code all}, which are its group. */
    public Handover(Loop from, List<Loop> all) {
        this.from = from;
        this.crossings = new Crossing[all.size()];
        for (Loop to : all) {
            crossings[to.index()] = new Crossing(from, to);
        }
    }

    public Loop loop() {
        return from;
    }

    public Crossing to(Loop loop) {
        return crossings[loop.index()];
    }

    /** Tells a publisher, wherever it lives, what became of a publish. */
    void answer(Publisher publisher, long number, boolean stored) {
        if (publisher.loop() == from) {
            publisher.receipt(number, stored);
        } else {
            to(publisher.loop()).receipt(publisher, number, stored);
        }
    }
}
