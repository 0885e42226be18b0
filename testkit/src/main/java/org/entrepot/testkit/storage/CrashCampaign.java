package org.entrepot.testkit.storage;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import org.entrepot.testkit.storage.disk.CrashState;
import org.entrepot.testkit.storage.disk.CrashStates;
import org.entrepot.testkit.storage.disk.RecordingDisk;
import org.jspecify.annotations.Nullable;

/**
 * Crashes a storage engine in thousands of ways and looks at what a restart finds. Vendors call it, from one thread; it lets
 * several engines live at once:
 *
 * <pre>{@code
 * new CrashCampaign(disk -> new MyStorage(disk, 64 * 1024)).run(20_000);
 * }</pre>
 *
 * <p>For one seed after the other it lets an engine live on a {@link RecordingDisk}: appends entries and facts to several
 * logs, some messages to many of them; does so in transactions; releases, checkpoints, moves messages between logs as dead
 * letters are; unloads, closes, opens again and deletes. Then, for a power cut after any operation of the disk and for all that such a cut may
 * leave ({@link CrashStates}), it starts an engine on what is left, replays all logs, loads all entries, and checks:
 *
 * <ul>
 *   <li>What was called durable is there: every entry that was not released, equal in message, envelope, annotations and
 *       stamp; every fact; the newest checkpoint, and what came after it and nothing else.
 *   <li>What is there was done, and everything that was done before it, to whatever log, is there too: what is left is
 *       always the beginning of what was done. That includes releases and deletions, which last as a fact appended at that
 *       moment. Transient entries may be missing.
 *   <li>Of a transaction there is everything or nothing.
 *   <li>What was released or deleted is not back when that was durable.
 *   <li>The engine raises no alarm: a torn end is no damage.
 *   <li>The engine ends without leaving a file open, and another start shows the same.
 * </ul>
 *
 * <p>Now and then it crashes the restarted engine too, after any operation that its start has done, or lets it live on from
 * there and crashes that life.
 *
 * <p>Many crashes leave the same bytes. Those of one life that do are one state: one engine is started on it, and what that
 * shows is compared with what was called durable before each of these crashes.
 *
 * <p>A failure names what brings this one state about again ({@link #reproduce}), as far as the engine does the same again:
 * with threads of its own it may not always, so {@link #withImages} keeps the files.
 */
public final class CrashCampaign {
    private static final int UNIT_BYTES = 4096;
    private static final int STEPS = 60;
    private static final int STEPS_LATER = 20;
    private static final int LIVES_MAX = 3;
    /** After one crash of so many the restarted engine is crashed while it starts, or lives on. */
    private static final int ONE_OF = 24;

    /** Fewer states at each point than there might be, for more lives. */
    private static final int EXHAUSTIVE_MAX = 16;

    private static final int DRAWN = 12;
    private static final int START_STATES = 3;
    private static final int LATER_STATES = 4;

    private final StorageFactory factory;
    private final int steps;
    private final int unitBytes;
    private final int exhaustiveMax;
    private final int drawn;
    private final int threads;
    private final @Nullable Path images;

    /** A campaign against the engines that a factory makes. */
    public CrashCampaign(StorageFactory factory) {
        this(
                factory,
                STEPS,
                UNIT_BYTES,
                EXHAUSTIVE_MAX,
                DRAWN,
                Runtime.getRuntime().availableProcessors(),
                null);
    }

    private CrashCampaign(
            StorageFactory factory,
            int steps,
            int unitBytes,
            int exhaustiveMax,
            int drawn,
            int threads,
            @Nullable Path images) {
        this.factory = factory;
        this.steps = steps;
        this.unitBytes = unitBytes;
        this.exhaustiveMax = exhaustiveMax;
        this.drawn = drawn;
        this.threads = threads;
        this.images = images;
    }

    /** The same with lives of so many steps. Long lives reach what happens rarely, and have more states that are alike. */
    public CrashCampaign withSteps(int newSteps) {
        return new CrashCampaign(factory, newSteps, unitBytes, exhaustiveMax, drawn, threads, images);
    }

    /** The same with writes that break at multiples of so many bytes; see {@link CrashStates#withUnit}. */
    public CrashCampaign withUnit(int bytes) {
        return new CrashCampaign(factory, steps, bytes, exhaustiveMax, drawn, threads, images);
    }

    /** The same with other numbers of states after each operation; see {@link CrashStates#withStatesPerPoint}. */
    public CrashCampaign withStatesPerPoint(int newExhaustiveMax, int newDrawn) {
        return new CrashCampaign(factory, steps, unitBytes, newExhaustiveMax, newDrawn, threads, images);
    }

    /** The same with so many engines that live at once; unless told, one for each core. */
    public CrashCampaign withThreads(int newThreads) {
        if (newThreads < 1) {
            throw new IllegalArgumentException("no threads");
        }
        return new CrashCampaign(factory, steps, unitBytes, exhaustiveMax, drawn, newThreads, images);
    }

    /**
     * The same, and what a crash has left is written to a directory when it fails; beside it, what the life before had done to
     * its logs and to the disk.
     */
    public CrashCampaign withImages(Path directory) {
        return new CrashCampaign(factory, steps, unitBytes, exhaustiveMax, drawn, threads, directory);
    }

    /**
     * What a campaign did.
     *
     * @param lives engines that lived from an empty disk on
     * @param states starts of an engine on what a crash has left, of one life no two of which were on the same bytes but for
     *     the second starts
     * @param alike crashes that left the bytes of a state that was counted already, and were judged by what that had shown
     * @param nanos how long it took
     */
    public record Report(long lives, long states, long alike, long nanos) {
        @Override
        public String toString() {
            return states + " states and " + alike + " crashes that left one of them, of " + lives + " lives, "
                    + states * 1_000_000_000L / Math.max(1, nanos) + " states/s";
        }
    }

    /** Runs seeds from 1 on until so many states were checked. */
    public Report run(long states) {
        return run(1, states);
    }

    /**
     * Runs seeds from this one on until so many states were checked; throws {@link AssertionError} at the first failure: that
     * of the least seed among those that were run at the time.
     */
    public Report run(long firstSeed, long states) {
        long begun = System.nanoTime();
        Seeds seeds = new Seeds(firstSeed, states);
        List<Thread> running = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            Thread thread = new Thread(() -> runAll(seeds), "crash campaign " + i);
            thread.setDaemon(true);
            thread.start();
            running.add(thread);
        }
        try {
            for (Thread thread : running) {
                thread.join();
            }
        } catch (InterruptedException interrupted) {
            seeds.stop();
            running.forEach(Thread::interrupt);
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted: " + seeds.report(System.nanoTime() - begun), interrupted);
        }
        Throwable failure = seeds.failure();
        if (failure instanceof Error error) {
            throw error;
        }
        if (failure != null) {
            throw new AssertionError(failure.getMessage(), failure);
        }
        return seeds.report(System.nanoTime() - begun);
    }

    private void runAll(Seeds seeds) {
        for (long seed = seeds.take(); seeds.isSeed(seed); seed = seeds.take()) {
            try {
                new Run(seed, seeds).all();
            } catch (Throwable failure) { // whatever it is, it is told by the thread that waits
                seeds.failed(seed, failure);
            }
        }
    }

    /** Checks one state again, by the name that a failure gave it. */
    public void reproduce(String name) {
        String[] parts = name.split("/", -1);
        long seed = Long.parseLong(parts[0]);
        new Run(seed, new Seeds(seed, Long.MAX_VALUE)).reproduce(parts);
    }

    /** A failure with the name of the state. */
    private static AssertionError failed(String name, String what, Throwable failure) {
        return new AssertionError(
                failure.getMessage() + "\n  " + what + "\n  brought about again by reproduce(\"" + name + "\")",
                failure);
    }

    private AssertionError failed(Life life, CrashState state, Throwable failure) {
        String name = life.nameOf(state);
        String what = state.toString();
        if (images != null) {
            Path image = images.resolve("crash-" + Integer.toHexString(name.hashCode()));
            try {
                life.crashes().state(state.point(), state.choices()).disk().copyTo(image);
                Files.write(images.resolve(image.getFileName() + ".txt"), life.story(state));
                what += ", kept in " + image;
            } catch (IOException unwritten) {
                failure.addSuppressed(unwritten);
            }
        }
        return failed(name, what, failure);
    }

    /** One seed, or one state of it. Used by one thread. */
    private final class Run {
        private static final String AGAIN = "again";
        private static final String START = "start";
        private static final String LIVE = "live";

        private final long seed;
        private final Seeds seeds;

        Run(long seed, Seeds seeds) {
            this.seed = seed;
            this.seeds = seeds;
        }

        void all() {
            Life life = life();
            life.crashes().forEach(state -> all(life, state, 1));
        }

        private Life life() {
            return live(Long.toString(seed), new RecordingDisk(), new History(), seed, steps);
        }

        /** Checks what an engine finds after a crash, and now and then what comes after that. */
        private void all(Life life, CrashState state, int lives) {
            Verdict verdict = check(life, state);
            if (verdict == null) {
                return;
            }
            SplittableRandom random = new SplittableRandom(life.nameOf(state).hashCode());
            if (random.nextInt(ONE_OF) == 0) {
                Life start = start(life, state, verdict);
                start.crashes().forEach(later -> check(start, later));
                startAgain(life, state, verdict);
            }
            if (lives < LIVES_MAX && random.nextInt(ONE_OF) == 0) {
                Life next = liveOn(life, state, verdict);
                next.crashes().forEach(later -> all(next, later, lives + 1));
            }
        }

        void reproduce(String[] name) {
            Life life = life();
            for (int part = 1; part < name.length; part += 2) {
                int colon = name[part].indexOf(':');
                CrashState state = life.crashes()
                        .state(Integer.parseInt(name[part].substring(0, colon)), name[part].substring(colon + 1));
                Verdict verdict = Objects.requireNonNull(check(life, state));
                switch (part + 1 < name.length ? name[part + 1] : "") {
                    case AGAIN -> startAgain(life, state, verdict);
                    case START -> life = start(life, state, verdict);
                    case LIVE -> life = liveOn(life, state, verdict);
                    default -> {
                        return;
                    }
                }
            }
        }

        private Life live(String name, RecordingDisk disk, History history, long lifeSeed, int stepCount) {
            try {
                new Scenario(factory, disk, history, lifeSeed).run(stepCount);
            } catch (RuntimeException | AssertionError failure) {
                throw failed(name, "without a further crash", failure);
            }
            CrashStates crashes = CrashStates.of(disk)
                    .withUnit(unitBytes)
                    .withSeed(lifeSeed)
                    .withStatesPerPoint(exhaustiveMax, drawn);
            return new Life(name, crashes, history, null);
        }

        /** Starts an engine after a crash; null when one has started on the same before, or enough is done. */
        private @Nullable Verdict check(Life life, CrashState state) {
            if (!seeds.goesOn(seed)) {
                return null;
            }
            String image = state.disk().contentHash();
            Shown before = life.shown().get(image);
            try {
                if (before != null) {
                    seeds.foundAlike();
                    judge(life, state, before);
                    return null;
                }
                seeds.started();
                Shown shown = new Oracle(life.history()).shownBy(read(state.disk()));
                life.shown().put(image, shown);
                return judge(life, state, shown);
            } catch (RuntimeException | AssertionError failure) {
                throw failed(life, state, failure);
            }
        }

        private Verdict judge(Life life, CrashState state, Shown shown) {
            Verdict verdict = new Oracle(life.history()).judge(life.durableAt(state.point()), shown);
            Verdict expected = life.expected();
            if (expected != null) {
                mustBeTheSame(life, verdict, expected, "A start after a crash during the start");
            }
            return verdict;
        }

        /** Starts an engine once more where one has started and ended well. */
        private void startAgain(Life life, CrashState state, Verdict verdict) {
            seeds.started();
            try {
                Verdict again = new Oracle(life.history()).judge(verdict.last(), read(state.disk()));
                mustBeTheSame(life, again, verdict, "A second start");
            } catch (RuntimeException | AssertionError failure) {
                throw failed(life.nameOf(state) + "/" + AGAIN, state + ", then started twice", failure);
            }
        }

        private void mustBeTheSame(Life life, Verdict verdict, Verdict expected, String which) {
            if (verdict.last() != expected.last() || !verdict.shownLasting().equals(expected.shownLasting())) {
                throw new AssertionError(
                        which + " shows " + text(life, verdict) + ", but the first showed " + text(life, expected));
            }
        }

        private String text(Life life, Verdict verdict) {
            return verdict.last() < 0
                    ? "nothing"
                    : verdict.shownLasting().size() + " things up to "
                            + life.history().step(verdict.last());
        }

        /** The crashes of an engine while it started after a crash. */
        private Life start(Life life, CrashState state, Verdict verdict) {
            CrashStates crashes =
                    CrashStates.of(state.disk()).withUnit(unitBytes).withStatesPerPoint(START_STATES, START_STATES);
            return new Life(life.nameOf(state) + "/" + START, crashes, life.history(), verdict);
        }

        /** The life after a crash. */
        private Life liveOn(Life life, CrashState state, Verdict verdict) {
            String name = life.nameOf(state) + "/" + LIVE;
            RecordingDisk disk =
                    life.crashes().state(state.point(), state.choices()).disk();
            Life next = live(name, disk, life.history().after(verdict), name.hashCode(), STEPS_LATER);
            return new Life(name, next.crashes().withStatesPerPoint(LATER_STATES, LATER_STATES), next.history(), null);
        }

        private List<Recovered> read(RecordingDisk disk) {
            try (StartedEngine engine = new StartedEngine(factory, disk)) {
                return engine.recoverAll();
            }
        }
    }
}
