package org.entrepot.core.listener;

import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.entrepot.spi.protocol.Protocol;
import org.jspecify.annotations.Nullable;

/**
 * What is listened for on one address and port: one protocol or several, all with the same TLS or all without, and
 * all through WebSocket or none. Immutable.
 *
 * @param entries in the order configured; the first speaks to strangers
 * @param tls null for none
 * @param elsewhere what is listened for without TLS and WebSocket on other ports, to tell clients that came to the wrong one
 */
record Port(List<Entry> entries, @Nullable TlsContext tls, List<Entry> elsewhere) {

    /**
     * One listener of the port.
     *
     * @param webSocket null for the protocol's bytes as they are
     */
    record Entry(
            String listener,
            Protocol protocol,
            ListenerMeters meters,
            @Nullable WebSocketSpec webSocket) {

        WebSocketSpec requireWebSocket() {
            return Objects.requireNonNull(webSocket);
        }
    }

    Port {
        entries = List.copyOf(entries);
        elsewhere = List.copyOf(elsewhere);
        assert !entries.isEmpty();
    }

    /** The one that what happens before a protocol is recognised is put down to. */
    Entry first() {
        return entries.get(0);
    }

    boolean isWebSocket() {
        return first().webSocket() != null;
    }

    /** The entries whose WebSocket has this path. */
    List<Entry> at(String path) {
        return entries.stream()
                .filter(entry -> entry.requireWebSocket().path().equals(path))
                .toList();
    }

    /** The paths where there is WebSocket. */
    List<String> paths() {
        return entries.stream()
                .map(entry -> entry.requireWebSocket().path())
                .distinct()
                .toList();
    }

    /** The same port for who has chosen one of its entries. */
    Port only(Entry entry) {
        return entries.size() == 1 ? this : new Port(List.of(entry), tls, elsewhere);
    }

    /** Which of the protocols these bytes begin; null where none has recognised them. */
    @Nullable Entry recognise(ByteBuf firstBytes) {
        for (Entry entry : entries) {
            if (entry.protocol().recognise(firstBytes) == Protocol.Recognition.YES) {
                return entry;
            }
        }
        return null;
    }

    /** Whether more bytes could make a difference after {@link #recognise} gave nothing. */
    boolean needsMore(ByteBuf firstBytes) {
        for (Entry entry : entries) {
            if (entry.protocol().recognise(firstBytes) == Protocol.Recognition.MORE) {
                return true;
            }
        }
        return false;
    }

    /** What bytes that do not belong here look like. */
    String stranger(ByteBuf firstBytes) {
        String guess = FirstBytes.guess(firstBytes);
        if (guess != null) {
            return guess;
        }
        for (Entry entry : elsewhere) {
            if (entry.protocol().recognise(firstBytes) == Protocol.Recognition.YES) {
                return "a client of listener " + entry.listener();
            }
        }
        return "bytes of no protocol that is known here";
    }

    /** The names of the protocols, for operators. */
    String protocols() {
        List<String> names = new ArrayList<>();
        for (Entry entry : entries) {
            names.add(entry.protocol().name());
        }
        return String.join(", ", names);
    }
}
