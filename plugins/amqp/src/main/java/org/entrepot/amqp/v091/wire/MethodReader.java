package org.entrepot.amqp.v091.wire;

import io.netty.buffer.ByteBuf;

/** Reads methods' arguments. */
@SuppressWarnings({"DoNotCallSuggester", "UnusedVariable", "UnusedMethod", "InlineMeSuggester"})
public final class MethodReader {
    private MethodReader() {}

    /**
     * Reads the arguments that {@link FrameSink#method} was given.
     *
     * @throws WireException FRAME_ERROR when they cannot be decoded, INTERNAL_ERROR for a table's unknown type,
     *     NOT_IMPLEMENTED for a class or method that does not exist
     */
    public static Method read(int method, ByteBuf buffer, int index, int length) {
        throw new UnsupportedOperationException();
    }
}
