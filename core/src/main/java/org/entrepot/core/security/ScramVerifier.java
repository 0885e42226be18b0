package org.entrepot.core.security;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Base64;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.crypto.Mac;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;
import javax.crypto.spec.SecretKeySpec;
import org.entrepot.spi.message.Bytes;

/**
 * What a proof by SCRAM-SHA-256 (RFC 5802, RFC 7677) is checked against: it tells a right proof from a wrong one, and does
 * not let its holder make one. Immutable: who makes one gives its arrays away.
 */
final class ScramVerifier {
    static final int KEY_BYTES = 32;

    private static final String PBKDF2 = "PBKDF2WithHmacSHA256";
    private static final String HMAC = "HmacSHA256";
    private static final String DIGEST = "SHA-256";

    /** The form of RFC 5803. */
    private static final Pattern FORM = Pattern.compile(
            "SCRAM-SHA-256\\$([1-9][0-9]{0,7}):([A-Za-z0-9+/=]+)\\$([A-Za-z0-9+/=]+):([A-Za-z0-9+/=]+)");

    private final int iterations;
    private final byte[] salt;
    private final byte[] storedKey;
    private final byte[] serverKey;

    ScramVerifier(int iterations, byte[] salt, byte[] storedKey, byte[] serverKey) {
        this.iterations = iterations;
        this.salt = salt;
        this.storedKey = storedKey;
        this.serverKey = serverKey;
    }

    /** The verifier of a password; empty where it has a character that {@link SaslPrep} prohibits. Not for loops. */
    static Optional<ScramVerifier> of(String password, byte[] salt, int iterations) {
        return SaslPrep.of(password).map(prepared -> {
            byte[] salted = salted(prepared, salt, iterations);
            byte[] clientKey = hmac(salted, "Client Key".getBytes(StandardCharsets.US_ASCII));
            byte[] serverKey = hmac(salted, "Server Key".getBytes(StandardCharsets.US_ASCII));
            return new ScramVerifier(iterations, salt, digest(clientKey), serverKey);
        });
    }

    /** Reads what {@link #written} writes; empty where it is not well-formed. */
    static Optional<ScramVerifier> read(Bytes verifier) {
        Matcher matcher = FORM.matcher(verifier.toUtf8());
        if (!matcher.matches()) {
            return Optional.empty();
        }
        try {
            byte[] salt = Base64.getDecoder().decode(matcher.group(2));
            byte[] storedKey = Base64.getDecoder().decode(matcher.group(3));
            byte[] serverKey = Base64.getDecoder().decode(matcher.group(4));
            return storedKey.length == KEY_BYTES && serverKey.length == KEY_BYTES
                    ? Optional.of(new ScramVerifier(Integer.parseInt(matcher.group(1)), salt, storedKey, serverKey))
                    : Optional.empty();
        } catch (IllegalArgumentException notBase64) {
            return Optional.empty();
        }
    }

    Bytes written() {
        return Bytes.utf8(
                "SCRAM-SHA-256$" + iterations + ':' + base64(salt) + '$' + base64(storedKey) + ':' + base64(serverKey));
    }

    /** Salt and iterations as the server's first message tells them. */
    String attributes() {
        return "s=" + base64(salt) + ",i=" + iterations;
    }

    /** Whether who made this proof of these messages knows the password. Takes the same time whichever bytes are wrong. */
    boolean isProved(byte[] proof, byte[] messages) {
        if (proof.length != KEY_BYTES) {
            return false;
        }
        byte[] clientKey = hmac(storedKey, messages);
        for (int i = 0; i < KEY_BYTES; i++) {
            clientKey[i] ^= proof[i];
        }
        return MessageDigest.isEqual(digest(clientKey), storedKey);
    }

    /** What proves to the client that the server has this verifier. */
    byte[] signature(byte[] messages) {
        return hmac(serverKey, messages);
    }

    static byte[] hmac(byte[] key, byte[] data) {
        try {
            Mac mac = Mac.getInstance(HMAC);
            mac.init(new SecretKeySpec(key, HMAC));
            return mac.doFinal(data);
        } catch (GeneralSecurityException missing) {
            throw new IllegalStateException("this Java has no " + HMAC, missing);
        }
    }

    private static byte[] salted(String password, byte[] salt, int iterations) {
        char[] characters = password.toCharArray();
        PBEKeySpec spec = new PBEKeySpec(characters, salt, iterations, KEY_BYTES * Byte.SIZE);
        try {
            return SecretKeyFactory.getInstance(PBKDF2).generateSecret(spec).getEncoded();
        } catch (GeneralSecurityException missing) {
            throw new IllegalStateException("this Java has no " + PBKDF2, missing);
        } finally {
            spec.clearPassword();
            Arrays.fill(characters, '\0');
        }
    }

    private static byte[] digest(byte[] data) {
        try {
            return MessageDigest.getInstance(DIGEST).digest(data);
        } catch (GeneralSecurityException missing) {
            throw new IllegalStateException("this Java has no " + DIGEST, missing);
        }
    }

    private static String base64(byte[] bytes) {
        return Base64.getEncoder().encodeToString(bytes);
    }
}
