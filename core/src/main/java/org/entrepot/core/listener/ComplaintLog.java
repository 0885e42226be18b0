package org.entrepot.core.listener;

import io.netty.util.NetUtil;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.entrepot.core.config.Printable;
import org.entrepot.spi.protocol.ConnectionFacts;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lines for operators about misbehaving clients, few enough to be read. Called by any thread.
 *
 * <p>The first complaint of a kind about a source address is written at once; those of the same kind that follow are
 * counted, and the count is written once a minute until a minute passes without one. Lines a minute and memory have a
 * limit whatever clients do; what exceeds it is counted too. Clients' text is made safe to print.
 */
public final class ComplaintLog {
    private static final Logger log = LoggerFactory.getLogger(ComplaintLog.class);

    /** How long one line stands for those that would repeat it. */
    static final long PERIOD_NANOS = TimeUnit.MINUTES.toNanos(1);

    /** Kinds of complaint, over all sources, kept apart: also the most lines in a period. */
    static final int TALLIES_MAX = 1_024;

    /** Kinds of complaint about one source kept apart, so that one client cannot use up all. */
    static final int TALLIES_PER_SOURCE_MAX = 8;

    static final int REASON_CHARS_MAX = 300;
    static final int DETAIL_CHARS_MAX = 200;

    private final LongSupplier nanoClock;
    private final Consumer<String> lines;
    private final ConcurrentHashMap<Object, Source> sources = new ConcurrentHashMap<>();
    private final AtomicInteger tallies = new AtomicInteger();
    private final LongAdder beyondLimits = new LongAdder();
    private volatile long beyondLimitsWrittenAt;

    /** With a clock such as {@link System#nanoTime}. */
    public ComplaintLog(LongSupplier nanoClock) {
        this(nanoClock, log::warn);
    }

    ComplaintLog(LongSupplier nanoClock, Consumer<String> lines) {
        this.nanoClock = nanoClock;
        this.lines = lines;
        this.beyondLimitsWrittenAt = nanoClock.getAsLong();
    }

    /** Complains about a client that a protocol was opened for. */
    public void complain(ConnectionFacts client, String what) {
        complain(client.peer(), client.announcedPeer(), client.listener(), what, "");
    }

    /**
     * Complains about a client; the detail is written with the first line only, and does not make a kind of its own.
     */
    void complain(
            InetSocketAddress peer, InetSocketAddress announcedPeer, String listener, String reason, String detail) {
        Object source = announcedPeer.getAddress() == null ? announcedPeer : announcedPeer.getAddress();
        String kind = Printable.of(reason, REASON_CHARS_MAX);
        if (isFirst(source, kind)) {
            String from = announcedPeer.equals(peer) ? "" : " behind " + NetUtil.toSocketAddressString(peer);
            lines.accept(NetUtil.toSocketAddressString(announcedPeer) + from + " on listener " + listener + ": " + kind
                    + inBrackets(detail));
        }
    }

    /** Complains about nobody in particular. */
    void complain(String about, String reason, String detail) {
        String kind = Printable.of(reason, REASON_CHARS_MAX);
        if (isFirst(about, kind)) {
            lines.accept(about + ": " + kind + inBrackets(detail));
        }
    }

    /** Writes the counts that are due. To be called every few seconds. */
    public void summarise() {
        summarise(PERIOD_NANOS);
    }

    /** Writes all counts, due or not, before the broker ends. */
    public void close() {
        summarise(0);
    }

    private static String inBrackets(String detail) {
        return detail.isEmpty() ? "" : " (" + Printable.of(detail, DETAIL_CHARS_MAX) + ")";
    }

    /** Counts; whether nothing like it was written within the period. */
    private boolean isFirst(Object about, String kind) {
        long now = nanoClock.getAsLong();
        boolean[] first = new boolean[1];
        sources.compute(about, (key, known) -> {
            Source source = known == null ? new Source() : known;
            Tally tally = source.tally(kind);
            if (tally != null) {
                tally.more++;
            } else if (source.tallies.size() < TALLIES_PER_SOURCE_MAX && takeTally()) {
                source.tallies.add(new Tally(kind, now));
                first[0] = true;
            } else {
                beyondLimits.increment();
            }
            return source.tallies.isEmpty() ? null : source;
        });
        return first[0];
    }

    private boolean takeTally() {
        if (tallies.incrementAndGet() <= TALLIES_MAX) {
            return true;
        }
        tallies.decrementAndGet();
        return false;
    }

    private void summarise(long periodNanos) {
        long now = nanoClock.getAsLong();
        List<String> due = new ArrayList<>();
        for (Object about : sources.keySet()) {
            sources.computeIfPresent(about, (key, source) -> {
                source.tallies.removeIf(tally -> isOver(tally, about, now, periodNanos, due));
                return source.tallies.isEmpty() ? null : source;
            });
        }
        if (now - beyondLimitsWrittenAt >= periodNanos) {
            beyondLimitsWrittenAt = now;
            long count = beyondLimits.sumThenReset();
            if (count > 0) {
                due.add("complaints about clients that were not written, because there were too many: " + count);
            }
        }
        due.forEach(lines);
    }

    /** Writes a count that is due; whether the tally can go, nothing having been counted for a period. */
    private boolean isOver(Tally tally, Object about, long now, long periodNanos, List<String> due) {
        if (now - tally.since < periodNanos) {
            return false;
        }
        if (tally.more == 0) {
            tallies.decrementAndGet();
            return true;
        }
        String name = about instanceof InetAddress address ? NetUtil.toAddressString(address) : "" + about;
        due.add(name + ": " + tally.kind + ": " + tally.more + " more times within "
                + TimeUnit.NANOSECONDS.toSeconds(now - tally.since) + " s");
        tally.since = now;
        tally.more = 0;
        return false;
    }

    /** What is held against one source. Touched within {@code compute} only. */
    private static final class Source {
        final List<Tally> tallies = new ArrayList<>(1);

        @Nullable Tally tally(String kind) {
            for (Tally tally : tallies) {
                if (tally.kind.equals(kind)) {
                    return tally;
                }
            }
            return null;
        }
    }

    /** Repetitions of one complaint. Touched within {@code compute} only. */
    private static final class Tally {
        final String kind;
        long since;
        long more;

        Tally(String kind, long since) {
            this.kind = kind;
            this.since = since;
        }
    }
}
