package org.entrepot.storage.file;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.entrepot.spi.storage.DiskFile;

/**
 * Writes live entries to a table: those of old segments, or of tables that have lost most of theirs. Used by the reclaimer's
 * thread, once for a table.
 */
final class Mover {
    private static final int ENTRIES_AT_ONCE = 4_096;

    private final List<FileLog> logs;
    private final Owners owners;
    private final TableWriter writer;
    private final Pace pace;
    private final RecordCheck check;
    /** Where shared messages of a file are in the table, by the file and their place in it. */
    private final Map<Shared, Long> shared = new HashMap<>();

    private final Set<FileLog> movedLogs = new HashSet<>();
    private long entries;

    /** A message that entries refer to: its file's number and its place in that. */
    private record Shared(long file, long at) {}

    /** Gets what is to be moved. */
    @FunctionalInterface
    private interface Target {
        void entry(FileLog log, boolean lasting, long position, long file, byte kind, ByteBuf content)
                throws IOException, DamagedException;
    }

    /** Where entries are to be taken from. */
    private interface Source {
        void each(Target target) throws IOException, DamagedException, Owners.StoppedException;

        /** The message, encoded, that an entry refers to. */
        ByteBuf message(Shared message) throws IOException, DamagedException;

        boolean mayShare();
    }

    Mover(List<FileLog> logs, Owners owners, TableWriter writer, Pace pace, Checksums checksums) {
        this.logs = logs;
        this.owners = owners;
        this.writer = writer;
        this.pace = pace;
        this.check = new RecordCheck(checksums);
    }

    /** Entries written. */
    long entries() {
        return entries;
    }

    /** Logs that have entries in the table. */
    Set<FileLog> movedLogs() {
        return movedLogs;
    }

    /** Writes the live entries of these segments, the oldest ones of the journal. */
    void segments(List<Segment> from, Reading reading) throws IOException, DamagedException, Owners.StoppedException {
        long last = from.get(from.size() - 1).number();
        Map<Long, Segment> byNumber = new HashMap<>();
        boolean mayShare = false;
        for (Segment segment : from) {
            byNumber.put(segment.number(), segment);
            mayShare |= segment.hasShared();
        }
        boolean shares = mayShare;
        write(new Source() {
            @Override
            public void each(Target target) throws IOException, DamagedException, Owners.StoppedException {
                for (FileLog log : logs) {
                    ofLog(log, true, target);
                    ofLog(log, false, target);
                }
            }

            private void ofLog(FileLog log, boolean lasting, Target target)
                    throws IOException, DamagedException, Owners.StoppedException {
                for (long position = 0; position >= 0; ) {
                    long start = position;
                    LogContents.Old old =
                            owners.ask(log, () -> log.contents().old(start, last, lasting, ENTRIES_AT_ONCE));
                    for (int i = 0; i < old.positions().size(); i++) {
                        try {
                            move(log, lasting, old, i, target);
                        } catch (DamagedException damaged) {
                            long lost = old.positions().get(i);
                            log.onOwner(() -> log.lost(lost));
                        }
                    }
                    position = old.next();
                }
            }

            private void move(FileLog log, boolean lasting, LogContents.Old old, int i, Target target)
                    throws IOException, DamagedException {
                Segment segment = Objects.requireNonNull(
                        byNumber.get(Place.segment(old.places().get(i))));
                int offset = Place.offset(old.places().get(i));
                ByteBuf entry = reading.record(
                        fileOf(segment), offset, (int) old.lengths().get(i), segment.number());
                byte kind = Records.kind(entry, entry.readerIndex());
                entry.skipBytes(Records.HEAD);
                if (kind == Records.ENTRY && segment.isShared(offset)) {
                    entry = asReference(entry, offset);
                    kind = Records.REFERENCE;
                }
                target.entry(log, lasting, old.positions().get(i), segment.number(), kind, entry);
            }

            @Override
            public ByteBuf message(Shared message) throws IOException, DamagedException {
                return reading.message(Objects.requireNonNull(byNumber.get(message.file())), (int) message.at());
            }

            @Override
            public boolean mayShare() {
                return shares;
            }
        });
    }

    /** Writes the live entries of these tables. */
    void tables(Set<Table> from) throws IOException, DamagedException, Owners.StoppedException {
        Map<Long, Table> byNumber = new HashMap<>();
        for (Table table : from) {
            byNumber.put(table.number(), table);
        }
        write(new Source() {
            @Override
            public void each(Target target) throws IOException, DamagedException, Owners.StoppedException {
                for (FileLog log : logs) {
                    ofLog(log, true, target);
                    ofLog(log, false, target);
                }
            }

            private void ofLog(FileLog log, boolean lasting, Target target)
                    throws IOException, DamagedException, Owners.StoppedException {
                for (LogContents.LiveRun run =
                                owners.ask(log, () -> log.contents().runIn(from, lasting, 0));
                        run.run() != null; ) {
                    Run found = Objects.requireNonNull(run.run());
                    copy(log, found, run.live(), target);
                    run = owners.ask(log, () -> log.contents().runIn(from, lasting, found.first() + 1));
                }
            }

            private void copy(FileLog log, Run run, Ranges live, Target target) throws IOException {
                TableRun in = run.in();
                for (int block = 0; block < in.positions().size(); block++) {
                    long end =
                            block + 1 < in.positions().size() ? in.positions().get(block + 1) : in.last() + 1;
                    copy(log, run, block, end, live, target);
                }
            }

            /** Copies a block, which ends before this position. */
            private void copy(FileLog log, Run run, int block, long endPosition, Ranges live, Target target)
                    throws IOException {
                TableRun in = run.in();
                Table table = run.table();
                long next = in.positions().get(block);
                try {
                    long at = in.offsets().get(block);
                    ByteBuf bytes = table.read(at, (int) (in.offsets().get(block + 1) - at));
                    int end = bytes.writerIndex();
                    for (int start = 0; start < end; ) {
                        int length = check.length(bytes, start, end, table.number());
                        ByteBuf entry = Records.content(bytes, start, length);
                        long position = EntryCodec.read(entry).position();
                        next = position + 1;
                        if (live.contains(position)) {
                            byte kind = Records.kind(bytes, start);
                            copy(log, in.lasting(), position, table, kind, entry.readerIndex(0), target);
                        }
                        start += length;
                    }
                } catch (DamagedException damaged) {
                    table.damaged();
                    lose(log, live, next, endPosition);
                }
            }

            private void copy(
                    FileLog log, boolean lasting, long position, Table from, byte kind, ByteBuf entry, Target target)
                    throws IOException {
                try {
                    target.entry(log, lasting, position, from.number(), kind, entry);
                } catch (DamagedException damaged) {
                    from.damaged();
                    log.onOwner(() -> log.lost(position));
                }
            }

            private void lose(FileLog log, Ranges live, long from, long end) {
                for (long position = from; position < end; position++) {
                    if (live.contains(position)) {
                        long lost = position;
                        log.onOwner(() -> log.lost(lost));
                    }
                }
            }

            @Override
            public ByteBuf message(Shared message) throws IOException, DamagedException {
                Table table = Objects.requireNonNull(byNumber.get(message.file()));
                int length = Records.length(table.read(message.at(), Records.HEAD), 0);
                ByteBuf bytes = table.read(message.at(), length);
                check.length(bytes, 0, length, table.number());
                return bytes.skipBytes(Records.HEAD);
            }

            @Override
            public boolean mayShare() {
                return true;
            }
        });
    }

    private void write(Source source) throws IOException, DamagedException, Owners.StoppedException {
        if (source.mayShare()) {
            source.each((log, lasting, position, file, kind, content) -> {
                if (kind == Records.REFERENCE) {
                    EntryCodec.read(content);
                    Shared message = new Shared(file, Varints.read(content));
                    if (!shared.containsKey(message)) {
                        shared.put(message, writer.message(source.message(message)));
                    }
                }
            });
        }
        source.each((log, lasting, position, file, kind, content) -> {
            movedLogs.add(log);
            entries++;
            ByteBuf written = kind == Records.REFERENCE ? redirected(file, content, source) : content;
            writer.entry(log.id(), lasting, position, kind, written);
            pace.wrote(content.readableBytes());
        });
    }

    /** An entry with its message, as one that refers to itself; where it refers to is put right later. */
    private static ByteBuf asReference(ByteBuf entry, int offset) throws DamagedException {
        int start = entry.readerIndex();
        EntryCodec.read(entry);
        int headLength = entry.readerIndex() - start;
        ByteBuf reference = Unpooled.buffer(headLength + 2 * Varints.BYTES_MAX);
        reference.writeBytes(entry, start, headLength);
        EntryCodec.writeReference(reference, offset, EntryCodec.bodyBytes(entry));
        return reference;
    }

    /** The entry with the place of its message in the table. */
    private ByteBuf redirected(long file, ByteBuf entry, Source source) throws IOException, DamagedException {
        int start = entry.readerIndex();
        EntryCodec.read(entry);
        int headLength = entry.readerIndex() - start;
        Shared message = new Shared(file, Varints.read(entry));
        int bodyBytes = (int) Varints.read(entry);
        Long at = shared.get(message);
        if (at == null) {
            // It became live between the two walks: a log was opened and had spilled it.
            at = writer.message(source.message(message));
            shared.put(message, at);
        }
        ByteBuf redirected = Unpooled.buffer(headLength + 2 * Varints.BYTES_MAX);
        redirected.writeBytes(entry, start, headLength);
        EntryCodec.writeReference(redirected, at, bodyBytes);
        return redirected;
    }

    private static DiskFile fileOf(Segment segment) throws IOException {
        DiskFile file = segment.file();
        if (file == null) {
            throw new IOException(segment + " has no file");
        }
        return file;
    }

    /** The runs of each log in a table. */
    static Map<Long, List<TableRun>> runsByLog(Table table) {
        Map<Long, List<TableRun>> byLog = new HashMap<>();
        for (TableRun run : table.runs()) {
            byLog.computeIfAbsent(run.log(), log -> new ArrayList<>()).add(run);
        }
        return byLog;
    }
}
