package org.entrepot.testkit.storage;

import org.entrepot.testkit.storage.disk.CrashState;
import org.entrepot.testkit.storage.disk.CrashStates;
import org.jspecify.annotations.Nullable;

/**
 * An engine from its start to its end, and so the crashes that it may have died of. Immutable.
 *
 * @param name how it came about: a seed, crashes, and what was done after each of them
 * @param crashes among what it did to its disk
 * @param history what was done to it
 * @param expected for one that only started, what it found: a crash meanwhile must not change that
 */
record Life(
        String name,
        CrashStates crashes,
        History history,
        @Nullable Verdict expected) {

    /** The last step that is durable when so many operations of the disk were done. */
    int durableAt(int operations) {
        return expected == null ? history.durableAt(operations) : expected.last();
    }

    /** How one of its crashes came about. */
    String nameOf(CrashState state) {
        return name + "/" + state.point() + ":" + state.choices();
    }
}
