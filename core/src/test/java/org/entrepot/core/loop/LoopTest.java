package org.entrepot.core.loop;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.entrepot.core.loop.Loop.Phase;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class LoopTest {
    private final AtomicLong clock = new AtomicLong(1_000);
    private final Loops loops = new Loops(2, clock::get);
    private final Loop loop = loops.get(0);
    /** Owned by the loop until a run is over. */
    private final List<String> done = new ArrayList<>();

    @AfterEach
    void closeLoops() throws Exception {
        loops.close().toCompletableFuture().get(20, TimeUnit.SECONDS);
    }

    @Test
    void aPassEndsWithDispatchThenHandOverThenFlush() throws Exception {
        run(() -> {
            loop.atEndOfPass(Phase.FLUSH, () -> done.add("flush"));
            loop.atEndOfPass(Phase.HAND_OVER, () -> done.add("hand over"));
            loop.atEndOfPass(Phase.DISPATCH, () -> done.add("dispatch"));
            done.add("task");
        });

        assertThat(done).containsExactly("task", "dispatch", "hand over", "flush");
    }

    @Test
    void whatIsAskedForAtTheEndOfAPassIsStillDoneInIt() throws Exception {
        run(() -> loop.atEndOfPass(Phase.FLUSH, () -> {
            done.add("first flush");
            loop.atEndOfPass(Phase.FLUSH, () -> done.add("second flush"));
            loop.atEndOfPass(Phase.DISPATCH, () -> done.add("dispatch"));
            loop.post(() -> done.add("next task"));
        }));

        assertThat(done).containsExactly("first flush", "dispatch", "second flush", "next task");
    }

    @Test
    void aFaultOfAnyKindStopsNothing() throws Exception {
        run(() -> {
            loop.atEndOfPass(Phase.DISPATCH, () -> {
                throw new IllegalStateException("a fault that this test wants");
            });
            loop.atEndOfPass(Phase.DISPATCH, () -> {
                throw new LinkageError("an error that this test wants");
            });
            loop.atEndOfPass(Phase.FLUSH, () -> done.add("flush of this pass"));
        });
        run(() -> loop.atEndOfPass(Phase.FLUSH, () -> done.add("flush of the next")));

        assertThat(done).containsExactly("flush of this pass", "flush of the next");
    }

    @Test
    void muchWorkLetsTasksHaveTheirTurn() throws Exception {
        run(() -> {
            for (int i = 0; i < 5_000; i++) {
                loop.atEndOfPass(Phase.DISPATCH, () -> done.add("work"));
            }
            loop.post(() -> loop.post(() -> done.add("task")));
        });

        assertThat(done).hasSize(5_001);
        assertThat(done.indexOf("task")).isLessThan(5_000);
    }

    @Test
    void nowStandsStillDuringAPassAndNeverGoesBack() throws Exception {
        List<Long> times = new ArrayList<>();
        run(() -> {
            times.add(loop.nowMillis());
            clock.set(2_000);
            times.add(loop.nowMillis());
        });
        run(() -> {
            times.add(loop.nowMillis());
            clock.set(500);
        });
        run(() -> times.add(loop.nowMillis()));

        assertThat(times).containsExactly(1_000L, 1_000L, 2_000L, 2_000L);
    }

    @Test
    void knowsItsOwnThread() throws Exception {
        CompletableFuture<String> seen = new CompletableFuture<>();
        loop.run(() -> seen.complete(loop.owns() + " " + loops.get(1).owns()));

        assertThat(seen.get(20, TimeUnit.SECONDS)).isEqualTo("true false");
        assertThat(loop.owns()).isFalse();
        assertThat(loops.of(loop.eventLoop())).isSameAs(loop);
    }

    /** Runs a task on the loop, and comes back some turns of the loop later, when whatever it began has ended. */
    private void run(Runnable task) throws Exception {
        CompletableFuture<Void> over = new CompletableFuture<>();
        loop.post(() -> {
            task.run();
            turn(20, over);
        });
        over.get(20, TimeUnit.SECONDS);
    }

    private void turn(int left, CompletableFuture<Void> over) {
        if (left == 0) {
            over.complete(null);
        } else {
            loop.post(() -> turn(left - 1, over));
        }
    }
}
