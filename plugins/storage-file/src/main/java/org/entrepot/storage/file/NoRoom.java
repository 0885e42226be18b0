package org.entrepot.storage.file;

import java.io.IOException;
import java.util.Locale;

/** Tells a full disk from a broken one: Java has no exception of its own for it. Stateless. */
final class NoRoom {
    private NoRoom() {}

    static IOException because(String why) {
        return new IOException("no space left: " + why);
    }

    static boolean isWhy(IOException failed) {
        String text = String.valueOf(failed.getMessage()).toLowerCase(Locale.ROOT);
        return text.contains("no space left") || text.contains("quota exceeded") || text.contains("not enough space");
    }
}
