package org.entrepot.spi.message;

/**
 * What a publisher sent: a header, still encoded as it was received, and a body. Immutable. A message has one identity:
 * however many queues take it, they refer to the same object, and a storage engine stores it once.
 *
 * <p>What the broker reads out of the header once is the {@link Envelope}; what the broker adds are {@link Annotations}.
 * Both belong to a message's place in a queue, not to the message.
 *
 * @param format understands the header
 * @param header the properties as the format encodes them
 * @param body the content, opaque to the broker
 */
public record Message(MessageFormat format, Bytes header, Bytes body) {

    /** Bytes of header and body together: what limits and credit count. */
    public int size() {
        return header.length() + body.length();
    }

    /** Identity, not content: two publishes of the same bytes are two messages. */
    @Override
    public boolean equals(Object other) {
        return this == other;
    }

    @Override
    public int hashCode() {
        return System.identityHashCode(this);
    }
}
