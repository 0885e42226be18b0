package org.entrepot.core.security;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.InvalidKeyException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.entrepot.spi.message.Bytes;

/**
 * Tells whether a password is a user's, without a hash on the caller's thread. Any thread may call it.
 *
 * <p>A password found right is remembered for a while as a keyed hash under a key that lives and dies with this object;
 * any change of users or permissions forgets all. The same question asked again while it is worked on is not worked on
 * twice: a fleet that reconnects costs one hash. What one address has waiting is bounded, so that it leaves room for
 * others.
 *
 * <p>A wrong password and an unknown user take the same work, whatever kind of hash the user has.
 */
final class PasswordVerifier {
    static final int REMEMBERED_MAX = 10_000;
    static final int WAITING_PER_ADDRESS_MAX = 64;

    /** A question that waited so long is answered without work: whoever asked has gone. */
    static final long WAIT_MILLIS_MAX = 10_000;

    private static final String MAC = "HmacSHA256";
    private static final int KEY_BYTES = 32;

    private final PasswordHashes hashes;
    private final UserDirectory directory;
    private final Executor pool;
    private final long rememberMillis;
    private final LongSupplier clockMillis;
    private final SecretKeySpec key;
    private final ConcurrentHashMap<String, Remembered> remembered = new ConcurrentHashMap<>();
    private final ConcurrentHashMap<Question, CompletableFuture<Verdict>> underWay = new ConcurrentHashMap<>();
    private final ConcurrentHashMap<ClientAddress, Integer> waiting = new ConcurrentHashMap<>();

    /** What is said of a password. */
    enum Verdict {
        RIGHT,
        WRONG,
        /** Nothing can be said: too many wait for an answer. */
        BUSY
    }

    private record Remembered(Bytes mac, long version, long untilMillis) {}

    private record Question(String user, Bytes mac, long version) {}

    /**
     * @param pool does slow work; refuses with {@link RejectedExecutionException} what is too much
     * @param rememberMillis how long a right password is remembered; 0 for not
     * @param clockMillis a clock that never goes back
     */
    PasswordVerifier(
            PasswordHashes hashes,
            UserDirectory directory,
            Executor pool,
            SecureRandom random,
            long rememberMillis,
            LongSupplier clockMillis) {
        this.hashes = hashes;
        this.directory = directory;
        this.pool = pool;
        this.rememberMillis = rememberMillis;
        this.clockMillis = clockMillis;
        byte[] bytes = new byte[KEY_BYTES];
        random.nextBytes(bytes);
        this.key = new SecretKeySpec(bytes, MAC);
    }

    /**
     * Checks a password.
     *
     * @param name the name that was given, of a user or not
     * @param user who has that name
     * @param worthwhile asked in the pool, right before work: where it is not, the verdict is BUSY
     * @return completes on the calling thread or in the pool
     */
    CompletionStage<Verdict> verify(
            ClientAddress address,
            String name,
            Optional<UserRecord> user,
            byte[] password,
            BooleanSupplier worthwhile) {
        long version = directory.version();
        Question question = new Question(name, mac(name, password), version);
        if (user.isPresent() && isRemembered(question)) {
            return CompletableFuture.completedFuture(Verdict.RIGHT);
        }
        CompletableFuture<Verdict> answer = new CompletableFuture<>();
        CompletableFuture<Verdict> asked = underWay.putIfAbsent(question, answer);
        if (asked != null) {
            return asked;
        }
        if (!takePlace(address)) {
            answer(question, answer, Verdict.BUSY);
            return answer;
        }
        long since = clockMillis.getAsLong();
        try {
            pool.execute(() -> {
                leavePlace(address);
                try {
                    answer(question, answer, work(user, password, worthwhile, since));
                } catch (RuntimeException fault) {
                    underWay.remove(question, answer);
                    answer.completeExceptionally(fault);
                }
            });
        } catch (RejectedExecutionException full) {
            leavePlace(address);
            answer(question, answer, Verdict.BUSY);
        }
        return answer;
    }

    private void answer(Question question, CompletableFuture<Verdict> answer, Verdict verdict) {
        if (verdict == Verdict.RIGHT) {
            remember(question);
        }
        underWay.remove(question, answer);
        answer.complete(verdict);
    }

    private Verdict work(Optional<UserRecord> user, byte[] password, BooleanSupplier worthwhile, long since) {
        if (clockMillis.getAsLong() - since > WAIT_MILLIS_MAX || !worthwhile.getAsBoolean()) {
            return Verdict.BUSY;
        }
        boolean worked = false;
        if (user.isPresent()) {
            for (Credential credential : user.get().credentials()) {
                if (hashes.fits(credential, password)) {
                    return Verdict.RIGHT;
                }
                worked |= PasswordHashes.slow(credential);
            }
        }
        if (!worked) {
            hashes.work(password);
        }
        return Verdict.WRONG;
    }

    private boolean isRemembered(Question question) {
        Remembered of = remembered.get(question.user());
        return of != null
                && of.version() == question.version()
                && clockMillis.getAsLong() < of.untilMillis()
                && MessageDigest.isEqual(of.mac().toArray(), question.mac().toArray());
    }

    private void remember(Question question) {
        if (rememberMillis == 0) {
            return;
        }
        long now = clockMillis.getAsLong();
        if (remembered.size() >= REMEMBERED_MAX) {
            remembered.values().removeIf(of -> of.version() != question.version() || of.untilMillis() <= now);
            if (remembered.size() >= REMEMBERED_MAX) {
                remembered.clear();
            }
        }
        remembered.put(question.user(), new Remembered(question.mac(), question.version(), now + rememberMillis));
    }

    private boolean takePlace(ClientAddress address) {
        if (waiting.merge(address, 1, Integer::sum) <= WAITING_PER_ADDRESS_MAX) {
            return true;
        }
        leavePlace(address);
        return false;
    }

    private void leavePlace(ClientAddress address) {
        waiting.computeIfPresent(address, (same, number) -> number == 1 ? null : number - 1);
    }

    private Bytes mac(String name, byte[] password) {
        byte[] user = name.getBytes(StandardCharsets.UTF_8);
        try {
            Mac mac = Mac.getInstance(MAC);
            mac.init(key);
            mac.update(ByteBuffer.allocate(Integer.BYTES).putInt(user.length).flip());
            mac.update(user);
            return Bytes.wrap(mac.doFinal(password));
        } catch (NoSuchAlgorithmException | InvalidKeyException missing) {
            throw new IllegalStateException("this Java has no " + MAC, missing);
        }
    }
}
