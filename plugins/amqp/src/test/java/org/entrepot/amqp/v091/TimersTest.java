package org.entrepot.amqp.v091;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.embedded.EmbeddedChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.entrepot.spi.protocol.LoopTimers;
import org.entrepot.spi.protocol.TimerWheel;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** The timer wheel and the heartbeats on it, by a clock that the test moves. */
class TimersTest {
    private final EmbeddedChannel channel = new EmbeddedChannel();
    private final List<String> events = new ArrayList<>();
    private TimerWheel wheel;
    private long now;

    @BeforeEach
    void stopTheClock() {
        channel.freezeTime();
        wheel = new LoopTimers().of(channel.eventLoop());
    }

    private void pass(int millis) {
        for (int i = 0; i < millis; i += 50) {
            now += 50;
            channel.advanceTimeBy(50, TimeUnit.MILLISECONDS);
            channel.runScheduledPendingTasks();
        }
    }

    private TimerWheel.Timer timer(String name) {
        return new TimerWheel.Timer() {
            @Override
            protected void fire() {
                events.add(name);
            }
        };
    }

    @Nested
    class Wheel {
        @Test
        void firesNeverEarlyAndAtMostTwoTicksLate() {
            for (int delay : new int[] {0, 1, 250, 999, 30_000, 32_000, 64_000, 100_001}) {
                long[] at = new long[1];
                wheel.set(
                        new TimerWheel.Timer() {
                            @Override
                            protected void fire() {
                                at[0] = now;
                            }
                        },
                        delay);
                long start = now;
                pass(delay + 3 * TimerWheel.TICK_MILLIS);
                assertThat(at[0] - start).isBetween((long) delay, delay + 2L * TimerWheel.TICK_MILLIS);
            }
        }

        @Test
        void firesOnceAndIsSetAnew() {
            TimerWheel.Timer timer = timer("a");
            wheel.set(timer, 500);
            wheel.set(timer, 2_000);
            pass(1_900);
            assertThat(events).isEmpty();
            pass(10_000);
            assertThat(events).containsExactly("a");
            assertThat(wheel.size()).isZero();
        }

        @Test
        void whatIsClearedDoesNotFire() {
            TimerWheel.Timer first = timer("a");
            TimerWheel.Timer second = timer("b");
            TimerWheel.Timer third = timer("c");
            wheel.set(first, 500);
            wheel.set(second, 500);
            wheel.set(third, 500);
            wheel.clear(second);
            wheel.clear(second);
            pass(2_000);
            assertThat(events).containsExactlyInAnyOrder("a", "c");
        }

        @Test
        void aTimerThatFiresMayClearAndSetOthersOfItsTick() {
            TimerWheel.Timer other = timer("other");
            TimerWheel.Timer again = timer("again");
            wheel.set(other, 500);
            wheel.set(again, 500);
            TimerWheel.Timer first = new TimerWheel.Timer() {
                @Override
                protected void fire() {
                    wheel.clear(other);
                    wheel.set(again, 5_000);
                    events.add("first");
                }
            };
            wheel.set(first, 500);
            pass(1_500);
            // The order within a tick is nobody's business; what was cleared before its turn does not fire.
            assertThat(events).contains("first");
            assertThat(wheel.size()).isEqualTo(1);
            pass(6_000);
            assertThat(events).contains("again");
        }

        @Test
        void aTimerThatSetsItselfAnewDoesNotDrift() {
            wheel.set(
                    new TimerWheel.Timer() {
                        @Override
                        protected void fire() {
                            events.add("a");
                            wheel.set(this, 500);
                        }
                    },
                    500);
            pass(60 * 500 + TimerWheel.TICK_MILLIS);
            assertThat(events).hasSizeBetween(59, 60);
        }

        @Test
        void rests() {
            wheel.set(timer("a"), 500);
            pass(2_000);
            assertThat(channel.hasPendingTasks()).isFalse();
        }
    }

    @Nested
    class Heartbeats {
        private boolean audible = true;
        private final Heartbeat.Peer peer = new Heartbeat.Peer() {
            @Override
            public boolean audible() {
                return audible;
            }

            @Override
            public void sendHeartbeat() {
                events.add("beat");
            }

            @Override
            public void dead() {
                events.add("dead");
            }
        };
        private Heartbeat heartbeat;

        @BeforeEach
        void start() {
            heartbeat = new Heartbeat(wheel, peer, 10);
            heartbeat.start();
        }

        @Test
        void theFirstComesAfterHalfAnIntervalWhateverWasSent() {
            heartbeat.sent();
            pass(5_500);
            assertThat(events).containsExactly("beat");
        }

        @Test
        void comesEveryHalfInterval() {
            for (int i = 0; i < 4; i++) {
                heartbeat.heard();
                pass(5_000);
            }
            pass(500);
            assertThat(events).containsExactly("beat", "beat", "beat", "beat");
        }

        @Test
        void isNotSentWhereSomethingElseWas() {
            pass(5_500);
            heartbeat.sent();
            heartbeat.heard();
            pass(5_500);
            assertThat(events).containsExactly("beat");
            pass(5_500);
            assertThat(events).containsExactly("beat", "beat");
        }

        @Test
        void aPeerThatIsSilentForTwoIntervalsAndAHalfIsDead() {
            heartbeat.heard();
            pass(24_900);
            assertThat(events).doesNotContain("dead");
            pass(1_000);
            assertThat(events).contains("dead");
            assertThat(wheel.size()).isZero();
        }

        @Test
        void aPeerThatCannotBeHeardIsNotDead() {
            audible = false;
            pass(200_000);
            assertThat(events).doesNotContain("dead");
            audible = true;
            pass(15_000);
            assertThat(events).doesNotContain("dead");
            pass(16_000);
            assertThat(events).contains("dead");
        }

        @Test
        void aPeerThatIsHeardLives() {
            for (int i = 0; i < 20; i++) {
                pass(9_000);
                heartbeat.heard();
            }
            assertThat(events).doesNotContain("dead");
        }

        @Test
        void stops() {
            heartbeat.stop();
            pass(100_000);
            assertThat(events).isEmpty();
        }
    }
}
