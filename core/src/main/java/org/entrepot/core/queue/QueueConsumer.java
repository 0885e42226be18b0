package org.entrepot.core.queue;

import java.util.Objects;
import java.util.OptionalLong;
import org.entrepot.spi.session.QueueHandle;
import org.jspecify.annotations.Nullable;

/**
 * A consumer as its queue sees it: how much it may still get. Owned by the queue's home loop.
 *
 * <p>It may get a message while all of these hold: its <em>byte credit</em> is positive (it is refilled as the
 * connection's socket drains, and may be overdrawn by one message), its <em>window</em> is not full of unsettled
 * deliveries (no window: no limit), and, where several consumers share a window, it was <em>lent</em> a place in it.
 */
public final class QueueConsumer {
    private final Outlet outlet;
    private final Holder holder;
    private final boolean settled;
    private final boolean exclusive;
    private final int priority;
    private final int window;
    private final OptionalLong leaseMillis;
    private long byteCredit;
    private boolean shared;
    private int lent;
    private int freed;
    /** Whether it stands in line among the consumers with credit. */
    private boolean inLine;
    /** Whether its session was told that there is something for it, and has not answered yet. */
    private boolean told;

    private boolean gone;
    /** By when it must settle what it holds; null while it holds nothing with a deadline. */
    private @Nullable LeaseDeadlines leaseDeadlines;
    /** What it was handed since the queue last passed batches on. */
    private @Nullable DeliveryBatch batch;

    /** The size of the last batch, which the next one is probably like. */
    private int batchExpected = 1;

    QueueConsumer(Outlet outlet, Object session, Terms terms, long byteCredit) {
        this.outlet = outlet;
        this.holder = new Holder(session, this);
        this.settled = terms.settled();
        this.exclusive = terms.exclusive();
        this.priority = terms.priority();
        this.window = terms.settled() ? 0 : terms.window();
        this.leaseMillis = terms.settled() ? OptionalLong.empty() : terms.leaseMillis();
        this.shared = terms.shared();
        this.byteCredit = byteCredit;
    }

    /**
     * What a consumer asks for. Immutable.
     *
     * @param settled whether deliveries are settled by being delivered
     * @param exclusive whether it must be the only consumer
     * @param priority higher ones are served first
     * @param window most unsettled deliveries; 0 for no limit
     * @param shared whether it also needs to be lent places in a window that consumers share
     * @param leaseMillis how long a delivery may stay unsettled
     */
    public record Terms(
            boolean settled, boolean exclusive, int priority, int window, boolean shared, OptionalLong leaseMillis) {}

    /** Where its deliveries go. */
    Outlet outlet() {
        return outlet;
    }

    Holder holder() {
        return holder;
    }

    boolean settled() {
        return settled;
    }

    boolean exclusive() {
        return exclusive;
    }

    int priority() {
        return priority;
    }

    OptionalLong leaseMillis() {
        return leaseMillis;
    }

    @Nullable LeaseDeadlines leaseDeadlines() {
        return leaseDeadlines;
    }

    void leaseDeadlines(@Nullable LeaseDeadlines deadlines) {
        leaseDeadlines = deadlines;
    }

    /** Whether it may get a message now. */
    boolean hasCredit() {
        return !gone && byteCredit > 0 && windowIsOpen() && (!shared || lent > 0);
    }

    /** Whether nothing but a place in the shared window is missing. */
    boolean wantsToBeLent() {
        return !gone && shared && lent == 0 && byteCredit > 0 && windowIsOpen();
    }

    private boolean windowIsOpen() {
        return window == 0 || holder.unsettled() < window;
    }

    void delivered(int bytes) {
        byteCredit -= bytes;
        if (shared) {
            lent--;
        }
    }

    void grantBytes(long bytes) {
        byteCredit += bytes;
    }

    boolean shared() {
        return shared;
    }

    /** Whether it needs to be lent places from now on; what was asked for and lent before is forgotten. */
    void share(boolean shared) {
        this.shared = shared;
        told = false;
    }

    void lend(int places) {
        lent += places;
        told = false;
    }

    /** Takes unused places back; gives how many. */
    int takeBackLent() {
        int unused = lent;
        lent = 0;
        return unused;
    }

    /** A delivery of it was settled; whether that is the first since {@link #takeFreed}. */
    boolean freePlace() {
        return freed++ == 0;
    }

    int takeFreed() {
        int places = freed;
        freed = 0;
        return places;
    }

    boolean told() {
        return told;
    }

    void tell() {
        told = true;
    }

    boolean inLine() {
        return inLine;
    }

    void standInLine(boolean inLine) {
        this.inLine = inLine;
    }

    @Nullable DeliveryBatch batch() {
        return batch;
    }

    DeliveryBatch beginBatch(QueueHandle queue) {
        DeliveryBatch begun = new DeliveryBatch(queue, batchExpected);
        batch = begun;
        return begun;
    }

    DeliveryBatch takeBatch() {
        DeliveryBatch taken = Objects.requireNonNull(batch);
        batch = null;
        batchExpected = Math.min(taken.size(), DeliveryBatch.EXPECTED_MAX);
        return taken;
    }

    boolean gone() {
        return gone;
    }

    void leave() {
        gone = true;
    }
}
