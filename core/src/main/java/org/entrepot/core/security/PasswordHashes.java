package org.entrepot.core.security;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;
import org.entrepot.core.config.CoreKeys;
import org.entrepot.core.config.Printable;
import org.entrepot.spi.Settings;
import org.entrepot.spi.message.Bytes;

/**
 * Makes and checks hashes of passwords. Thread-safe.
 *
 * <p>New ones are {@value #PBKDF2_KIND}: PBKDF2 with HMAC-SHA-512 and the number of rounds stored beside the hash.
 * RabbitMQ's (base64 of 4 bytes of salt and a digest of salt and password) are understood as they come in definitions.
 *
 * <p>Beside its hash a password that is known in the clear gets a {@value #SCRAM_KIND}: a {@link ScramVerifier}, which
 * passwords are not checked against, but proofs by SCRAM-SHA-256 are.
 */
public final class PasswordHashes {
    /** The kind of new hashes. */
    public static final String PBKDF2_KIND = "pbkdf2_hmac_sha512";

    /** Rounds of new hashes, as OWASP advises for HMAC-SHA-512. */
    public static final int PBKDF2_ROUNDS = 210_000;

    /** The kind of verifiers for SCRAM-SHA-256. */
    public static final String SCRAM_KIND = "scram_sha_256";

    /** Longest password, in bytes; a longer one is no user's. */
    public static final int PASSWORD_BYTES_MAX = 4096;

    static final int SCRAM_SALT_BYTES = 16;

    /** Iterations of verifiers in tests: as few as RFC 7677 allows. */
    private static final int SCRAM_ITERATIONS_MIN = 4096;

    private static final int PBKDF2_SALT_BYTES = 16;

    private final SecureRandom random;
    private final int rounds;
    private final int scramIterations;
    private final Credential nobodys;
    private final LongAdder slowChecks = new LongAdder();

    /** Hashes with salts from {@code random}, and verifiers with the iterations that the configuration says. */
    public PasswordHashes(SecureRandom random, Settings settings) {
        this(random, PBKDF2_ROUNDS, Math.toIntExact(settings.number(CoreKeys.SECURITY_SCRAM_ITERATIONS)));
    }

    /** Hashes with a number of rounds of one's own, for tests. */
    PasswordHashes(SecureRandom random, int rounds) {
        this(random, rounds, SCRAM_ITERATIONS_MIN);
    }

    private PasswordHashes(SecureRandom random, int rounds, int scramIterations) {
        this.random = random;
        this.rounds = rounds;
        this.scramIterations = scramIterations;
        byte[] none = new byte[Pbkdf2.HASH_BYTES];
        this.nobodys = new Credential(PBKDF2_KIND, new Pbkdf2(rounds, salt(PBKDF2_SALT_BYTES), none).written());
    }

    /** RabbitMQ's kinds of hashes, by the names that its definitions use. */
    private enum Salted {
        SHA256("rabbit_password_hashing_sha256", "SHA-256", 32),
        SHA512("rabbit_password_hashing_sha512", "SHA-512", 64),
        MD5("rabbit_password_hashing_md5", "MD5", 16);

        static final int SALT_BYTES = 4;

        final String kind;
        final String algorithm;
        final int digestBytes;

        Salted(String kind, String algorithm, int digestBytes) {
            this.kind = kind;
            this.algorithm = algorithm;
            this.digestBytes = digestBytes;
        }

        static Optional<Salted> of(String kind) {
            return Arrays.stream(values())
                    .filter(salted -> salted.kind.equals(kind))
                    .findFirst();
        }

        byte[] digest(byte[] salt, byte[] password) {
            try {
                MessageDigest digest = MessageDigest.getInstance(algorithm);
                digest.update(salt);
                return digest.digest(password);
            } catch (NoSuchAlgorithmException missing) {
                throw new IllegalStateException("this Java has no " + algorithm, missing);
            }
        }
    }

    /** All that a user with this password needs: a hash of the default kind, and a verifier where there can be one. */
    public List<Credential> credentials(byte[] password) {
        Credential hash = make(password);
        return makeScram(password).map(verifier -> List.of(hash, verifier)).orElseGet(() -> List.of(hash));
    }

    /**
     * A verifier for SCRAM-SHA-256; empty where the password has characters that RFC 4013 prohibits, such as control
     * characters. Takes about a hundredth of a second: not for loops.
     */
    public Optional<Credential> makeScram(byte[] password) {
        checkNew(password);
        return ScramVerifier.of(new String(password, StandardCharsets.UTF_8), salt(SCRAM_SALT_BYTES), scramIterations)
                .map(verifier -> new Credential(SCRAM_KIND, verifier.written()));
    }

    /** A hash of the default kind. Takes about a tenth of a second: not for loops. */
    public Credential make(byte[] password) {
        checkNew(password);
        byte[] salt = salt(PBKDF2_SALT_BYTES);
        byte[] hash = Pbkdf2.hash(password, salt, rounds, Pbkdf2.HASH_BYTES);
        return new Credential(PBKDF2_KIND, new Pbkdf2(rounds, salt, hash).written());
    }

    /**
     * A hash of one of RabbitMQ's kinds, for who must exchange it with one.
     *
     * @throws IllegalArgumentException where the kind is none of them
     */
    public Credential makeSalted(String kind, byte[] password) {
        checkNew(password);
        Salted salted = Salted.of(kind).orElseThrow(() -> unknown(kind));
        byte[] salt = salt(Salted.SALT_BYTES);
        byte[] digest = salted.digest(salt, password);
        byte[] verifier = Arrays.copyOf(salt, salt.length + digest.length);
        System.arraycopy(digest, 0, verifier, salt.length, digest.length);
        return new Credential(kind, Bytes.wrap(verifier));
    }

    /**
     * A credential as definitions hold it.
     *
     * @param kind the value of {@code hashing_algorithm}
     * @param passwordHash the value of {@code password_hash}: base64 for RabbitMQ's kinds
     * @throws IllegalArgumentException where that is not well-formed; the text says what is allowed, not the hash
     */
    public static Credential parse(String kind, String passwordHash) {
        if (kind.equals(PBKDF2_KIND)) {
            Bytes verifier = Bytes.utf8(passwordHash);
            if (Pbkdf2.read(verifier).isEmpty()) {
                throw new IllegalArgumentException("a hash of the kind " + kind
                        + " is not well-formed; allowed: ROUNDS:SALT:HASH with salt and hash in base64");
            }
            return new Credential(kind, verifier);
        }
        Salted salted = Salted.of(kind).orElseThrow(() -> unknown(kind));
        byte[] verifier;
        try {
            verifier = Base64.getDecoder().decode(passwordHash);
        } catch (IllegalArgumentException notBase64) {
            throw new IllegalArgumentException("a hash of the kind " + kind + " is not base64", notBase64);
        }
        int bytes = Salted.SALT_BYTES + salted.digestBytes;
        if (verifier.length != bytes) {
            throw new IllegalArgumentException(
                    "a hash of the kind " + kind + " has " + verifier.length + " bytes; allowed: " + bytes);
        }
        return new Credential(kind, Bytes.wrap(verifier));
    }

    /** The reverse of {@link #parse}: a verifier's text for definitions. */
    public static String text(Credential credential) {
        return credential.kind().equals(PBKDF2_KIND)
                ? credential.verifier().toUtf8()
                : Base64.getEncoder().encodeToString(credential.verifier().toArray());
    }

    /** Whether to check such a credential takes long enough for time to tell something. */
    static boolean slow(Credential credential) {
        return credential.kind().equals(PBKDF2_KIND);
    }

    /**
     * Whether the password is the credential's. Takes the same time whichever of its bytes are wrong. A kind that is not
     * known, a malformed verifier and an empty password never fit.
     */
    boolean fits(Credential credential, byte[] password) {
        if (password.length == 0 || password.length > PASSWORD_BYTES_MAX) {
            return false;
        }
        if (credential.kind().equals(PBKDF2_KIND)) {
            slowChecks.increment();
            return Pbkdf2.read(credential.verifier())
                    .filter(stored -> stored.fits(password))
                    .isPresent();
        }
        return Salted.of(credential.kind())
                .filter(salted -> fits(salted, credential.verifier().toArray(), password))
                .isPresent();
    }

    /** How many checks that take long were made, those for nobody's passwords included. */
    long slowChecks() {
        return slowChecks.sum();
    }

    /** Does the work of checking a password of nobody's, so that time does not tell who is a user. */
    void work(byte[] password) {
        byte[] bounded = password.length == 0 || password.length > PASSWORD_BYTES_MAX ? new byte[] {0} : password;
        if (fits(nobodys, bounded)) {
            throw new AssertionError("a password whose hash is nothing but zeros");
        }
    }

    private static boolean fits(Salted salted, byte[] verifier, byte[] password) {
        if (verifier.length != Salted.SALT_BYTES + salted.digestBytes) {
            return false;
        }
        byte[] salt = Arrays.copyOf(verifier, Salted.SALT_BYTES);
        byte[] digest = Arrays.copyOfRange(verifier, Salted.SALT_BYTES, verifier.length);
        return MessageDigest.isEqual(digest, salted.digest(salt, password));
    }

    private static void checkNew(byte[] password) {
        if (password.length == 0 || password.length > PASSWORD_BYTES_MAX) {
            throw new IllegalArgumentException(
                    "a password of " + password.length + " bytes; allowed: 1 to " + PASSWORD_BYTES_MAX);
        }
        if (!Pbkdf2.isText(password)) {
            throw new IllegalArgumentException("a password that is not UTF-8 text");
        }
    }

    private static IllegalArgumentException unknown(String kind) {
        return new IllegalArgumentException("unknown kind of password hash '" + Printable.of(kind, 60) + "'; allowed: "
                + PBKDF2_KIND + ", " + Salted.SHA256.kind + ", " + Salted.SHA512.kind + ", " + Salted.MD5.kind);
    }

    private byte[] salt(int bytes) {
        byte[] salt = new byte[bytes];
        random.nextBytes(salt);
        return salt;
    }
}
