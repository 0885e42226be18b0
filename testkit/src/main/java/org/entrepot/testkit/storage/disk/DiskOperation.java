package org.entrepot.testkit.storage.disk;

import org.entrepot.spi.message.Bytes;

/**
 * One thing that was done to a {@link RecordingDisk}. Immutable. Files have numbers, for a file stays the same when it gets
 * another name, and is written to when it has none.
 */
public sealed interface DiskOperation {

    /** An empty file was made. */
    record Create(long file, String name) implements DiskOperation {
        @Override
        public String toString() {
            return "create " + name + " as file " + file;
        }
    }

    /** Bytes were written to a place of a file. */
    record Write(long file, long at, Bytes bytes) implements DiskOperation {
        @Override
        public String toString() {
            return "write " + bytes.length() + " bytes at " + at + " of file " + file;
        }
    }

    /** A file was cut, or made longer by zeros. */
    record Resize(long file, long size) implements DiskOperation {
        @Override
        public String toString() {
            return "resize file " + file + " to " + size;
        }
    }

    /** What had been written to a file became lasting. */
    record SyncFile(long file) implements DiskOperation {
        @Override
        public String toString() {
            return "sync file " + file;
        }
    }

    /** A sync of a file failed: what it had to make lasting is in doubt for ever, whatever later syncs say. */
    record FailedSync(long file) implements DiskOperation {
        @Override
        public String toString() {
            return "fail to sync file " + file;
        }
    }

    /** A file got another name. */
    record Rename(String from, String to) implements DiskOperation {
        @Override
        public String toString() {
            return "rename " + from + " to " + to;
        }
    }

    /** A file lost its name. */
    record Delete(String name) implements DiskOperation {
        @Override
        public String toString() {
            return "delete " + name;
        }
    }

    /** What had been created, renamed and deleted became lasting. */
    record SyncDirectory() implements DiskOperation {
        @Override
        public String toString() {
            return "sync the directory";
        }
    }
}
