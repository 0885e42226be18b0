package org.entrepot.core.security;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Base64;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;
import org.entrepot.spi.message.Bytes;

/**
 * A password's hash by PBKDF2 with HMAC-SHA-512 (RFC 8018), with what it was made with. Immutable: who makes one gives
 * its arrays away.
 */
final class Pbkdf2 {
    static final int HASH_BYTES = 64;

    private static final String ALGORITHM = "PBKDF2WithHmacSHA512";
    private static final int ROUNDS_MAX = 10_000_000;
    private static final int SALT_BYTES_MIN = 8;
    private static final int SALT_BYTES_MAX = 64;
    private static final int HASH_BYTES_MIN = 32;
    private static final Pattern FORM = Pattern.compile("([1-9][0-9]{0,7}):([A-Za-z0-9+/=]+):([A-Za-z0-9+/=]+)");

    private final int rounds;
    private final byte[] salt;
    private final byte[] hash;

    Pbkdf2(int rounds, byte[] salt, byte[] hash) {
        this.rounds = rounds;
        this.salt = salt;
        this.hash = hash;
    }

    /** Reads {@code ROUNDS:SALT:HASH}; empty where it is not well-formed or outside the limits. */
    static Optional<Pbkdf2> read(Bytes verifier) {
        Matcher matcher = FORM.matcher(verifier.toUtf8());
        if (!matcher.matches()) {
            return Optional.empty();
        }
        try {
            int rounds = Integer.parseInt(matcher.group(1));
            byte[] salt = Base64.getDecoder().decode(matcher.group(2));
            byte[] hash = Base64.getDecoder().decode(matcher.group(3));
            boolean fits = rounds <= ROUNDS_MAX
                    && salt.length >= SALT_BYTES_MIN
                    && salt.length <= SALT_BYTES_MAX
                    && hash.length >= HASH_BYTES_MIN
                    && hash.length <= HASH_BYTES;
            return fits ? Optional.of(new Pbkdf2(rounds, salt, hash)) : Optional.empty();
        } catch (IllegalArgumentException notBase64) {
            return Optional.empty();
        }
    }

    Bytes written() {
        Base64.Encoder base64 = Base64.getEncoder();
        return Bytes.utf8(rounds + ":" + base64.encodeToString(salt) + ":" + base64.encodeToString(hash));
    }

    boolean fits(byte[] password) {
        // Bytes that are no text are hashed all the same, so that they take the same time, and then refused.
        boolean same = MessageDigest.isEqual(hash, hash(password, salt, rounds, hash.length));
        return same && isText(password);
    }

    static boolean isText(byte[] password) {
        try {
            StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(password));
            return true;
        } catch (CharacterCodingException malformed) {
            return false;
        }
    }

    static byte[] hash(byte[] password, byte[] salt, int rounds, int bytes) {
        CharBuffer text = StandardCharsets.UTF_8.decode(ByteBuffer.wrap(password));
        char[] characters = new char[text.length()];
        text.get(characters);
        PBEKeySpec spec = new PBEKeySpec(characters, salt, rounds, bytes * Byte.SIZE);
        try {
            return SecretKeyFactory.getInstance(ALGORITHM).generateSecret(spec).getEncoded();
        } catch (GeneralSecurityException missing) {
            throw new IllegalStateException("this Java has no " + ALGORITHM, missing);
        } finally {
            spec.clearPassword();
            Arrays.fill(characters, '\0');
        }
    }
}
