package org.entrepot.amqp.v091.wire;

import io.netty.buffer.ByteBuf;

/**
 * Takes what a {@link FrameDecoder} reads, in order. Called on the connection's loop. Buffers are valid during the call
 * only, and their indexes must stay as they are.
 */
public interface FrameSink {

    /**
     * A method frame.
     *
     * @param channel the channel's number, 0 to 65,535
     * @param method class and method as {@link Methods} has them; not always a known one
     * @param index where the arguments begin, after class and method
     * @param length of the arguments
     */
    void method(int channel, int method, ByteBuf buffer, int index, int length);

    /**
     * A content header frame; the channel is not 0.
     *
     * @param index where the payload begins, with the class
     * @param length of the payload
     */
    void header(int channel, ByteBuf buffer, int index, int length);

    /**
     * A body frame, or a part of one that came in several reads; the channel is not 0. A part is never empty, a frame
     * may be.
     */
    void body(int channel, ByteBuf buffer, int index, int length);

    /** A heartbeat frame. */
    void heartbeat();
}
