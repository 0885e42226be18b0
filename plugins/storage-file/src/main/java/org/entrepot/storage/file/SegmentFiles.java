package org.entrepot.storage.file;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.entrepot.spi.storage.Disk;
import org.entrepot.spi.storage.DiskFile;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Files for segments: takes them from a spare that was filled with zeros beforehand or is an old segment, for a sync of
 * bytes that have their blocks costs less. Where the disk has no room for another file the reserve is taken. Guarded by
 * itself.
 *
 * <p>Every file has all its blocks before the journal writes to it: a disk that runs full does so here, and never in the
 * middle of a segment, where only somebody else could help.
 */
final class SegmentFiles {
    static final String SPARE = "spare";
    static final String RESERVE = "reserve";
    /** What the names of files begin with that were found damaged and are of no use to the engine. */
    static final String SET_ASIDE = "damaged-";

    private static final Logger log = LoggerFactory.getLogger(SegmentFiles.class);
    private static final int ZEROS = 1 << 20;
    private static final String UNFINISHED = ".unfinished";

    private final Disk disk;
    private final int size;
    private final RoomAlarm room;
    private boolean hasSpare;
    private boolean hasReserve;
    /** The segment that a ready file was made last. */
    private volatile String named = "";

    SegmentFiles(Disk disk, int size, RoomAlarm room) throws IOException {
        this.disk = disk;
        this.size = size;
        this.room = room;
        for (String name : disk.list()) {
            hasSpare |= name.equals(SPARE);
            hasReserve |= name.equals(RESERVE);
            if (name.endsWith(UNFINISHED)) {
                disk.delete(name);
            }
        }
    }

    /** A file for a segment, open and, once {@link Disk#sync} was called, there. */
    DiskFile make(Segment segment) throws IOException {
        if (segment.name().equals(named)) {
            // A file got the name, and could not be opened then.
            return disk.open(segment.name());
        }
        boolean usual = segment.size() == size;
        if (usual && take(SPARE, segment.name())) {
            return disk.open(segment.name());
        }
        try {
            return filled(segment.name(), segment.size());
        } catch (IOException failed) {
            if (!NoRoom.isOnDisk(failed) || !usual || !take(RESERVE, segment.name())) {
                throw failed;
            }
            log.warn("There is no room for another segment of the journal; the reserve is used");
            room.full(RoomAlarm.Lack.FILES, NoRoom.DISK);
            return disk.open(segment.name());
        }
    }

    /** A new file of zeros, or, where there is no room for it, none. */
    private DiskFile filled(String name, int bytes) throws IOException {
        disk.delete(name);
        DiskFile file = disk.create(name);
        try {
            ByteBuffer zeros = ByteBuffer.allocate(Math.min(bytes, ZEROS));
            for (long at = 0; at < bytes; ) {
                zeros.clear().limit((int) Math.min(zeros.capacity(), bytes - at));
                at += file.write(zeros, at);
            }
            return file;
        } catch (IOException full) {
            file.close();
            disk.delete(name);
            throw full;
        }
    }

    /** Gives a file that is ready the name of a segment; false where there is none. */
    private synchronized boolean take(String name, String segment) throws IOException {
        if (!has(name)) {
            return false;
        }
        disk.rename(name, segment);
        named = segment;
        ready(name, false);
        return true;
    }

    /** Makes a file a ready one; false where there is one already. */
    private synchronized boolean put(String file, String name) throws IOException {
        if (has(name)) {
            return false;
        }
        disk.rename(file, name);
        ready(name, true);
        return true;
    }

    private synchronized void ready(String name, boolean isReady) {
        if (name.equals(SPARE)) {
            hasSpare = isReady;
        } else {
            hasReserve = isReady;
        }
    }

    /** Makes what is missing of reserve and spare, as far as the disk has room. Called by one thread. */
    void prepare() throws IOException {
        try {
            if (!has(RESERVE)) {
                fill(RESERVE);
            }
            if (!has(SPARE)) {
                fill(SPARE);
            }
            room.hasRoom(RoomAlarm.Lack.FILES);
        } catch (IOException failed) {
            String why = NoRoom.why(failed);
            if (why == null) {
                throw failed;
            }
            room.full(RoomAlarm.Lack.FILES, why);
        }
    }

    private synchronized boolean has(String name) {
        return name.equals(SPARE) ? hasSpare : hasReserve;
    }

    private void fill(String name) throws IOException {
        String unfinished = name + UNFINISHED;
        try (DiskFile file = filled(unfinished, size)) {
            file.sync();
        }
        if (put(unfinished, name)) {
            disk.sync();
        } else {
            disk.delete(unfinished);
        }
    }

    /** A segment's file is of no use any more: it becomes the reserve or the spare, or is deleted. */
    void recycle(Segment segment) throws IOException {
        if (segment.size() != size || !(put(segment.name(), RESERVE) || put(segment.name(), SPARE))) {
            disk.delete(segment.name());
        }
    }
}
