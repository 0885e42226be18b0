package org.entrepot.spi.protocol;

import java.util.HashSet;
import java.util.List;
import java.util.OptionalInt;

/**
 * Where and how a protocol is spoken through WebSocket (RFC 6455). Immutable. A vendor makes one and returns it from
 * {@link Protocol#webSocket}; the handshake, frames, pings and closing are the listener's.
 *
 * <p>The protocol's pipeline sees bytes as it does without WebSocket: what clients' frames hold is one stream, in which
 * a frame's end means nothing. What is written to the channel in one piece is sent as one frame.
 *
 * @param defaultPort the port to listen on, without TLS, where nothing is configured; empty for none
 * @param path of the URL that clients ask for, such as {@code /ws}, where nothing else is configured; begins with a
 *     slash, and has no query
 * @param subprotocols names that a client may offer for this protocol ({@code Sec-WebSocket-Protocol}), compared with
 *     case; the first of the client's that is one of them is chosen, a client that offers others only is refused, and
 *     one that offers none is taken in. May be empty, and then any offer is passed over
 * @param frames what clients may send, and get
 */
public record WebSocketEndpoint(OptionalInt defaultPort, String path, List<String> subprotocols, FrameKind frames) {
    private static final int PORT_MAX = 65_535;

    /** The kinds of data frames that a protocol's clients use. */
    public enum FrameKind {
        /** Binary frames both ways. A client that sends a text frame is closed with status 1003. */
        BINARY,
        /**
         * Text or binary frames from clients, whatever they prefer; text must be UTF-8. The broker sends text until the
         * client has sent a binary frame, then always what the client sent last; and what is no UTF-8 in binary frames,
         * always. Operators may choose binary frames for all that is sent. A write then must not end within a character.
         */
        TEXT_OR_BINARY
    }

    public WebSocketEndpoint {
        subprotocols = List.copyOf(subprotocols);
        if (defaultPort.isPresent() && (defaultPort.getAsInt() < 0 || defaultPort.getAsInt() > PORT_MAX)) {
            throw new IllegalArgumentException("port " + defaultPort.getAsInt() + " is not within 0 and " + PORT_MAX);
        }
        if (!path.startsWith("/") || path.chars().anyMatch(c -> c <= ' ' || c >= 0x7f || c == '?' || c == '#')) {
            throw new IllegalArgumentException("\"" + path + "\" is not the path of a URL, such as /ws");
        }
        if (new HashSet<>(subprotocols).size() < subprotocols.size()) {
            throw new IllegalArgumentException("a subprotocol is named twice: " + subprotocols);
        }
        for (String name : subprotocols) {
            if (!isToken(name)) {
                throw new IllegalArgumentException("\"" + name + "\" cannot be the name of a subprotocol");
            }
        }
    }

    /** RFC 9110 section 5.6.2. */
    private static boolean isToken(String text) {
        return !text.isEmpty()
                && text.chars()
                        .allMatch(c -> (c >= 'a' && c <= 'z')
                                || (c >= 'A' && c <= 'Z')
                                || (c >= '0' && c <= '9')
                                || "!#$%&'*+-.^_`|~".indexOf(c) >= 0);
    }
}
