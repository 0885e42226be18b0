package org.entrepot.core.security;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import org.entrepot.spi.message.Bytes;

/**
 * The messages of one login by SCRAM-SHA-256 (RFC 5802 section 5), read and written: the client's first, the server's
 * challenge, the client's proof, the server's signature. Owned by the loop of its connection.
 *
 * <p>There is no channel binding: a client may say that it could ("y"), not that it insists ("p=...").
 */
final class ScramExchange {
    /** Bytes that a client's message may have: names, nonces and extensions are a client's to choose. */
    static final int MESSAGE_BYTES_MAX = 8192;

    private final String header;
    private final String name;
    private final String clientFirst;
    private final String clientNonce;
    private String nonce = "";
    private String serverFirst = "";

    private ScramExchange(String header, String name, String clientFirst, String clientNonce) {
        this.header = header;
        this.name = name;
        this.clientFirst = clientFirst;
        this.clientNonce = clientNonce;
    }

    /** Reads the client's first message; empty where it is malformed, or where it wants what is not there. */
    static Optional<ScramExchange> begin(Bytes message) {
        String text = text(message).orElse("");
        int flagEnd = text.indexOf(',');
        int headerEnd = text.indexOf(',', flagEnd + 1);
        if (flagEnd < 0 || headerEnd < 0) {
            return Optional.empty();
        }
        String flag = text.substring(0, flagEnd);
        String actAs = text.substring(flagEnd + 1, headerEnd);
        String bare = text.substring(headerEnd + 1);
        List<String> attributes = List.of(bare.split(",", -1));
        if (!(flag.equals("n") || flag.equals("y"))
                || attributes.size() < 2
                || !attributes.get(0).startsWith("n=")
                || !attributes.get(1).startsWith("r=")) {
            return Optional.empty();
        }
        String saslName = attributes.get(0).substring(2);
        String nonce = attributes.get(1).substring(2);
        // Who acts as itself writes its name twice; acting as somebody else is not for users of the broker.
        if (!isNonce(nonce) || !(actAs.isEmpty() || actAs.equals("a=" + saslName))) {
            return Optional.empty();
        }
        return name(saslName).map(name -> new ScramExchange(text.substring(0, headerEnd + 1), name, bare, nonce));
    }

    /** Who the client says it is. */
    String name() {
        return name;
    }

    /** The server's first message. */
    Bytes challenge(ScramVerifier verifier, String serverNonce) {
        nonce = clientNonce + serverNonce;
        serverFirst = "r=" + nonce + ',' + verifier.attributes();
        return Bytes.utf8(serverFirst);
    }

    /** Reads the client's last message; empty where it is malformed, or belongs to another exchange. */
    Optional<Proof> proof(Bytes message) {
        String text = text(message).orElse("");
        int proofAt = text.lastIndexOf(",p=");
        if (proofAt < 0) {
            return Optional.empty();
        }
        String withoutProof = text.substring(0, proofAt);
        List<String> attributes = List.of(withoutProof.split(",", -1));
        String binding = Base64.getEncoder().encodeToString(header.getBytes(StandardCharsets.UTF_8));
        if (attributes.size() < 2
                || !attributes.get(0).equals("c=" + binding)
                || !attributes.get(1).equals("r=" + nonce)) {
            return Optional.empty();
        }
        try {
            byte[] proof = Base64.getDecoder().decode(text.substring(proofAt + 3));
            String messages = clientFirst + ',' + serverFirst + ',' + withoutProof;
            return Optional.of(new Proof(proof, messages.getBytes(StandardCharsets.UTF_8)));
        } catch (IllegalArgumentException notBase64) {
            return Optional.empty();
        }
    }

    /** What a client has sent as proof, and all messages that it is a proof of. Immutable. */
    static final class Proof {
        private final byte[] proof;
        private final byte[] messages;

        private Proof(byte[] proof, byte[] messages) {
            this.proof = proof;
            this.messages = messages;
        }

        /** The server's last message, its signature; empty where the proof is wrong. */
        Optional<Bytes> lastWord(ScramVerifier verifier) {
            return verifier.isProved(proof, messages)
                    ? Optional.of(Bytes.utf8("v=" + Base64.getEncoder().encodeToString(verifier.signature(messages))))
                    : Optional.empty();
        }
    }

    private static Optional<String> text(Bytes message) {
        if (message.length() > MESSAGE_BYTES_MAX) {
            return Optional.empty();
        }
        try {
            return Optional.of(StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(message.toArray()))
                    .toString());
        } catch (CharacterCodingException malformed) {
            return Optional.empty();
        }
    }

    /** Printable characters of ASCII; a comma cannot be among them here. */
    private static boolean isNonce(String text) {
        return !text.isEmpty() && text.chars().allMatch(c -> c > ' ' && c < 0x7F);
    }

    /** A name in which "=2C" stands for a comma and "=3D" for an equals sign, and nothing else begins with one. */
    private static Optional<String> name(String saslName) {
        String commas = saslName.replace("=2C", ",");
        if (commas.replace("=3D", "").indexOf('=') >= 0) {
            return Optional.empty();
        }
        return PlainResponse.name(commas.replace("=3D", "=").getBytes(StandardCharsets.UTF_8));
    }
}
