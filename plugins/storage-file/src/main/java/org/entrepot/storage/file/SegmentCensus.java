package org.entrepot.storage.file;

import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.entrepot.spi.storage.StoreReport.Finding;
import org.entrepot.spi.storage.StoreReport.Severity;
import org.jspecify.annotations.Nullable;

/** Counts what a recovery finds in segments, and gathers what is wrong; refuses nothing. Used by the recovery's thread. */
final class SegmentCensus implements RecoveryWatch {
    private final Map<Long, Count> counts = new TreeMap<>();
    private final List<Finding> findings = new ArrayList<>();
    private final List<Missing> missing = new ArrayList<>();
    /** Where the segment that is read at present has messages that later records may refer to. */
    private final LongList messages = new LongList();

    private boolean refused;

    /** What is in a segment. Used by one thread. */
    static final class Count {
        long records;
        long firstBatch;
        long lastBatch;
        boolean damaged;
    }

    /**
     * Segments that are not there.
     *
     * @param next the batch that would come next, or 0
     */
    record Missing(long firstSegment, long lastSegment, long next) {}

    Count of(long segment) {
        return counts.computeIfAbsent(segment, none -> new Count());
    }

    List<Finding> findings() {
        return findings;
    }

    List<Missing> missing() {
        return missing;
    }

    /** Whether a broker would not start. */
    boolean isRefused() {
        return refused;
    }

    @Override
    public void refused(String file, String why, @Nullable Throwable cause) {
        refused = true;
        findings.add(new Finding(Severity.DAMAGE, file, why + ": no broker starts with it"));
        long segment = Segment.number(file);
        if (segment >= 0 && cause != null) {
            of(segment).damaged = true;
        }
    }

    @Override
    public void missing(long firstSegment, long lastSegment, long next) {
        missing.add(new Missing(firstSegment, lastSegment, next));
    }

    @Override
    public void damaged(Segment segment, String text) {
        of(segment.number()).damaged = true;
        findings.add(new Finding(Severity.DAMAGE, segment.name(), text));
    }

    @Override
    public void batch(Segment segment, long number) {
        Count count = of(segment.number());
        if (count.firstBatch == 0) {
            count.firstBatch = number;
        }
        count.lastBatch = number;
    }

    @Override
    public void record(Segment segment, ByteBuf bytes, int start, int length) {
        of(segment.number()).records++;
        byte kind = Records.kind(bytes, start);
        if (kind == Records.ENTRY) {
            messages.add(start);
        } else if (kind == Records.REFERENCE) {
            checkReference(segment, Records.content(bytes, start, length), start);
        }
    }

    private void checkReference(Segment segment, ByteBuf content, int start) {
        try {
            EntryCodec.Head head = EntryCodec.read(content);
            long at = Varints.read(content);
            if (messages.indexOf(at) < 0) {
                of(segment.number()).damaged = true;
                findings.add(new Finding(
                        Severity.DAMAGE,
                        segment.name(),
                        "the message at " + at + ", which the entry at " + start + " (position " + head.position()
                                + " of log " + head.log() + ") refers to, cannot be read"));
            }
        } catch (DamagedException senseless) {
            throw new IllegalStateException("a record that was read a moment ago", senseless);
        }
    }

    @Override
    public void ended(Segment segment, long next) {
        messages.clear();
    }

    @Override
    public void torn(Segment segment, int at) {
        findings.add(new Finding(
                Severity.NORMAL,
                segment.name(),
                "ends at " + at + ": what was written behind that was never completed; a start cuts it off"));
    }
}
