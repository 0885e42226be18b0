package org.entrepot.spi.message;

/**
 * What a publisher sent: a header, still encoded as it was received, and a body. Immutable, but for the note. A message has
 * one identity: however many queues take it, they refer to the same object, and a storage engine stores it once.
 *
 * <p>What the broker reads out of the header once is the {@link Envelope}; what the broker adds are {@link Annotations}.
 * Both belong to a message's place in a queue, not to the message.
 */
public final class Message {
    private final MessageFormat format;
    private final Bytes header;
    private final Bytes body;
    private long note;

    /**
     * A message.
     *
     * @param format understands the header
     * @param header the properties as the format encodes them
     * @param body the content, opaque to the broker
     */
    public Message(MessageFormat format, Bytes header, Bytes body) {
        this.format = format;
        this.header = header;
        this.body = body;
    }

    public MessageFormat format() {
        return format;
    }

    public Bytes header() {
        return header;
    }

    public Bytes body() {
        return body;
    }

    /** Bytes of header and body together: what credit and memory count. Limits of queues count bodies. */
    public int size() {
        return header.length() + body.length();
    }

    /**
     * What the storage engine has noted about this message, such as where it was written; 0 at first. The engine's alone: it
     * says what the number means and by which lock it is guarded.
     */
    public long note() {
        return note;
    }

    /** Notes something about this message; see {@link #note()}. */
    public void note(long note) {
        this.note = note;
    }
}
