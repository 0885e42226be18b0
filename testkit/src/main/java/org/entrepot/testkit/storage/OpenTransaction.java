package org.entrepot.testkit.storage;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.entrepot.spi.storage.LogTransaction;

/**
 * A transaction of a {@link Scenario} that is not committed yet, and what it will have done then. Used by one thread.
 *
 * @param logs that take part
 */
record OpenTransaction(LogTransaction transaction, List<Step> steps, Set<Long> logs) {

    static OpenTransaction of(LogTransaction transaction) {
        return new OpenTransaction(transaction, new ArrayList<>(), new LinkedHashSet<>());
    }

    /** Positions at which it has entries for a log, whether they are to last or not. */
    List<Long> positions(long log) {
        return steps.stream()
                .filter(step -> step.log() == log)
                .filter(Step.Entry.class::isInstance)
                .map(step -> ((Step.Entry) step).position())
                .toList();
    }

    /** Whether it has an entry at one of these positions of a log, both included. */
    boolean hasAny(long log, long from, long to) {
        return positions(log).stream().anyMatch(position -> position >= from && position <= to);
    }
}
