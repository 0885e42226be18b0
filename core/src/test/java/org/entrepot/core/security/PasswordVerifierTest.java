package org.entrepot.core.security;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.entrepot.core.security.PasswordVerifier.Verdict;
import org.entrepot.spi.message.Bytes;
import org.junit.jupiter.api.Test;

class PasswordVerifierTest {
    private static final ClientAddress HERE = new ClientAddress("10.0.0.1");
    private static final ClientAddress THERE = new ClientAddress("10.0.0.2");

    private final AtomicLong clock = new AtomicLong(1_000_000);
    private final Tasks pool = new Tasks();
    private final Users users = new Users();
    private final PasswordHashes hashes = new PasswordHashes(new SecureRandom(), 10);
    private final PasswordVerifier verifier =
            new PasswordVerifier(hashes, users, pool, new SecureRandom(), 300_000, clock::get);

    PasswordVerifierTest() {
        users.put(user("alice", hashes.make("secret".getBytes(UTF_8))));
    }

    private static UserRecord user(String name, Credential... credentials) {
        return new UserRecord(name, List.of(credentials), Set.of());
    }

    private CompletableFuture<Verdict> ask(ClientAddress address, String name, String password) {
        return verifier.verify(address, name, users.user(name), password.getBytes(UTF_8), () -> true)
                .toCompletableFuture();
    }

    private Verdict answer(String name, String password) {
        CompletableFuture<Verdict> asked = ask(HERE, name, password);
        pool.runAll();
        return asked.getNow(null);
    }

    @Test
    void hashesAreWorkedOnInThePool() {
        CompletableFuture<Verdict> asked = ask(HERE, "alice", "secret");
        assertThat(asked).isNotDone();

        pool.runAll();
        assertThat(asked).isCompletedWithValue(Verdict.RIGHT);
    }

    @Test
    void aRightPasswordIsRememberedForAWhile() {
        answer("alice", "secret");

        assertThat(ask(HERE, "alice", "secret")).isCompletedWithValue(Verdict.RIGHT);
        assertThat(ask(THERE, "alice", "secret")).isCompletedWithValue(Verdict.RIGHT);
        assertThat(ask(HERE, "alice", "secre")).isNotDone();
        assertThat(ask(HERE, "bob", "secret")).isNotDone();
        clock.addAndGet(299_999);
        assertThat(ask(HERE, "alice", "secret")).isCompletedWithValue(Verdict.RIGHT);
        clock.addAndGet(1);
        assertThat(ask(HERE, "alice", "secret")).isNotDone();
    }

    @Test
    void aWrongPasswordIsNotRemembered() {
        assertThat(answer("alice", "wrong")).isEqualTo(Verdict.WRONG);
        assertThat(ask(HERE, "alice", "wrong")).isNotDone();
    }

    @Test
    void aChangeOfUsersForgetsWhatWasRemembered() {
        answer("alice", "secret");
        users.put(user("alice", hashes.make("other".getBytes(UTF_8))));

        assertThat(answer("alice", "secret")).isEqualTo(Verdict.WRONG);
        assertThat(answer("alice", "other")).isEqualTo(Verdict.RIGHT);
    }

    @Test
    void aChangeDuringTheWorkKeepsItFromBeingRemembered() {
        CompletableFuture<Verdict> asked = ask(HERE, "alice", "secret");
        users.remove("alice");
        pool.runAll();
        users.put(user("alice", hashes.make("other".getBytes(UTF_8))));

        assertThat(asked).isCompletedWithValue(Verdict.RIGHT);
        assertThat(answer("alice", "secret")).isEqualTo(Verdict.WRONG);
    }

    @Test
    void nothingIsRememberedWhereThatIsTurnedOff() {
        PasswordVerifier forgetful = new PasswordVerifier(hashes, users, pool, new SecureRandom(), 0, clock::get);
        byte[] password = "secret".getBytes(UTF_8);
        forgetful.verify(HERE, "alice", users.user("alice"), password, () -> true);
        pool.runAll();

        assertThat(forgetful
                        .verify(HERE, "alice", users.user("alice"), password, () -> true)
                        .toCompletableFuture())
                .isNotDone();
    }

    @Test
    void theSameQuestionIsWorkedOnOnceWhoeverAsks() {
        List<CompletableFuture<Verdict>> answers = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
            answers.add(ask(i % 2 == 0 ? HERE : THERE, "alice", "secret"));
        }

        assertThat(pool.runAll()).isEqualTo(1);
        assertThat(answers).allSatisfy(answer -> assertThat(answer).isCompletedWithValue(Verdict.RIGHT));
    }

    @Test
    void aRefusalTakesOneSlowCheckWhoeverIsAskedFor() {
        users.put(user("quick", hashes.makeSalted("rabbit_password_hashing_sha256", "secret".getBytes(UTF_8))));
        users.put(user("none"));

        for (String name : List.of("alice", "quick", "none", "nobody")) {
            long before = hashes.slowChecks();
            assertThat(answer(name, "wrong")).isEqualTo(Verdict.WRONG);
            assertThat(hashes.slowChecks() - before).as(name).isEqualTo(1);
        }
        long before = hashes.slowChecks();
        assertThat(answer("quick", "secret")).isEqualTo(Verdict.RIGHT);
        assertThat(hashes.slowChecks()).isEqualTo(before);
    }

    @Test
    void anyOneCredentialIsEnoughAndNoneIsNot() {
        users.put(user(
                "both",
                new Credential("of-a-later-version", Bytes.utf8("x")),
                hashes.make("one".getBytes(UTF_8)),
                hashes.makeSalted("rabbit_password_hashing_md5", "two".getBytes(UTF_8))));
        users.put(user("none"));

        assertThat(answer("both", "one")).isEqualTo(Verdict.RIGHT);
        assertThat(answer("both", "two")).isEqualTo(Verdict.RIGHT);
        assertThat(answer("both", "three")).isEqualTo(Verdict.WRONG);
        assertThat(answer("none", "")).isEqualTo(Verdict.WRONG);
        assertThat(answer("none", "x")).isEqualTo(Verdict.WRONG);
    }

    @Test
    void aFullPoolIsSaidAndLeavesNothingBehind() {
        pool.room(0);
        assertThat(ask(HERE, "alice", "secret")).isCompletedWithValue(Verdict.BUSY);

        pool.room(1);
        assertThat(answer("alice", "secret")).isEqualTo(Verdict.RIGHT);
    }

    @Test
    void oneAddressLeavesRoomForOthers() {
        for (int i = 0; i < PasswordVerifier.WAITING_PER_ADDRESS_MAX; i++) {
            assertThat(ask(HERE, "nobody" + i, "x")).isNotDone();
        }
        assertThat(ask(HERE, "nobody", "x")).isCompletedWithValue(Verdict.BUSY);
        assertThat(ask(THERE, "alice", "secret")).isNotDone();

        pool.runAll();
        assertThat(answer("alice", "secret")).isEqualTo(Verdict.RIGHT);
    }

    @Test
    void whoWaitedTooLongIsAnsweredWithoutWork() {
        CompletableFuture<Verdict> asked = ask(HERE, "alice", "secret");
        clock.addAndGet(PasswordVerifier.WAIT_MILLIS_MAX + 1);
        pool.runAll();

        assertThat(asked).isCompletedWithValue(Verdict.BUSY);
    }

    @Test
    void whatIsRememberedIsBounded() {
        Credential secret = hashes.makeSalted("rabbit_password_hashing_md5", "secret".getBytes(UTF_8));
        for (int i = 0; i <= PasswordVerifier.REMEMBERED_MAX; i++) {
            users.put(user("user" + i, secret));
        }
        for (int i = 0; i <= PasswordVerifier.REMEMBERED_MAX; i++) {
            answer("user" + i, "secret");
        }

        assertThat(ask(HERE, "user0", "secret")).isNotDone();
        assertThat(ask(HERE, "user" + PasswordVerifier.REMEMBERED_MAX, "secret"))
                .isCompletedWithValue(Verdict.RIGHT);
    }

    @Test
    void theRealPoolRefusesWhatIsTooMuch() {
        try (PasswordPool real = new PasswordPool(2)) {
            CompletableFuture<Void> stop = new CompletableFuture<>();
            int accepted = 0;
            try {
                while (accepted < 10_000) {
                    real.execute(stop::join);
                    accepted++;
                }
            } catch (java.util.concurrent.RejectedExecutionException full) {
                assertThat(accepted).isBetween(512, 513);
            }
            stop.complete(null);
            assertThat(accepted).isLessThan(10_000);
        }
    }
}
