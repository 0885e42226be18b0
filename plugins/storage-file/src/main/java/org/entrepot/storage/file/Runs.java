package org.entrepot.storage.file;

import java.util.Collection;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The runs of one log. Owned as the log. Runs may overlap, for entries that were moved later may be older; a run is short, so
 * the few that may hold a position are near it.
 */
final class Runs {
    private static final long NONE = -1;

    private final TreeMap<Long, Run> byFirst = new TreeMap<>();

    boolean isEmpty() {
        return byFirst.isEmpty();
    }

    Collection<Run> all() {
        return byFirst.values();
    }

    /** Adds a run; where one begins at the same position it must be gone. */
    void add(Run run) {
        Run there = byFirst.put(run.first(), run);
        assert there == null || there.live() == 0 : "two runs begin at " + run.first();
    }

    @Nullable Run at(long first) {
        return byFirst.get(first);
    }

    boolean isLive(long position) {
        for (Map.Entry<Long, Run> at = byFirst.floorEntry(position);
                at != null && reaches(at, position);
                at = below(at)) {
            if (at.getValue().isLive(position)) {
                return true;
            }
        }
        return false;
    }

    /** The run with the least live position that is at least this one; null when there is none. */
    @Nullable Run from(long position) {
        Run best = null;
        long least = Long.MAX_VALUE;
        for (Map.Entry<Long, Run> at = byFirst.floorEntry(position);
                at != null && reaches(at, position);
                at = below(at)) {
            long next = at.getValue().next(position);
            if (next != NONE && next < least) {
                least = next;
                best = at.getValue();
            }
        }
        // One that begins earlier may have its first live position behind another's.
        for (Map.Entry<Long, Run> at = byFirst.higherEntry(position);
                at != null && at.getKey() < least;
                at = byFirst.higherEntry(at.getKey())) {
            long next = at.getValue().next(position);
            if (next != NONE && next < least) {
                least = next;
                best = at.getValue();
            }
        }
        return best;
    }

    private static boolean reaches(Map.Entry<Long, Run> at, long position) {
        return at.getKey() + TableWriter.RUN_POSITIONS_MAX > position;
    }

    private Map.@Nullable Entry<Long, Run> below(Map.Entry<Long, Run> at) {
        return byFirst.lowerEntry(at.getKey());
    }

    /** These positions, both included, are gone; how many of them were live. What tables have lost is noted. */
    long remove(long from, long to, Freed freed) {
        long removed = 0;
        Map.Entry<Long, Run> next = byFirst.floorEntry(from);
        for (; next != null && reaches(next, from); next = below(next)) {
            removed += remove(next.getValue(), from, to, freed);
        }
        for (next = byFirst.higherEntry(from); next != null && next.getKey() <= to; ) {
            long first = next.getKey();
            removed += remove(next.getValue(), from, to, freed);
            next = byFirst.higherEntry(first);
        }
        return removed;
    }

    private long remove(Run run, long from, long to, Freed freed) {
        long removed = run.remove(from, to);
        freed.add(run.table(), removed);
        if (run.live() == 0) {
            byFirst.remove(run.first(), run);
        }
        return removed;
    }

    /** Takes out whole runs. */
    void removeIf(Predicate<Run> gone) {
        byFirst.values().removeIf(run -> {
            boolean goes = gone.test(run);
            if (goes) {
                run.table().removed(run.live());
            }
            return goes;
        });
    }

    /** Leaves live what was and is in these ranges. */
    void keepOnly(Ranges live) {
        for (Run run : byFirst.values()) {
            long next = run.first();
            for (int i = live.firstReaching(run.first()); i < live.size() && live.from(i) <= run.last(); i++) {
                run.table().removed(run.remove(next, live.from(i) - 1));
                next = live.to(i) + 1;
            }
            run.table().removed(run.remove(next, run.last()));
        }
        byFirst.values().removeIf(run -> run.live() == 0);
    }

    long live() {
        long live = 0;
        for (Run run : byFirst.values()) {
            live += run.live();
        }
        return live;
    }
}
