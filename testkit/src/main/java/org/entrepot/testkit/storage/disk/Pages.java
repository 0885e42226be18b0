package org.entrepot.testkit.storage.disk;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.Arrays;
import org.entrepot.spi.message.Bytes;
import org.jspecify.annotations.Nullable;

/**
 * A file's bytes in pages that never change once they are there, so that copies share them. Not thread-safe; a copy and its
 * original may be used by different threads.
 */
final class Pages {
    static final int PAGE_BYTES = 4096;
    private static final byte[] ZEROS = new byte[PAGE_BYTES];

    /** What is behind the end of the table, and what is null, is zeros. */
    private byte[] @Nullable [] table;
    /** Whether a copy uses the same table. */
    private boolean shared;

    private long size;

    Pages() {
        this(new byte[0][], 0, false);
    }

    private Pages(byte[] @Nullable [] table, long size, boolean shared) {
        this.table = table;
        this.size = size;
        this.shared = shared;
    }

    Pages copy() {
        shared = true;
        return new Pages(table, size, true);
    }

    long size() {
        return size;
    }

    /** As {@link org.entrepot.spi.storage.DiskFile#read}. */
    int read(ByteBuffer target, long at) {
        if (at >= size) {
            return target.hasRemaining() ? -1 : 0;
        }
        int length = (int) Math.min(target.remaining(), size - at);
        for (int done = 0; done < length; ) {
            int inPage = (int) ((at + done) % PAGE_BYTES);
            int part = Math.min(length - done, PAGE_BYTES - inPage);
            byte[] page = page((at + done) / PAGE_BYTES);
            target.put(page == null ? ZEROS : page, inPage, part);
            done += part;
        }
        return length;
    }

    /** Writes a part of these bytes at a place; the file grows where it must. */
    void write(long at, Bytes bytes, int offset, int length) {
        for (int done = 0; done < length; ) {
            int inPage = (int) ((at + done) % PAGE_BYTES);
            int part = Math.min(length - done, PAGE_BYTES - inPage);
            byte[] page = fresh((at + done) / PAGE_BYTES, part == PAGE_BYTES);
            bytes.copyTo(offset + done, page, inPage, part);
            done += part;
        }
        size = Math.max(size, at + length);
    }

    /** Makes bytes zeros; the file grows where it must. */
    void zero(long at, long length) {
        for (long done = 0; done < length; ) {
            int inPage = (int) ((at + done) % PAGE_BYTES);
            int part = (int) Math.min(length - done, PAGE_BYTES - inPage);
            long number = (at + done) / PAGE_BYTES;
            if (page(number) != null) {
                Arrays.fill(fresh(number, part == PAGE_BYTES), inPage, inPage + part, (byte) 0);
            }
            done += part;
        }
        size = Math.max(size, at + length);
    }

    void resize(long newSize) {
        if (newSize < size) {
            int pages = (int) ((newSize + PAGE_BYTES - 1) / PAGE_BYTES);
            if (pages < table.length) {
                table = Arrays.copyOf(table, pages);
                shared = false;
            }
            // What is cut off must not be seen when the file grows again.
            int inPage = (int) (newSize % PAGE_BYTES);
            if (inPage > 0 && page(newSize / PAGE_BYTES) != null) {
                Arrays.fill(fresh(newSize / PAGE_BYTES, false), inPage, PAGE_BYTES, (byte) 0);
            }
        }
        size = newSize;
    }

    /** Adds size and bytes to a digest; it does not matter whether zeros take a page. */
    void addTo(MessageDigest digest) {
        ByteBuffer number = ByteBuffer.allocate(Long.BYTES);
        digest.update(number.putLong(0, size));
        for (int i = 0; i < table.length; i++) {
            byte[] page = table[i];
            if (page != null && !Arrays.equals(page, ZEROS)) {
                digest.update(number.putLong(0, i).rewind());
                digest.update(page);
            }
        }
        digest.update(number.putLong(0, -1).rewind());
    }

    private byte @Nullable [] page(long number) {
        return number < table.length ? table[(int) number] : null;
    }

    /** A page that nobody else has, with its old content unless all of it is to be written. */
    private byte[] fresh(long number, boolean whole) {
        int at = Math.toIntExact(number);
        if (at >= table.length) {
            table = Arrays.copyOf(table, Math.max(at + 1, table.length + table.length / 2));
            shared = false;
        } else if (shared) {
            table = table.clone();
            shared = false;
        }
        byte[] old = table[at];
        byte[] page = old == null || whole ? new byte[PAGE_BYTES] : old.clone();
        table[at] = page;
        return page;
    }
}
