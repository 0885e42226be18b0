package org.entrepot.spi.protocol;

import io.netty.channel.EventLoop;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Deadlines of a protocol's connections on one loop: heartbeats, and sockets to be closed after a while. Vendors make one for
 * each loop and only call it. Owned by that loop.
 *
 * <p>A future per connection would cost more memory than all else that an idle connection holds. Deadlines are met up to
 * two {@linkplain #TICK_MILLIS ticks} late and never early; a loop that was held up does not catch up on ticks it missed,
 * so that what came from sockets meanwhile is read before anybody is taken for dead.
 */
public final class TimerWheel {

    /** How often the wheel turns while it has anything to time. */
    public static final int TICK_MILLIS = 250;

    /** Slots, a power of two: one turn takes half a minute. */
    private static final int SLOTS = 128;

    private final EventLoop loop;
    private final @Nullable Timer[] slots = new Timer[SLOTS];
    private final List<Timer> firing = new ArrayList<>();
    private int size;
    private long tick;
    private boolean turning;
    private boolean firingNow;

    /** The wheel of a loop, which does not turn yet. */
    public TimerWheel(EventLoop loop) {
        this.loop = loop;
    }

    /** Something to do at a time. Owned by the wheel's loop; used again and again. */
    public abstract static class Timer {
        private static final int NOT_SET = -1;
        private static final int FIRING = -2;

        private @Nullable Timer previous;
        private @Nullable Timer next;
        private int slot = NOT_SET;
        private long due;

        /** A timer that is not set. */
        protected Timer() {}

        /** The time has come. The timer is not set any more. */
        protected abstract void fire();
    }

    /** Has the timer fire after at least this many milliseconds; a timer that is set already is set anew. */
    public void set(Timer timer, int delayMillis) {
        assert loop.inEventLoop();
        clear(timer);
        long ticks = ((long) delayMillis + TICK_MILLIS - 1) / TICK_MILLIS;
        // One more, because the present tick has partly passed; where timers fire it has only begun.
        timer.due = tick + (firingNow ? Math.max(1, ticks) : ticks + 1);
        timer.slot = (int) timer.due & (SLOTS - 1);
        Timer head = slots[timer.slot];
        timer.next = head;
        if (head != null) {
            head.previous = timer;
        }
        slots[timer.slot] = timer;
        size++;
        if (!turning) {
            turning = true;
            turnLater();
        }
    }

    /** Forgets the timer; nothing happens where it is not set. */
    public void clear(Timer timer) {
        if (timer.slot >= 0) {
            unlink(timer);
        }
        timer.slot = Timer.NOT_SET;
    }

    /** How many timers are set. */
    public int size() {
        return size;
    }

    private void unlink(Timer timer) {
        Timer previous = timer.previous;
        Timer next = timer.next;
        if (previous == null) {
            slots[timer.slot] = next;
        } else {
            previous.next = next;
        }
        if (next != null) {
            next.previous = previous;
        }
        timer.previous = null;
        timer.next = null;
        size--;
    }

    private void turnLater() {
        loop.schedule(this::turn, TICK_MILLIS, TimeUnit.MILLISECONDS);
    }

    private void turn() {
        tick++;
        // What fires may set and clear others, so what is due is taken out first.
        for (Timer timer = slots[(int) tick & (SLOTS - 1)]; timer != null; ) {
            Timer next = timer.next;
            if (timer.due <= tick) {
                unlink(timer);
                timer.slot = Timer.FIRING;
                firing.add(timer);
            }
            timer = next;
        }
        firingNow = true;
        for (Timer timer : firing) {
            if (timer.slot == Timer.FIRING) {
                timer.slot = Timer.NOT_SET;
                timer.fire();
            }
        }
        firingNow = false;
        firing.clear();
        if (size > 0) {
            turnLater();
        } else {
            turning = false;
        }
    }
}
