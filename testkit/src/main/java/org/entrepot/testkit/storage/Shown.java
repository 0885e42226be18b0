package org.entrepot.testkit.storage;

import java.util.List;
import java.util.Set;

/**
 * What a restart shows of a {@link History}: all that an {@link Oracle} needs to judge it, without the messages. Immutable.
 *
 * @param steps the entries, facts and checkpoints that were told, and could be read
 * @param logs what the engine said of each log that was opened
 */
record Shown(Set<Integer> steps, List<OfLog> logs) {

    /**
     * One log as a whole.
     *
     * @param stored whether the engine knew of it before it was opened
     * @param count how many entries it said there are
     * @param position where its replay ended
     */
    record OfLog(LogName name, boolean stored, long count, long position) {}
}
