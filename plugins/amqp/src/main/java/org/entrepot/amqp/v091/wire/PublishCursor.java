package org.entrepot.amqp.v091.wire;

import io.netty.buffer.ByteBuf;

/** The arguments of basic.publish, read in place. Owned by a connection's loop and reused; valid until the next parse. */
@SuppressWarnings({"DoNotCallSuggester", "UnusedVariable", "UnusedMethod", "InlineMeSuggester"})
public final class PublishCursor {
    private int exchangeIndex;
    private int exchangeLength;
    private int keyIndex;
    private int keyLength;
    private boolean mandatory;
    private boolean immediate;

    /** Reads the arguments that {@link FrameSink#method} was given. Throws like {@link MethodReader#read}. */
    public void parse(ByteBuf buffer, int index, int length) {
        throw new UnsupportedOperationException();
    }

    public int exchangeIndex() {
        return exchangeIndex;
    }

    public int exchangeLength() {
        return exchangeLength;
    }

    public int keyIndex() {
        return keyIndex;
    }

    public int keyLength() {
        return keyLength;
    }

    public boolean mandatory() {
        return mandatory;
    }

    public boolean immediate() {
        return immediate;
    }
}
