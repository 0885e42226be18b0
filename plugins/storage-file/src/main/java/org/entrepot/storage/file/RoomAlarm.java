package org.entrepot.storage.file;

import java.util.EnumSet;
import java.util.Set;
import org.entrepot.spi.storage.StorageListener;

/**
 * Tells the broker when the disk is full and when it is not any more: it is full as long as there is no room for one thing
 * or another. Any thread may call it.
 */
final class RoomAlarm {
    private final StorageListener listener;
    private final Set<Lack> lacking = EnumSet.noneOf(Lack.class);

    /** What there is no room for. */
    enum Lack {
        /** The journal's next write. */
        JOURNAL,
        /** The file that is to follow, and the reserve. */
        FILES
    }

    RoomAlarm(StorageListener listener) {
        this.listener = listener;
    }

    synchronized void full(Lack lack, String why) {
        if (lacking.isEmpty()) {
            listener.full(why);
        }
        lacking.add(lack);
    }

    synchronized void hasRoom(Lack lack) {
        if (lacking.remove(lack) && lacking.isEmpty()) {
            listener.hasRoom();
        }
    }
}
