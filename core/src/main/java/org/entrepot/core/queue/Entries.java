package org.entrepot.core.queue;

import org.entrepot.spi.message.Annotations;
import org.entrepot.spi.message.Envelope;
import org.entrepot.spi.message.Message;
import org.jspecify.annotations.Nullable;

/** What a machine may look at of the entries that its log has in memory. */
interface Entries {

    /** The message at a position; null when it has to be loaded. The other methods answer for the same positions. */
    @Nullable Message message(long position);

    Envelope envelope(long position);

    Annotations annotations(long position);

    long stamp(long position);
}
