package org.entrepot.amqp.v091.wire;

import io.netty.buffer.ByteBuf;

/**
 * Cuts what a connection reads into frames, in place. Owned by the connection's loop.
 *
 * <p>Works at any split of the input: of a method or header frame that is split, the parts are joined; of a body frame,
 * they are passed on as they come. Nothing is allocated by an announced size. Methods may be called by the sink.
 */
@SuppressWarnings({"DoNotCallSuggester", "UnusedVariable", "UnusedMethod", "InlineMeSuggester"})
public final class FrameDecoder {
    private int frameMax;

    /** Begins after the protocol header, with the limit that holds before a larger one is agreed. */
    public FrameDecoder(int frameMax) {
        this.frameMax = frameMax;
    }

    /** From the next frame on, the largest whole frame, in bytes. Eight more are tolerated, as RabbitMQ does. */
    public void frameMax(int frameMax) {
        this.frameMax = frameMax;
    }

    /**
     * Takes all readable bytes of {@code buffer}, passing on every frame; the caller releases the buffer.
     *
     * @throws WireException when the bytes are no frames; the decoder is then {@linkplain #stop stopped}
     */
    public void read(ByteBuf buffer, FrameSink sink) {
        throw new UnsupportedOperationException("frames of at most " + frameMax);
    }

    /** Passes nothing on any more: what is left of this read and all later ones are dropped. */
    public void stop() {
        throw new UnsupportedOperationException();
    }

    /**
     * Passes nothing on until {@link #resume}: what is left of this read and later ones are kept. For the short time
     * until a login is answered; who holds stops reading the socket.
     */
    public void hold() {
        throw new UnsupportedOperationException();
    }

    /** Ends {@link #hold} and passes on what was kept. Throws like {@link #read}. */
    public void resume(FrameSink sink) {
        throw new UnsupportedOperationException();
    }

    /** Bytes kept of a split frame and of what is held. */
    public int keptBytes() {
        throw new UnsupportedOperationException();
    }
}
