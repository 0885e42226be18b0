package org.entrepot.core.topology;

import io.netty.buffer.ByteBuf;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.entrepot.spi.message.Envelope;
import org.entrepot.spi.storage.LogReplay;

/**
 * The names of queues by their logs' ids, as a replay of the topology's log tells them: without a topology, for which all
 * plugins would have to be there. Used by one thread at a time.
 */
public final class StoredQueueNames implements LogReplay {
    private final Map<Long, Name> names = new HashMap<>();
    private String failure = "";

    /** A queue. Immutable. */
    public record Name(String virtualHost, String queue) {}

    /** The queue whose entries are in a log. */
    public Optional<Name> of(long log) {
        return Optional.ofNullable(names.get(log));
    }

    /** Why names are missing; empty where none is. */
    public String failure() {
        return failure;
    }

    @Override
    public void checkpoint(ByteBuf state) {
        fact(state);
    }

    @Override
    public void fact(ByteBuf fact) {
        try {
            apply(TopologyRecords.read(fact));
        } catch (IllegalArgumentException | IllegalStateException unknown) {
            failed(String.valueOf(unknown.getMessage()));
        }
    }

    private void apply(List<TopologyRecord> records) {
        for (TopologyRecord fact : records) {
            if (fact instanceof TopologyRecord.QueueAdded added) {
                names.put(added.id(), new Name(added.virtualHost(), added.spec().name()));
            } else if (fact instanceof TopologyRecord.QueueGone gone) {
                names.values().remove(new Name(gone.virtualHost(), gone.name()));
            } else if (fact instanceof TopologyRecord.VirtualHostGone gone) {
                names.values().removeIf(name -> name.virtualHost().equals(gone.name()));
            }
        }
    }

    @Override
    public void entry(long position, long stamp, Envelope envelope, int bytes) {
        failed("there is a message in the topology's log");
    }

    @Override
    public void released(long from, long to) {}

    @Override
    public void ended(long position) {}

    @Override
    public void failed(String reason) {
        failure = reason;
    }
}
