package org.entrepot.testkit.storage;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.entrepot.testkit.storage.disk.CrashState;
import org.entrepot.testkit.storage.disk.CrashStates;
import org.jspecify.annotations.Nullable;

/**
 * An engine from its start to its end, and so the crashes that it may have died of. Used by one thread.
 *
 * @param name how it came about: a seed, crashes, and what was done after each of them
 * @param crashes among what it did to its disk
 * @param history what was done to it
 * @param expected for one that only started, what it found: a crash meanwhile must not change that
 * @param shown what a restart has shown, by the hash of what a crash has left: many leave the same
 */
record Life(
        String name,
        CrashStates crashes,
        History history,
        @Nullable Verdict expected,
        Map<String, Shown> shown) {

    Life(String name, CrashStates crashes, History history, @Nullable Verdict expected) {
        this(name, crashes, history, expected, new HashMap<>());
    }

    /** The last step that is durable when so many operations of the disk were done. */
    int durableAt(int operations) {
        return expected == null ? history.durableAt(operations) : expected.last();
    }

    /** How one of its crashes came about. */
    String nameOf(CrashState state) {
        return name + "/" + state.point() + ":" + state.choices();
    }

    /** What was done to the logs, and what to the disk until one of its crashes, with what was durable when. */
    List<String> story(CrashState state) {
        List<String> lines = new ArrayList<>();
        for (int step = 0; step < history.size(); step++) {
            lines.add("step " + step + ": " + history.step(step)
                    + (history.goneAt(step) == History.NEVER ? "" : ", gone with " + history.goneAt(step)));
        }
        int durable = durableAt(0);
        lines.add("durable up to step " + durable);
        List<String> operations = crashes.operations(state.point());
        for (int i = 0; i < operations.size(); i++) {
            lines.add("operation " + (i + 1) + ": " + operations.get(i));
            if (durableAt(i + 1) > durable) {
                durable = durableAt(i + 1);
                lines.add("durable up to step " + durable);
            }
        }
        lines.add(state.toString());
        return lines;
    }
}
