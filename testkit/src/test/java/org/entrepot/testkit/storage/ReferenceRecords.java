package org.entrepot.testkit.storage;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongFunction;
import org.entrepot.spi.message.Annotations;
import org.entrepot.spi.message.Bytes;
import org.entrepot.spi.message.Death;
import org.entrepot.spi.message.DeathReason;
import org.entrepot.spi.message.Envelope;
import org.entrepot.spi.message.Message;
import org.entrepot.spi.message.RoutingKey;
import org.entrepot.testkit.storage.OpenLog.Range;

/** How {@link ReferenceStorage} writes its records. Has no state. */
final class ReferenceRecords {
    private static final int ENTRY = 1;
    private static final int FACT = 2;
    private static final int CHECKPOINT = 3;
    private static final int RELEASE = 4;
    private static final int TAIL = 5;
    private static final int DELETION = 6;
    private static final int WHOLE = 7;

    private ReferenceRecords() {}

    @FunctionalInterface
    private interface Writing {
        void to(DataOutputStream out) throws IOException;
    }

    private static byte[] record(int type, long log, Writing writing) {
        try {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            DataOutputStream out = new DataOutputStream(bytes);
            out.writeByte(type);
            out.writeLong(log);
            writing.to(out);
            return bytes.toByteArray();
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
    }

    static byte[] fact(long log, Bytes fact) {
        return record(FACT, log, out -> writeBytes(out, fact));
    }

    static byte[] checkpoint(long log, Bytes state) {
        return record(CHECKPOINT, log, out -> writeBytes(out, state));
    }

    static byte[] release(long log, Range range) {
        return record(RELEASE, log, out -> {
            out.writeLong(range.from());
            out.writeLong(range.to());
        });
    }

    static byte[] tail(long log, long position) {
        return record(TAIL, log, out -> out.writeLong(position));
    }

    static byte[] deletion(long log) {
        return record(DELETION, log, out -> {});
    }

    /** Several records that are read all or none. */
    static byte[] whole(List<byte[]> records) {
        return record(WHOLE, 0, out -> {
            out.writeInt(records.size());
            for (byte[] each : records) {
                out.writeInt(each.length);
                out.write(each);
            }
        });
    }

    static byte[] entry(Step.Entry entry) {
        return record(ENTRY, entry.log(), out -> {
            out.writeLong(entry.position());
            out.writeLong(entry.stamp());
            writeBytes(out, entry.message().header());
            writeBytes(out, entry.message().body());
            Envelope envelope = entry.envelope();
            out.writeUTF(envelope.exchange());
            writeBytes(out, envelope.routingKey().bytes());
            writeKeys(out, envelope.copies());
            writeKeys(out, envelope.blindCopies());
            out.writeBoolean(envelope.durable());
            out.writeInt(envelope.priority());
            out.writeLong(envelope.ttlMillis());
            List<Death> deaths = entry.annotations().deaths();
            out.writeInt(deaths.size());
            for (Death death : deaths) {
                writeDeath(out, death);
            }
            // In this test the first is always the last of them.
        });
    }

    /** Does to a log what a record says. */
    static void read(byte[] record, LongFunction<ReferenceLog> logs) {
        DataInputStream in = new DataInputStream(new ByteArrayInputStream(record));
        try {
            int type = in.readByte();
            long id = in.readLong();
            if (type == WHOLE) {
                for (int left = in.readInt(); left > 0; left--) {
                    read(in.readNBytes(in.readInt()), logs);
                }
                return;
            }
            ReferenceLog log = logs.apply(id);
            switch (type) {
                case ENTRY -> log.apply(readEntry(id, in));
                case FACT -> log.apply(readBytes(in));
                case CHECKPOINT -> log.applyCheckpoint(readBytes(in));
                case RELEASE -> log.apply(new Range(in.readLong(), in.readLong()));
                case TAIL -> log.applyTail(in.readLong());
                case DELETION -> log.applyDeletion();
                default -> throw new IllegalStateException("a record of type " + type);
            }
        } catch (IOException broken) {
            throw new UncheckedIOException(broken);
        }
    }

    private static Step.Entry readEntry(long log, DataInputStream in) throws IOException {
        long position = in.readLong();
        long stamp = in.readLong();
        Message message = new Message(PlainFormat.INSTANCE, readBytes(in), readBytes(in));
        Envelope envelope = new Envelope(
                in.readUTF(),
                RoutingKey.of(readBytes(in)),
                readKeys(in),
                readKeys(in),
                in.readBoolean(),
                in.readInt(),
                in.readLong());
        List<Death> deaths = new ArrayList<>();
        for (int left = in.readInt(); left > 0; left--) {
            deaths.add(readDeath(in));
        }
        Annotations annotations =
                deaths.isEmpty() ? Annotations.NONE : new Annotations(deaths, deaths.get(deaths.size() - 1));
        return new Step.Entry(log, position, stamp, message, envelope, annotations, true);
    }

    private static void writeDeath(DataOutputStream out, Death death) throws IOException {
        out.writeUTF(death.queue());
        out.writeUTF(death.reason().name());
        out.writeLong(death.count());
        out.writeLong(death.timeMillis());
        out.writeUTF(death.exchange());
        writeKeys(out, death.routingKeys());
        out.writeLong(death.originalTtlMillis());
    }

    private static Death readDeath(DataInputStream in) throws IOException {
        return new Death(
                in.readUTF(),
                DeathReason.valueOf(in.readUTF()),
                in.readLong(),
                in.readLong(),
                in.readUTF(),
                readKeys(in),
                in.readLong());
    }

    private static void writeKeys(DataOutputStream out, List<RoutingKey> keys) throws IOException {
        out.writeInt(keys.size());
        for (RoutingKey key : keys) {
            writeBytes(out, key.bytes());
        }
    }

    private static List<RoutingKey> readKeys(DataInputStream in) throws IOException {
        List<RoutingKey> keys = new ArrayList<>();
        for (int left = in.readInt(); left > 0; left--) {
            keys.add(RoutingKey.of(readBytes(in)));
        }
        return keys;
    }

    private static void writeBytes(DataOutputStream out, Bytes bytes) throws IOException {
        out.writeInt(bytes.length());
        out.write(bytes.toArray());
    }

    private static Bytes readBytes(DataInputStream in) throws IOException {
        byte[] bytes = new byte[in.readInt()];
        in.readFully(bytes);
        return Bytes.wrap(bytes);
    }
}
