package org.entrepot.storage.file;

import java.io.IOException;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Tells a disk that cannot take more for now from a broken one: Java has no exceptions of their own for it. Stateless. */
final class NoRoom {
    static final String DISK = "no room on the disk of the store";
    private static final String OPEN_FILES = "the process has too many open files for another one of the store";

    private NoRoom() {}

    static IOException because(String why) {
        return new IOException("no space left: " + why);
    }

    /** Whether it is for want of something that there may be again. */
    static boolean isWhy(IOException failed) {
        return why(failed) != null;
    }

    /** Whether a file cannot become longer. */
    static boolean isOnDisk(IOException failed) {
        return DISK.equals(why(failed));
    }

    /** What there is too little of, for now; null where something else has gone wrong. */
    static @Nullable String why(IOException failed) {
        String text = String.valueOf(failed.getMessage()).toLowerCase(Locale.ROOT);
        if (text.contains("no space left") || text.contains("quota exceeded") || text.contains("not enough space")) {
            return DISK;
        }
        return text.contains("too many open files") ? OPEN_FILES : null;
    }
}
