package org.entrepot.core.topology;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.List;
import java.util.Optional;
import org.entrepot.spi.topology.QueueSpec;
import org.junit.jupiter.api.Test;

/** The names of queues, read from the topology's log alone. */
class StoredQueueNamesTest {
    private final StoredQueueNames names = new StoredQueueNames();

    private static ByteBuf bytes(TopologyRecord... records) {
        return Unpooled.wrappedBuffer(TopologyRecords.bytes(List.of(records)));
    }

    private static TopologyRecord added(String virtualHost, long id, String name) {
        return new TopologyRecord.QueueAdded(virtualHost, id, 0, QueueSpec.plain(name, true, false, false));
    }

    @Test
    void theCheckpointAndWhatCameAfterNameQueues() {
        names.checkpoint(bytes(new TopologyRecord.IdsReserved(100), added("/", 7, "orders"), added("/", 8, "gone")));
        names.fact(bytes(added("test", 9, "orders")));
        names.fact(bytes(new TopologyRecord.QueueGone("/", "gone", false)));

        assertThat(names.of(7)).contains(new StoredQueueNames.Name("/", "orders"));
        assertThat(names.of(8)).isEmpty();
        assertThat(names.of(9)).contains(new StoredQueueNames.Name("test", "orders"));
        assertThat(names.of(10)).isEmpty();
        assertThat(names.failure()).isEmpty();
    }

    @Test
    void withAVirtualHostItsQueuesAreGone() {
        names.fact(bytes(added("test", 9, "orders"), added("/", 7, "orders")));
        names.fact(bytes(new TopologyRecord.VirtualHostGone("test")));

        assertThat(names.of(9)).isEmpty();
        assertThat(names.of(7)).isPresent();
    }

    @Test
    void whatCannotBeReadIsSaidAndTheRestIsNamed() {
        names.fact(bytes(added("/", 7, "orders")));
        names.fact(Unpooled.wrappedBuffer(new byte[] {0, 0, 0, 1, 99, 1}));

        assertThat(names.failure()).isNotEmpty();
        assertThat(names.of(7)).isEqualTo(Optional.of(new StoredQueueNames.Name("/", "orders")));
    }
}
