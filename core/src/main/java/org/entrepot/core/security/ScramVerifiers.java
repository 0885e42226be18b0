package org.entrepot.core.security;

import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Optional;
import org.entrepot.spi.message.Bytes;

/**
 * Gives every name a verifier: a user's own, or one that nothing proves, which looks the same and stays the same as long as
 * this object lives, so that asking does not tell who is a user. Immutable; any thread may call it.
 */
final class ScramVerifiers {
    private static final int SECRET_BYTES = 32;

    private final byte[] secret = new byte[SECRET_BYTES];
    private final int iterations;

    /**
     * @param random makes the secret that verifiers of nobody's are made of
     * @param iterations what new verifiers have
     */
    ScramVerifiers(SecureRandom random, int iterations) {
        random.nextBytes(secret);
        this.iterations = iterations;
    }

    /** The verifier to ask and to judge a client by that says it has this name. */
    ScramVerifier of(String name, Optional<UserRecord> user) {
        ScramVerifier nobodys = new ScramVerifier(
                iterations,
                Arrays.copyOf(madeUp("salt", name), PasswordHashes.SCRAM_SALT_BYTES),
                madeUp("stored key", name),
                madeUp("server key", name));
        // Written and read as the real one is, so that it takes the same time.
        Bytes written = nobodys.written();
        return ScramVerifier.read(user.flatMap(ScramVerifiers::stored).orElse(written))
                .orElse(nobodys);
    }

    /** Whether a user can log in by SCRAM at all. */
    static boolean has(UserRecord user) {
        return stored(user).isPresent();
    }

    private static Optional<Bytes> stored(UserRecord user) {
        return user.credentials().stream()
                .filter(credential -> credential.kind().equals(PasswordHashes.SCRAM_KIND))
                .map(Credential::verifier)
                .findFirst();
    }

    private byte[] madeUp(String what, String name) {
        return ScramVerifier.hmac(secret, (what + '\0' + name).getBytes(StandardCharsets.UTF_8));
    }
}
