package org.entrepot.stomp;

import org.entrepot.spi.protocol.GatheringRoom;

/** STOMP as one broker serves it: what all its connections share. Immutable; any loop may call it. */
final class Stomp {
    private final StompSettings settings;
    private final StompMessageFormat format = new StompMessageFormat();
    private final LoopRooms rooms = new LoopRooms();
    private final GatheringRoom gatheringRoom = GatheringRoom.inHeap();

    Stomp(StompSettings settings) {
        this.settings = settings;
    }

    StompSettings settings() {
        return settings;
    }

    StompMessageFormat format() {
        return format;
    }

    LoopRooms rooms() {
        return rooms;
    }

    GatheringRoom gatheringRoom() {
        return gatheringRoom;
    }
}
