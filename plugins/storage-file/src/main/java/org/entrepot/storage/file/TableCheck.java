package org.entrepot.storage.file;

import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.entrepot.spi.storage.Disk;
import org.entrepot.spi.storage.DiskFile;
import org.entrepot.spi.storage.StoreReport.Finding;
import org.entrepot.spi.storage.StoreReport.Severity;

/** Reads a table as a whole and compares it with its index. Used by one thread. */
final class TableCheck implements TableScan.Visitor {
    private final String name;
    private final List<TableRun> runs;
    private final long[] entries;
    private final List<Finding> findings = new ArrayList<>();
    private final LongList messages = new LongList();
    private long records;
    private int run;

    private TableCheck(String name, List<TableRun> runs) {
        this.name = name;
        this.runs = runs;
        this.entries = new long[runs.size()];
    }

    /**
     * What there is to say of a table.
     *
     * @param indexIsWhole where it is not, the recovery tells
     */
    record Result(long records, boolean indexIsWhole, List<Finding> findings) {
        boolean isSound() {
            return indexIsWhole && findings.isEmpty();
        }
    }

    static Result of(Disk disk, long number, long store) throws IOException {
        String name = Table.name(number);
        Table.Opened opened;
        try {
            opened = Table.open(disk, number, store, Checksums.EXACT);
        } catch (DamagedException damaged) {
            return new Result(0, false, List.of());
        }
        try (DiskFile file = disk.open(name)) {
            TableCheck check = new TableCheck(name, opened.table().runs());
            new TableScan(file, number, opened.recordsEnd()).run(check);
            check.compareCounts();
            return new Result(check.records, true, check.findings);
        } finally {
            opened.table().release();
        }
    }

    @Override
    public void message(long at, ByteBuf content) {
        records++;
        messages.add(at);
    }

    @Override
    public void entry(long at, byte kind, EntryCodec.Head head, ByteBuf content) throws DamagedException {
        records++;
        while (run < runs.size() && !isIn(head, runs.get(run))) {
            run++;
        }
        if (run == runs.size()) {
            run = 0;
            add("the index does not know the entry at " + at + ", of log " + head.log());
            return;
        }
        entries[run]++;
        int block = runs.get(run).block(head.position());
        if (runs.get(run).positions().get(block) == head.position()
                && runs.get(run).offsets().get(block) != at) {
            add("the index has position " + head.position() + " of log " + head.log() + " elsewhere than at " + at);
        }
        if (kind == Records.REFERENCE && messages.indexOf(Varints.read(content)) < 0) {
            add("the message of position " + head.position() + " of log " + head.log() + " cannot be read");
        }
    }

    private static boolean isIn(EntryCodec.Head head, TableRun in) {
        return head.log() == in.log()
                && head.lasting() == in.lasting()
                && head.position() >= in.first()
                && head.position() <= in.last();
    }

    @Override
    public void damaged(long from, long to, String why) {
        add("is damaged between " + from + " and " + to + ": " + why);
    }

    private void compareCounts() {
        for (int i = 0; i < entries.length; i++) {
            TableRun in = runs.get(i);
            long expected = in.entries();
            if (entries[i] != expected) {
                add((expected - entries[i]) + " of " + expected + " entries of log " + in.log() + " between positions "
                        + in.first() + " and " + in.last() + " cannot be read");
            }
        }
    }

    private void add(String text) {
        findings.add(new Finding(Severity.DAMAGE, name, text));
    }
}
