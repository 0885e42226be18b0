package org.entrepot.core.listener;

import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import org.entrepot.spi.message.Bytes;
import org.jspecify.annotations.Nullable;

/** Whether an HTTP request begins WebSocket, and with which listener of a port (RFC 6455 section 4.2). Immutable. */
sealed interface WebSocketHandshake {

    /** It does. */
    record Accepted(Port.Entry entry, WebSocketSpec spec, Bytes answer) implements WebSocketHandshake {}

    /**
     * It does not.
     *
     * @param why what the client did, for operators; the same words for the same reason
     */
    record Refused(String why, Bytes answer) implements WebSocketHandshake {}

    /** Appended to the client's key, RFC 6455 section 1.3. */
    String GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

    int KEY_BYTES = 16;
    String VERSION = "13";

    /** Judges the head of a request, which may be one that could not be read. */
    static WebSocketHandshake judge(HttpRequest request, Port port) {
        if (request.decoderResult().isFailure()) {
            return unreadable(request.decoderResult().cause());
        }
        HttpHeaders headers = request.headers();
        if (!request.method().equals(HttpMethod.GET)) {
            return refused(HttpResponseStatus.METHOD_NOT_ALLOWED, "a method other than GET", "Allow: GET\r\n");
        }
        if (hasBody(headers)) {
            return refused(HttpResponseStatus.BAD_REQUEST, "a request with a body", "");
        }
        List<Port.Entry> entries = port.at(path(request.uri()));
        if (entries.isEmpty()) {
            return refused(HttpResponseStatus.NOT_FOUND, "another path than " + String.join(" or ", port.paths()), "");
        }
        if (!headers.containsValue(HttpHeaderNames.UPGRADE, HttpHeaderValues.WEBSOCKET, true)
                || !headers.containsValue(HttpHeaderNames.CONNECTION, HttpHeaderValues.UPGRADE, true)) {
            return refused(HttpResponseStatus.UPGRADE_REQUIRED, "no upgrade to WebSocket", "Upgrade: websocket\r\n");
        }
        if (!VERSION.equals(headers.get(HttpHeaderNames.SEC_WEBSOCKET_VERSION))) {
            return refused(
                    HttpResponseStatus.UPGRADE_REQUIRED,
                    "another version of WebSocket than " + VERSION,
                    "Upgrade: websocket\r\nSec-WebSocket-Version: " + VERSION + "\r\n");
        }
        String key = headers.get(HttpHeaderNames.SEC_WEBSOCKET_KEY);
        if (!request.protocolVersion().equals(HttpVersion.HTTP_1_1)
                || !headers.contains(HttpHeaderNames.HOST)
                || key == null
                || !isKey(key)) {
            return refused(HttpResponseStatus.BAD_REQUEST, "no complete handshake of WebSocket", "");
        }
        return choose(headers, key, entries);
    }

    private static WebSocketHandshake choose(HttpHeaders headers, String key, List<Port.Entry> entries) {
        List<String> offers = tokens(headers.getAll(HttpHeaderNames.SEC_WEBSOCKET_PROTOCOL));
        String chosen = null;
        Port.Entry entry = offers.isEmpty() ? entries.get(0) : null;
        for (int i = 0; i < offers.size() && entry == null; i++) {
            entry = named(offers.get(i), entries);
            chosen = offers.get(i);
        }
        if (entry == null) {
            entry = named(null, entries);
            chosen = null;
        }
        if (entry == null) {
            return refused(HttpResponseStatus.BAD_REQUEST, "only subprotocols that are not known here", "");
        }
        WebSocketSpec spec = entry.requireWebSocket();
        String origin = headers.get(HttpHeaderNames.ORIGIN);
        if (origin != null && !spec.allowsOrigin(origin)) {
            return refused(HttpResponseStatus.FORBIDDEN, "an origin that is not allowed", "");
        }
        return new Accepted(
                entry,
                spec,
                Bytes.utf8("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                        + "Sec-WebSocket-Accept: " + acceptance(key) + "\r\n"
                        + (chosen == null ? "" : "Sec-WebSocket-Protocol: " + chosen + "\r\n") + "\r\n"));
    }

    /** The entry with a subprotocol of this name; for null, the one that does not ask for names. */
    private static Port.@Nullable Entry named(@Nullable String name, List<Port.Entry> entries) {
        for (Port.Entry entry : entries) {
            List<String> names = entry.requireWebSocket().subprotocols();
            if (name == null ? names.isEmpty() : names.contains(name)) {
                return entry;
            }
        }
        return null;
    }

    private static WebSocketHandshake unreadable(Throwable cause) {
        if (cause instanceof TooLongHttpHeaderException) {
            return refused(HttpResponseStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, "headers that are too long", "");
        }
        if (cause instanceof TooLongHttpLineException) {
            return refused(HttpResponseStatus.REQUEST_URI_TOO_LONG, "a URL that is too long", "");
        }
        return refused(HttpResponseStatus.BAD_REQUEST, "no HTTP request", "");
    }

    private static boolean hasBody(HttpHeaders headers) {
        String length = headers.get(HttpHeaderNames.CONTENT_LENGTH);
        return headers.contains(HttpHeaderNames.TRANSFER_ENCODING) || (length != null && !length.equals("0"));
    }

    /** Without the query; and without scheme and host, where a client names them as if to a proxy. */
    private static String path(String uri) {
        int start = 0;
        if (!uri.startsWith("/")) {
            int scheme = uri.indexOf("://");
            start = scheme < 0 ? -1 : uri.indexOf('/', scheme + 3);
            if (start < 0) {
                return "";
            }
        }
        int query = uri.indexOf('?', start);
        return uri.substring(start, query < 0 ? uri.length() : query);
    }

    private static List<String> tokens(List<String> lists) {
        List<String> tokens = new ArrayList<>();
        for (String list : lists) {
            for (String token : list.split(",", -1)) {
                if (!token.isBlank()) {
                    tokens.add(token.strip());
                }
            }
        }
        return tokens;
    }

    private static boolean isKey(String text) {
        try {
            return Base64.getDecoder().decode(text).length == KEY_BYTES;
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    /** What proves to the client that its key was read by somebody who knows WebSocket. */
    private static String acceptance(String key) {
        try {
            MessageDigest sha1 = MessageDigest.getInstance("SHA-1");
            return Base64.getEncoder().encodeToString(sha1.digest((key + GUID).getBytes(StandardCharsets.ISO_8859_1)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-1", e);
        }
    }

    private static Refused refused(HttpResponseStatus status, String what, String headerLines) {
        String text = "This is a port for WebSocket (RFC 6455), and this request has " + what + ".\n";
        return new Refused(
                "asked with " + what + " on a port for WebSocket; closed",
                Bytes.utf8("HTTP/1.1 " + status + "\r\n" + headerLines + "Connection: "
                        + (status.equals(HttpResponseStatus.UPGRADE_REQUIRED) ? "Upgrade, close" : "close")
                        + "\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: "
                        + text.getBytes(StandardCharsets.UTF_8).length + "\r\n\r\n" + text));
    }
}
