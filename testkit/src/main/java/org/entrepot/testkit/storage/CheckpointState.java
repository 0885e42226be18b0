package org.entrepot.testkit.storage;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.entrepot.spi.message.Bytes;

/**
 * What the owner of a log in a {@link Scenario} keeps in a checkpoint: which durable entries are there. Immutable.
 *
 * @param id no two have the same
 * @param live their positions
 */
record CheckpointState(long id, List<Long> live) {

    static Bytes encoded(long id, Collection<Long> live) {
        ByteBuffer bytes = ByteBuffer.allocate(Long.BYTES * (1 + live.size())).putLong(id);
        live.forEach(bytes::putLong);
        return Bytes.wrap(bytes.array());
    }

    /** What such bytes say; complains of bytes that nothing can have been kept as. */
    static CheckpointState of(Bytes bytes) {
        if (bytes.length() < Long.BYTES || bytes.length() % Long.BYTES != 0) {
            throw new AssertionError("a checkpoint of " + bytes.length() + " bytes was told, which nobody ever kept");
        }
        ByteBuffer buffer = ByteBuffer.wrap(bytes.toArray());
        long id = buffer.getLong();
        List<Long> live = new ArrayList<>();
        while (buffer.hasRemaining()) {
            live.add(buffer.getLong());
        }
        return new CheckpointState(id, live);
    }
}
