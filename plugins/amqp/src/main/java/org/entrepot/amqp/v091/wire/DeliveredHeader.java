package org.entrepot.amqp.v091.wire;

import org.entrepot.spi.message.Annotations;
import org.entrepot.spi.message.Bytes;
import org.entrepot.spi.message.Envelope;

/** What a message's header becomes on its way: everything that is not changed stays byte for byte. */
@SuppressWarnings({"DoNotCallSuggester", "UnusedVariable", "UnusedMethod", "InlineMeSuggester"})
public final class DeliveredHeader {
    private DeliveredHeader() {}

    /**
     * The header as it is delivered: the very same object when there is nothing to add or take away. Dead-lettering
     * adds x-death and its companions in place of what a client may have sent under these names, takes the expiration
     * away, and CC where the dead-letter key replaced it.
     *
     * @param returns how often it was returned, for queues that say so in x-delivery-count; 0 for others
     */
    public static Bytes render(Bytes header, Envelope envelope, Annotations annotations, int returns) {
        throw new UnsupportedOperationException();
    }

    /** The header with another reply-to, which takes the place of the one it has. */
    public static Bytes withReplyTo(Bytes header, String replyTo) {
        throw new UnsupportedOperationException();
    }
}
