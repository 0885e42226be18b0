package org.entrepot.testkit.storage;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.entrepot.spi.message.Bytes;
import org.jspecify.annotations.Nullable;

/**
 * Says whether what a restart shows can be what is left of a {@link History}. Immutable.
 *
 * <p>What was done, to whatever log, is durable in its order. So there must be one last step such that everything up to it
 * has happened, and nothing after it: at least the last that was called durable, at least any that shows, and at least any
 * without which something would have to show that does not. It is never within a transaction.
 */
final class Oracle {
    private final History history;

    Oracle(History history) {
        this.history = history;
    }

    /** Finds what logs show among what was done to them; complains of what was not. */
    Shown shownBy(List<Recovered> logs) {
        Set<Integer> steps = new HashSet<>();
        List<Shown.OfLog> said = new ArrayList<>();
        for (Recovered log : logs) {
            identify(log, steps);
            said.add(new Shown.OfLog(log.name(), log.stored(), log.count(), log.told().position));
        }
        return new Shown(steps, said);
    }

    /**
     * Finds the last step.
     *
     * @param durable the last step that was called durable, or -1
     * @param logs what is there, of all logs or of some
     */
    Verdict judge(int durable, List<Recovered> logs) {
        return judge(durable, shownBy(logs));
    }

    /** The same by what was found before. */
    Verdict judge(int durable, Shown shown) {
        Set<Integer> steps = shown.steps();
        Map<Long, Shown.OfLog> asked = new HashMap<>();
        shown.logs().forEach(log -> asked.put(log.name().id(), log));
        int last = Math.max(
                durable, steps.stream().mapToInt(Integer::intValue).max().orElse(-1));
        int before;
        do {
            before = last;
            last = history.wholeOf(last);
            last = afterWhatIsMissing(last, durable, asked.keySet(), steps);
            if (last == before) {
                last = afterWhatWasForgotten(last, asked);
            }
        } while (last > before);
        Set<Integer> shownLasting = new HashSet<>();
        for (int number : steps) {
            if (history.goneAt(number) <= last) {
                throw new AssertionError(named(number) + " is there, though " + named(history.goneAt(number))
                        + " has happened, for " + named(last) + (last <= durable ? " was called durable" : " has"));
            }
            if (history.lasts(number)) {
                shownLasting.add(number);
            }
        }
        for (Shown.OfLog log : shown.logs()) {
            count(log, last, steps);
        }
        return new Verdict(last, steps, shownLasting);
    }

    /** The last step, as far as it can be told by what does not show: that may be so because of a later one. */
    private int afterWhatIsMissing(int known, int durable, Set<Long> asked, Set<Integer> shown) {
        int last = known;
        for (int number = 0; number <= last; number++) {
            int gone = history.goneAt(number);
            if (gone > last
                    && history.lasts(number)
                    && !shown.contains(number)
                    && asked.contains(history.step(number).log())) {
                if (gone == History.NEVER) {
                    throw new AssertionError(lost(number, durable, last));
                }
                last = gone;
            }
        }
        return last;
    }

    /** The same by positions: a log that knows less of them than it did must have been deleted. */
    private int afterWhatWasForgotten(int known, Map<Long, Shown.OfLog> asked) {
        int last = known;
        for (int number = 0; number <= last; number++) {
            int deleted = history.deletedAt(number);
            Shown.OfLog log = asked.get(history.step(number).log());
            if (deleted > last
                    && log != null
                    && history.step(number) instanceof Step.Entry entry
                    && entry.durable()
                    && log.position() <= entry.position()) {
                if (deleted == History.NEVER) {
                    throw new AssertionError(log.name() + " ended its replay with " + log.position()
                            + ", which is not greater than that of " + named(number));
                }
                last = deleted;
            }
        }
        return last;
    }

    private String lost(int number, int durable, int last) {
        String text = named(number) + " is lost, though ";
        if (number <= durable) {
            return text + (number == durable ? "it" : named(durable)) + " was called durable";
        }
        return text + named(last) + ", which came later, has happened";
    }

    private String named(int number) {
        return history.step(number) + " (step " + number + ")";
    }

    /** Finds what a log shows among what was done to it. */
    private void identify(Recovered log, Set<Integer> shown) {
        OpenLog.Told told = log.told();
        if (!log.name().durable()) {
            if (told.checkpoint != null || !told.facts.isEmpty() || !log.live().isEmpty() || log.stored()) {
                throw new AssertionError(log.name() + " is not durable, but was kept");
            }
            return;
        }
        Bytes state = told.checkpoint;
        int checkpoint = state == null ? -1 : find(log, state, "checkpoint");
        if (state != null) {
            shown.add(checkpoint);
        }
        log.live().forEach((position, read) -> shown.add(find(log, position, read, checkpoint)));
        int before = checkpoint;
        for (Bytes fact : told.facts) {
            int number = find(log, fact, "fact");
            if (number <= before) {
                throw new AssertionError(named(number) + " was told after " + named(before));
            }
            shown.add(number);
            before = number;
        }
    }

    private int find(Recovered log, Bytes content, String what) {
        Integer number = history.withContent(content);
        if (number == null || history.step(number).log() != log.name().id()) {
            throw new AssertionError("a " + what + " of " + content.length() + " bytes was told by " + log.name()
                    + ", which nobody ever gave it");
        }
        return number;
    }

    /** A message may have been at the same position more than once, after a deletion: a stamp it has had once. */
    private int find(Recovered log, long position, Recovered.Read read, int checkpoint) {
        OpenLog.ToldEntry told = log.toldEntry(position);
        String different = "entry " + position + " of " + log.name() + " has a body of "
                + read.message().body().length() + " bytes that was never appended there";
        for (int number : history.entriesAt(log.name().id(), position)) {
            Step.Entry entry = (Step.Entry) history.step(number);
            if (entry.message().body().equals(read.message().body())) {
                String wrong = wrong(entry, read, told);
                if (wrong == null) {
                    if (told != null && number < checkpoint) {
                        throw new AssertionError(
                                named(number) + " was told, though " + named(checkpoint) + " is newer");
                    }
                    return number;
                }
                different = named(number) + " has another " + wrong + " than it was appended with";
            }
        }
        throw new AssertionError(different);
    }

    private static @Nullable String wrong(Step.Entry entry, Recovered.Read read, OpenLog.@Nullable ToldEntry told) {
        if (!entry.message().header().equals(read.message().header())) {
            return "header";
        }
        if (!entry.message().format().equals(read.message().format())) {
            return "format";
        }
        if (!entry.envelope().equals(read.envelope())
                || (told != null && !entry.envelope().equals(told.envelope()))) {
            return "envelope";
        }
        if (!entry.annotations().equals(read.annotations())) {
            return "annotation";
        }
        if (entry.stamp() != read.stamp() || (told != null && entry.stamp() != told.stamp())) {
            return "stamp";
        }
        return told != null && told.bytes() != entry.message().body().length() ? "size" : null;
    }

    /** Checks what an engine says of a log as a whole. */
    private void count(Shown.OfLog log, int last, Set<Integer> shown) {
        long id = log.name().id();
        long lasting = 0;
        long transients = 0;
        boolean any = false;
        for (int number = 0; number <= last; number++) {
            Step step = history.step(number);
            if (step.log() != id) {
                continue;
            }
            any |= shown.contains(number);
            if (step instanceof Step.Entry entry && history.goneAt(number) > last) {
                lasting += entry.durable() ? 1 : 0;
                transients += entry.durable() ? 0 : 1;
            }
        }
        if (any && !log.stored()) {
            throw new AssertionError(log.name() + " holds something, but is not among those that are stored");
        }
        if (log.count() < lasting || log.count() > lasting + transients) {
            throw new AssertionError(log.name() + " was said to hold " + log.count() + " entries, but holds " + lasting
                    + " and at most " + transients + " transient ones");
        }
    }
}
