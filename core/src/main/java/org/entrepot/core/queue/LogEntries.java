package org.entrepot.core.queue;

import org.entrepot.spi.message.Annotations;
import org.entrepot.spi.message.Envelope;
import org.entrepot.spi.message.Message;
import org.entrepot.spi.storage.Log;
import org.jspecify.annotations.Nullable;

/** A log's resident entries, as the machine sees them. Owned as its log. */
record LogEntries(Log log) implements Entries {

    @Override
    public @Nullable Message message(long position) {
        return log.message(position);
    }

    @Override
    public Envelope envelope(long position) {
        return log.envelope(position);
    }

    @Override
    public Annotations annotations(long position) {
        return log.annotations(position);
    }

    @Override
    public long stamp(long position) {
        return log.stamp(position);
    }
}
