package org.entrepot.core.security;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;
import org.entrepot.spi.message.Bytes;

/**
 * What a client sends for PLAIN (RFC 4616): an identity to act as, a name and a password, with zero bytes between them.
 * Immutable.
 */
final class PlainResponse {
    /** Longest user name, in bytes. */
    static final int NAME_BYTES_MAX = 1024;

    private final String name;
    private final byte[] password;

    private PlainResponse(String name, byte[] password) {
        this.name = name;
        this.password = password;
    }

    /** Reads a response; empty where it is malformed, or where the client wants to act as somebody else. */
    static Optional<PlainResponse> read(Bytes response) {
        byte[] bytes = response.toArray();
        int first = zeroFrom(bytes, 0);
        int second = zeroFrom(bytes, first + 1);
        if (second >= bytes.length || zeroFrom(bytes, second + 1) < bytes.length) {
            return Optional.empty();
        }
        byte[] actAs = Arrays.copyOf(bytes, first);
        byte[] name = Arrays.copyOfRange(bytes, first + 1, second);
        if (actAs.length > 0 && !Arrays.equals(actAs, name)) {
            return Optional.empty();
        }
        return name(name).map(text -> new PlainResponse(text, Arrays.copyOfRange(bytes, second + 1, bytes.length)));
    }

    /** A name of a user from bytes; empty where it is empty, too long or no text. */
    static Optional<String> name(byte[] bytes) {
        if (bytes.length == 0 || bytes.length > NAME_BYTES_MAX) {
            return Optional.empty();
        }
        try {
            return Optional.of(StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString());
        } catch (CharacterCodingException malformed) {
            return Optional.empty();
        }
    }

    String name() {
        return name;
    }

    byte[] password() {
        return password;
    }

    private static int zeroFrom(byte[] bytes, int start) {
        int i = start;
        while (i < bytes.length && bytes[i] != 0) {
            i++;
        }
        return i;
    }
}
