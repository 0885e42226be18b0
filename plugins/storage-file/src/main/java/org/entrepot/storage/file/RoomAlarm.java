package org.entrepot.storage.file;

import java.util.EnumSet;
import java.util.Set;
import org.entrepot.spi.storage.StorageListener;

/**
 * Tells the broker when the disk is full and when it is not any more: it is full as long as one of those who write finds it
 * so. Any thread may call it.
 */
final class RoomAlarm {
    private static final String WHY = "no room on the disk of the store";

    private final StorageListener listener;
    private final Set<Who> without = EnumSet.noneOf(Who.class);

    /** Who writes. */
    enum Who {
        JOURNAL,
        RECLAIMER
    }

    RoomAlarm(StorageListener listener) {
        this.listener = listener;
    }

    synchronized void full(Who who) {
        if (without.isEmpty()) {
            listener.full(WHY);
        }
        without.add(who);
    }

    synchronized void hasRoom(Who who) {
        if (without.remove(who) && without.isEmpty()) {
            listener.hasRoom();
        }
    }
}
