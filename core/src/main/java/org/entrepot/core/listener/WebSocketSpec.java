package org.entrepot.core.listener;

import java.util.List;
import java.util.Locale;
import org.entrepot.spi.protocol.WebSocketEndpoint;
import org.entrepot.spi.protocol.WebSocketEndpoint.FrameKind;

/**
 * How a listener speaks WebSocket. Immutable.
 *
 * @param path what the request must ask for
 * @param subprotocols what a client may offer; empty for whatever it offers
 * @param takesText whether clients may send text frames
 * @param sendsText whether clients are sent text frames until they send binary ones
 * @param origins of pages that may connect, in lower case, such as "https://example.com"; empty for all
 */
public record WebSocketSpec(
        String path, List<String> subprotocols, boolean takesText, boolean sendsText, List<String> origins) {

    /** In place of origins: all. */
    public static final String ALL_ORIGINS = "*";

    /** What browsers send for pages that have no address. */
    private static final String NO_ADDRESS = "null";

    public WebSocketSpec {
        subprotocols = List.copyOf(subprotocols);
        origins = origins.stream().map(WebSocketSpec::origin).toList();
        if (!path.startsWith("/") || path.chars().anyMatch(c -> c <= ' ' || c >= 0x7f || c == '?' || c == '#')) {
            throw new IllegalArgumentException("\"" + path + "\" is not the path of a URL, such as /ws");
        }
        if (origins.contains(ALL_ORIGINS)) {
            origins = List.of();
        }
    }

    /** What the protocol asks for. */
    public static WebSocketSpec of(WebSocketEndpoint endpoint) {
        boolean text = endpoint.frames() == FrameKind.TEXT_OR_BINARY;
        return new WebSocketSpec(endpoint.path(), endpoint.subprotocols(), text, text, List.of());
    }

    public WebSocketSpec withPath(String other) {
        return new WebSocketSpec(other, subprotocols, takesText, sendsText, origins);
    }

    /** The same with binary frames for whatever is sent. */
    public WebSocketSpec withBinaryOnly() {
        return new WebSocketSpec(path, subprotocols, takesText, false, origins);
    }

    public WebSocketSpec withOrigins(List<String> others) {
        return new WebSocketSpec(path, subprotocols, takesText, sendsText, others);
    }

    boolean allowsOrigin(String origin) {
        return origins.isEmpty() || origins.contains(origin.toLowerCase(Locale.ROOT));
    }

    /** Whether a client may mean the one as well as the other. */
    boolean isLike(WebSocketSpec other) {
        return path.equals(other.path)
                && (subprotocols.isEmpty()
                        || other.subprotocols.isEmpty()
                        || subprotocols.stream().anyMatch(other.subprotocols::contains));
    }

    /** As browsers write it (RFC 6454 section 6.2): scheme, host and, where it is not the usual one, port. */
    private static String origin(String text) {
        String origin = text.toLowerCase(Locale.ROOT);
        if (!origin.equals(ALL_ORIGINS)
                && !origin.equals(NO_ADDRESS)
                && !origin.matches("[a-z][a-z0-9+.-]*://[^/?#]+")) {
            throw new IllegalArgumentException(
                    "\"" + text + "\" is not the origin of a web page, such as https://example.com");
        }
        return origin;
    }
}
