package org.entrepot.core.plugin;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The table of contents at the end of a zip file (APPNOTE.TXT 4.3.12, the central directory). Immutable.
 *
 * <p>Read here because the JDK does not tell what kind of file an entry is: a symbolic link must be seen to be refused.
 */
final class ZipTable {
    private static final int END_SIGNATURE = 0x06054b50;
    private static final int END_BYTES = 22;
    private static final int COMMENT_BYTES_MAX = 0xFFFF;
    private static final int ENTRY_SIGNATURE = 0x02014b50;
    private static final int ENTRY_BYTES = 46;
    private static final int UNIX = 3;
    private static final int UNIX_KIND = 0xF000;
    private static final int UNIX_FOLDER = 0x4000;
    private static final int UNIX_FILE = 0x8000;
    private static final int UNIX_LINK = 0xA000;
    private static final int FLAG_ENCRYPTED = 1;

    /** Bytes of table we are willing to read. */
    private static final int TABLE_BYTES_MAX = 8 << 20;

    private final List<Entry> entries;

    private ZipTable(List<Entry> entries) {
        this.entries = List.copyOf(entries);
    }

    /** One entry: its name as written, and what kind of thing it is. */
    record Entry(String name, Kind kind, boolean encrypted) {}

    /** Kinds of entries. Zips made where files have no kind have plain ones only. */
    enum Kind {
        PLAIN,
        LINK,
        SPECIAL
    }

    List<Entry> entries() {
        return entries;
    }

    /** Reads the table; throws {@link IOException} with the reason when there is none we can read. */
    static ZipTable read(Path zip) throws IOException {
        try (FileChannel file = FileChannel.open(zip)) {
            ByteBuffer tail =
                    read(file, Math.max(0, file.size() - END_BYTES - COMMENT_BYTES_MAX), END_BYTES + COMMENT_BYTES_MAX);
            int end = tail.limit() - END_BYTES;
            while (end >= 0 && tail.getInt(end) != END_SIGNATURE) {
                end--;
            }
            if (end < 0) {
                throw new IOException("it is not a zip file, or not all of one");
            }
            int count = Short.toUnsignedInt(tail.getShort(end + 10));
            long bytes = Integer.toUnsignedLong(tail.getInt(end + 12));
            long start = Integer.toUnsignedLong(tail.getInt(end + 16));
            if (count == 0xFFFF || bytes > TABLE_BYTES_MAX) {
                throw new IOException("it has too many entries");
            }
            return new ZipTable(entries(read(file, start, (int) bytes), count));
        }
    }

    private static List<Entry> entries(ByteBuffer table, int count) throws IOException {
        List<Entry> entries = new ArrayList<>(count);
        int at = 0;
        for (int i = 0; i < count; i++) {
            if (table.limit() - at < ENTRY_BYTES || table.getInt(at) != ENTRY_SIGNATURE) {
                throw new IOException("its table of contents is damaged");
            }
            int system = Byte.toUnsignedInt(table.get(at + 5));
            int flags = table.getShort(at + 8);
            int nameBytes = Short.toUnsignedInt(table.getShort(at + 28));
            int extraBytes = Short.toUnsignedInt(table.getShort(at + 30));
            int commentBytes = Short.toUnsignedInt(table.getShort(at + 32));
            int attributes = table.getInt(at + 38);
            if (table.limit() - at - ENTRY_BYTES < nameBytes + extraBytes + commentBytes) {
                throw new IOException("its table of contents is damaged");
            }
            byte[] name = new byte[nameBytes];
            table.get(at + ENTRY_BYTES, name);
            entries.add(new Entry(
                    new String(name, StandardCharsets.UTF_8), kind(system, attributes), (flags & FLAG_ENCRYPTED) != 0));
            at += ENTRY_BYTES + nameBytes + extraBytes + commentBytes;
        }
        return entries;
    }

    private static Kind kind(int system, int attributes) {
        int kind = system == UNIX ? attributes >>> 16 & UNIX_KIND : 0;
        return switch (kind) {
            case 0, UNIX_FILE, UNIX_FOLDER -> Kind.PLAIN;
            case UNIX_LINK -> Kind.LINK;
            default -> Kind.SPECIAL;
        };
    }

    /** Reads up to {@code bytes} from {@code position} on, fewer at the end of the file. */
    private static ByteBuffer read(FileChannel file, long position, int bytes) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocate((int) Math.min(bytes, Math.max(0, file.size() - position)))
                .order(ByteOrder.LITTLE_ENDIAN);
        while (buffer.hasRemaining() && file.read(buffer, position + buffer.position()) >= 0) {
            // read() may give less than asked for.
        }
        return buffer.flip();
    }
}
