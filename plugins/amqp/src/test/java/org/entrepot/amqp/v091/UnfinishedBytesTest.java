package org.entrepot.amqp.v091;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.entrepot.amqp.v091.wire.WireException;
import org.entrepot.spi.protocol.GatheringRoom;
import org.junit.jupiter.api.Test;

class UnfinishedBytesTest {
    private static final int LUMP = UnfinishedBytes.LUMP_BYTES;

    private final GatheringRoom room = new GatheringRoom(10L * LUMP);

    @Test
    void aConnectionHasItsOwnLimit() {
        UnfinishedBytes bytes = new UnfinishedBytes(100, room);
        bytes.add(60);
        assertThatThrownBy(() -> bytes.add(41)).hasMessageContaining("of this connection take more than 100 bytes");
        bytes.add(40);
        bytes.remove(50);
        bytes.add(50);
    }

    @Test
    void allConnectionsTogetherHaveOneToo() {
        UnfinishedBytes one = new UnfinishedBytes(Long.MAX_VALUE, room);
        UnfinishedBytes other = new UnfinishedBytes(Long.MAX_VALUE, room);
        one.add(9 * LUMP);
        other.add(LUMP);
        assertThatThrownBy(() -> other.add(LUMP))
                .isInstanceOf(WireException.class)
                .hasMessageContaining("of all connections take more than " + 10L * LUMP + " bytes");

        one.remove(9 * LUMP);
        other.add(8 * LUMP);
    }

    @Test
    void whatIsRefusedIsNotCounted() {
        UnfinishedBytes one = new UnfinishedBytes(Long.MAX_VALUE, room);
        assertThatThrownBy(() -> one.add(11 * LUMP)).isInstanceOf(WireException.class);
        one.add(10 * LUMP);
        one.remove(10 * LUMP);
        assertThat(room.take(10L * LUMP)).isTrue();
    }

    @Test
    void smallMessagesTakeNoRoom() {
        assertThat(room.take(10L * LUMP)).isTrue();
        UnfinishedBytes one = new UnfinishedBytes(Long.MAX_VALUE, room);
        one.add(UnfinishedBytes.FREE_BYTES);
        one.remove(UnfinishedBytes.FREE_BYTES);
        assertThatThrownBy(() -> one.add(UnfinishedBytes.FREE_BYTES + 1)).isInstanceOf(WireException.class);
    }
}
