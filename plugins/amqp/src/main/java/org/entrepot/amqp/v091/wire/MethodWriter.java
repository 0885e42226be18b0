package org.entrepot.amqp.v091.wire;

import io.netty.buffer.ByteBuf;

/** Writes methods as frames. What is hot has writers of its own in {@link DeliveryWriter}. */
@SuppressWarnings({"DoNotCallSuggester", "UnusedVariable", "UnusedMethod", "InlineMeSuggester"})
public final class MethodWriter {
    private MethodWriter() {}

    /**
     * Appends a method frame.
     *
     * @throws IllegalArgumentException when a short string has more than 255 bytes; reply texts and reasons are cut
     */
    public static void write(ByteBuf out, int channel, Method method) {
        throw new UnsupportedOperationException();
    }
}
