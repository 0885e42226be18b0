package org.entrepot.testkit.storage;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import org.entrepot.testkit.storage.disk.CrashState;
import org.entrepot.testkit.storage.disk.CrashStates;
import org.entrepot.testkit.storage.disk.FaultyDisk;
import org.entrepot.testkit.storage.disk.RecordingDisk;

/**
 * Lets the disk of a storage engine fail, each call of a life once, and looks at what a restart finds. Vendors call it, from
 * one thread:
 *
 * <pre>{@code
 * new FaultCampaign(disk -> new MyStorage(disk, 64 * 1024)).run(1);
 * }</pre>
 *
 * <p>The life is that of {@link CrashCampaign}. For each kind of call of a {@link FaultyDisk} and each n the n-th call fails,
 * once, and in another life it and all of its kind that follow. The engine may refuse to start, fail its logs, or go on as
 * if nothing were; what it must not do is to call durable what may not be there. So another engine is started on what is
 * left, also after a power cut, with a disk that works again. It must start, and find everything that the first called
 * durable, in order.
 */
public final class FaultCampaign {
    private static final int STEPS = 40;
    private static final int EXHAUSTIVE_MAX = 12;
    private static final int DRAWN = 8;

    private final StorageFactory factory;
    private final int steps;

    /** A campaign against the engines that a factory makes. */
    public FaultCampaign(StorageFactory factory) {
        this(factory, STEPS);
    }

    private FaultCampaign(StorageFactory factory, int steps) {
        this.factory = factory;
        this.steps = steps;
    }

    /** The same with lives of so many steps. */
    public FaultCampaign withSteps(int newSteps) {
        return new FaultCampaign(factory, newSteps);
    }

    /**
     * Runs the life of a seed once for each call that can fail, once and for good; throws {@link AssertionError} at the first
     * failure.
     *
     * @return how many lives had a fault
     */
    public long run(long seed) {
        long faults = 0;
        for (FaultyDisk.Call call : FaultyDisk.Call.values()) {
            for (boolean once : List.of(true, false)) {
                long nth = 1;
                while (hasFault(seed, call, nth, once)) {
                    nth++;
                }
                faults += nth - 1;
            }
        }
        return faults;
    }

    /** Runs one life; whether a call has failed in it. */
    private boolean hasFault(long seed, FaultyDisk.Call call, long nth, boolean once) {
        RecordingDisk disk = new RecordingDisk();
        History history = new History();
        try {
            FaultyDisk faulty = new FaultyDisk(disk);
            if (once) {
                faulty.fail(call, nth);
            } else {
                faulty.failFrom(call, nth);
            }
            live(faulty, disk, history, seed);
            CrashStates crashes = CrashStates.of(disk).withSeed(seed).withStatesPerPoint(EXHAUSTIVE_MAX, DRAWN);
            crashes.forEach(crashes.lastPoint(), state -> check(state, history));
            return faulty.failures() > 0;
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        } catch (RuntimeException | AssertionError failure) {
            throw new AssertionError(
                    failure.getMessage() + "\n  with seed " + seed + ", after " + call + " number " + nth + " failed"
                            + (once ? "" : " and all that followed"),
                    failure);
        }
    }

    private void live(FaultyDisk faulty, RecordingDisk disk, History history, long seed) {
        try {
            new Scenario(new StartedEngine(factory, faulty, disk), disk, history, seed).run(steps);
        } catch (EngineFailed allowed) {
            // What it called durable before has to be there.
        }
    }

    private void check(CrashState state, History history) {
        try (StartedEngine engine = new StartedEngine(factory, state.disk())) {
            new Oracle(history).judge(history.durableAt(state.point()), engine.recoverAll());
        } catch (RuntimeException | AssertionError failure) {
            throw new AssertionError(failure.getMessage() + "\n  " + state, failure);
        }
    }
}
