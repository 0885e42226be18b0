package org.entrepot.stomp.wire;

/** Takes frames one after the other. Called on the connection's loop. */
@FunctionalInterface
public interface FrameSink {

    /** A whole frame. Both arguments are valid during the call only; {@code body} is empty but for SEND. */
    void frame(FrameHead head, FrameBody body);
}
