package org.entrepot.core.listener;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** What a connection's first bytes look like to somebody who has to find out what went wrong. Stateless. */
final class FirstBytes {
    private static final int SHOWN_MAX = 8;

    /** The type of a record of a TLS handshake, its first byte. */
    static final byte TLS_HANDSHAKE = 22;

    private static final byte TLS_MAJOR = 3;

    private static final String[] HTTP_METHODS = {
        "GET ", "HEAD ", "POST ", "PUT ", "DELETE ", "OPTIONS ", "PATCH ", "CONNECT ", "TRACE ", "PRI * HTTP/2",
    };

    private FirstBytes() {}

    /** Whether these can be the begin of a TLS handshake; true while too few to tell. */
    static boolean mayBeTls(ByteBuf bytes) {
        int start = bytes.readerIndex();
        return bytes.isReadable()
                && bytes.getByte(start) == TLS_HANDSHAKE
                && (bytes.readableBytes() < 2 || bytes.getByte(start + 1) == TLS_MAJOR);
    }

    /** Whether these can be the begin of an HTTP request: methods are words of capital letters. */
    static boolean mayBeHttp(ByteBuf bytes) {
        byte first = bytes.getByte(bytes.readerIndex());
        return first >= 'A' && first <= 'Z';
    }

    /** What these are the begin of, among what often meets the wrong port; null when nothing comes to mind. */
    static @Nullable String guess(ByteBuf bytes) {
        if (mayBeTls(bytes)) {
            return "a TLS handshake";
        }
        for (String method : HTTP_METHODS) {
            if (startsWith(bytes, method)) {
                return "an HTTP request";
            }
        }
        if (startsWith(bytes, "SSH-")) {
            return "an SSH client";
        }
        if (bytes.readableBytes() >= ProxyHeader.Version1.SIGNATURE.length && ProxyHeader.looksLikeOne(bytes)) {
            return "a PROXY protocol header";
        }
        return null;
    }

    /** The first few as hexadecimal numbers and as text: {@code 47 45 54 20 "GET "}. */
    static String shown(ByteBuf bytes) {
        int count = Math.min(bytes.readableBytes(), SHOWN_MAX);
        StringBuilder hex = new StringBuilder(count * 4 + 8);
        StringBuilder text = new StringBuilder(count);
        for (int i = 0; i < count; i++) {
            int b = bytes.getUnsignedByte(bytes.readerIndex() + i);
            hex.append(Character.forDigit(b >> 4, 16))
                    .append(Character.forDigit(b & 0xf, 16))
                    .append(' ');
            text.append(b >= ' ' && b < 0x7f ? (char) b : '.');
        }
        return hex.append('"').append(text).append('"').toString();
    }

    private static boolean startsWith(ByteBuf bytes, String text) {
        return bytes.readableBytes() >= text.length()
                && bytes.toString(bytes.readerIndex(), text.length(), StandardCharsets.ISO_8859_1)
                        .equals(text);
    }
}
