package org.entrepot.core.topology;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import org.entrepot.spi.topology.Retention;

/**
 * Records of the topology as bytes, to be stored and shipped. Stateless.
 *
 * <p>Records decided together are written together: a number of records, then each with a kind, a version of that kind
 * and its length. A record of a later version may say more; one of a kind or version that is not known is refused, for
 * to pass over it would be to forget something.
 */
public final class TopologyRecords {
    /** The version in which records are written, but for those of {@link #VERSION_OF_TABLES}. */
    static final int VERSION = 1;

    /** Of records of tables that were declared: a release that knows no tables is not to take them for queues. */
    static final int VERSION_OF_TABLES = 2;

    private TopologyRecords() {}

    /** Appends records to a buffer. */
    public static void write(ByteBuf out, List<TopologyRecord> records) {
        out.writeInt(records.size());
        for (TopologyRecord fact : records) {
            out.writeByte(fact.accept(RecordKind.OF));
            out.writeByte(version(fact));
            int lengthIndex = out.writerIndex();
            out.writeInt(0);
            fact.accept(new RecordWriter(out));
            out.setInt(lengthIndex, out.writerIndex() - lengthIndex - Integer.BYTES);
        }
    }

    private static int version(TopologyRecord fact) {
        return fact instanceof TopologyRecord.QueueAdded added && added.spec().retention() == Retention.LATEST_PER_KEY
                ? VERSION_OF_TABLES
                : VERSION;
    }

    private static boolean knows(int kind, int version) {
        return version == VERSION || (kind == RecordKind.QUEUE_ADDED && version == VERSION_OF_TABLES);
    }

    /** The bytes of records. */
    public static byte[] bytes(List<TopologyRecord> records) {
        ByteBuf out = Unpooled.buffer();
        write(out, records);
        byte[] bytes = new byte[out.readableBytes()];
        out.readBytes(bytes);
        return bytes;
    }

    /**
     * Reads records that {@link #write} wrote.
     *
     * @throws IllegalArgumentException where it did not, or where a later release did that knows more
     */
    public static List<TopologyRecord> read(ByteBuf in) {
        try {
            int size = in.readInt();
            List<TopologyRecord> records = new ArrayList<>();
            for (int i = 0; i < size; i++) {
                int kind = in.readUnsignedByte();
                int version = in.readUnsignedByte();
                if (!knows(kind, version)) {
                    throw new IllegalArgumentException("a record of kind " + kind + " in version " + version
                            + ", which this release does not know");
                }
                ByteBuf content = in.readSlice(in.readInt());
                records.add(RecordReader.read(kind, content));
                if (content.isReadable()) {
                    throw new IllegalArgumentException(
                            "a record of kind " + kind + " with " + content.readableBytes() + " bytes too many");
                }
            }
            return records;
        } catch (IndexOutOfBoundsException cut) {
            throw new IllegalArgumentException("records that end too early: " + cut.getMessage(), cut);
        }
    }
}
