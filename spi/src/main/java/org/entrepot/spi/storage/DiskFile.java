package org.entrepot.spi.storage;

import java.io.IOException;
import java.nio.ByteBuffer;

/** An open file of a {@link Disk}. Any thread may call it; one at a time writes. */
public interface DiskFile extends AutoCloseable {

    long size() throws IOException;

    /** Reads bytes from a place on into the buffer; how many, maybe fewer than there is room for, or -1 at the end. */
    int read(ByteBuffer target, long at) throws IOException;

    /** Writes the buffer's bytes at a place; how many, maybe fewer than there are, also just before an exception. */
    int write(ByteBuffer source, long at) throws IOException;

    /** Cuts the file, or makes it longer by zeros that may take no space. */
    void resize(long size) throws IOException;

    /** Makes lasting what was written, and the size. What is not lasting after an exception nobody knows. */
    void sync() throws IOException;

    @Override
    void close() throws IOException;
}
