package org.entrepot.stomp.wire;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** What a frame of a client asks for. */
public enum Command {
    CONNECT,
    /** The same as {@link #CONNECT}. */
    STOMP,
    SEND,
    SUBSCRIBE,
    UNSUBSCRIBE,
    ACK,
    NACK,
    BEGIN,
    COMMIT,
    ABORT,
    DISCONNECT,
    /** Anything else. */
    UNKNOWN;

    /** Bytes that a command may have, known or not. */
    static final int BYTES_MAX = 32;

    private static final Command[] ALL = values();

    @SuppressWarnings("ImmutableEnumChecker") // nobody writes to it
    private final byte[] bytes = name().getBytes(StandardCharsets.US_ASCII);

    /** The command that these bytes are. */
    static Command of(byte[] array, int from, int to) {
        // Frames of one kind follow each other, and this is the kind of which there are most.
        if (SEND.is(array, from, to)) {
            return SEND;
        }
        for (Command command : ALL) {
            if (command != UNKNOWN && command.is(array, from, to)) {
                return command;
            }
        }
        return UNKNOWN;
    }

    private boolean is(byte[] array, int from, int to) {
        return Arrays.equals(bytes, 0, bytes.length, array, from, to);
    }
}
