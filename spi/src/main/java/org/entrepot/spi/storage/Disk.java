package org.entrepot.spi.storage;

import java.io.IOException;
import java.util.List;

/**
 * The files of one directory, as far as a storage engine needs them. Engines that reach their files only through it can be
 * tested on disks that lose power, run full and lie ({@code testkit}). Vendors implement and call it; any thread may call.
 *
 * <p>A name is a plain file name. What is created, renamed or deleted lasts through a power cut from {@link #sync} on, what
 * is written to a file from {@link DiskFile#sync} on; before that each of it may have happened, or not, or in part.
 *
 * <p>Calls must not be interrupted: Java closes a file under an interrupted thread.
 */
public interface Disk {

    /** The names of all files, in no order. */
    List<String> list() throws IOException;

    /** Makes an empty file and opens it; fails where there is one. */
    DiskFile create(String name) throws IOException;

    /** Opens a file that is there. */
    DiskFile open(String name) throws IOException;

    /** Gives a file another name; where that is taken, the file that had it is gone. */
    void rename(String from, String to) throws IOException;

    /** Deletes a file; nothing happens where there is none. */
    void delete(String name) throws IOException;

    /** Makes lasting what was created, renamed and deleted. */
    void sync() throws IOException;

    /** Bytes that can still be written, roughly; {@link Long#MAX_VALUE} where that is unknown. */
    long free();
}
