package org.entrepot.core.security;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.entrepot.spi.message.Bytes;
import org.entrepot.spi.protocol.ConnectionFacts;
import org.entrepot.spi.security.Login;
import org.entrepot.spi.security.Login.Step;
import org.junit.jupiter.api.Test;

/** Logins by SCRAM-SHA-256, through the chain of authenticators as clients reach it. */
class ScramLoginTest {
    private static final ConnectionFacts LOOPBACK = Peers.at("127.0.0.1");
    private static final ConnectionFacts REMOTE = Peers.at("192.0.2.1");
    private static final ConnectionFacts ELSEWHERE = Peers.at("192.0.2.2");

    private final AtomicLong clock = new AtomicLong(1_000_000);
    private final Tasks pool = new Tasks();
    private final PasswordHashes hashes = new PasswordHashes(new SecureRandom(), 10);
    private final Users users = new Users()
            .put(DefaultUser.guest(hashes).user())
            .put(user("alice", hashes.credentials("secret".getBytes(UTF_8))))
            .put(user("hashed", List.of(hashes.make("secret".getBytes(UTF_8)))));
    private final AuthenticatorChain chain = chain(new SecureRandom());

    private AuthenticatorChain chain(SecureRandom random) {
        LoginRules rules = new LoginRules(
                Optional.empty(),
                Set.of("guest"),
                CertificateName.DN,
                Duration.ofMinutes(5),
                3,
                Duration.ofSeconds(10),
                4096);
        return new AuthenticatorChain(
                List.of(new InternalAuthenticator(rules, users, hashes, pool, random, clock::get)),
                new RefusalLog((work, delayMillis) -> {}));
    }

    private static UserRecord user(String name, List<Credential> credentials) {
        return new UserRecord(name, credentials, Set.of());
    }

    private Login begin(ConnectionFacts facts) {
        return chain.begin("SCRAM-SHA-256", facts, pool);
    }

    private static Step step(Login login, Bytes response) {
        CompletableFuture<Step> step = login.step(response).toCompletableFuture();
        assertThat(step).as("without a slow hash").isDone();
        return step.join();
    }

    private static Bytes challenge(Step step) {
        assertThat(step).isInstanceOf(Step.Challenge.class);
        return ((Step.Challenge) step).bytes();
    }

    private Step login(ConnectionFacts facts, String user, String password) {
        ScramClient client = new ScramClient(user, password);
        Login login = begin(facts);
        Step first = step(login, client.first());
        return first instanceof Step.Challenge asked ? step(login, client.proof(asked.bytes())) : first;
    }

    private static void assertSuccess(Step step, String user) {
        assertThat(step)
                .isInstanceOfSatisfying(
                        Step.Success.class,
                        success -> assertThat(success.principal().name()).isEqualTo(user));
    }

    private static void assertFailure(Step step, String reason) {
        assertThat(step).isEqualTo(new Step.Failure(reason));
    }

    @Test
    void aUserLogsInAndHearsThatTheServerKnowsItsVerifier() {
        ScramClient client = new ScramClient("alice", "secret");
        Login login = begin(REMOTE);

        Step last = step(login, client.proof(challenge(step(login, client.first()))));

        assertSuccess(last, "alice");
        client.assertLastWord(((Step.Success) last).bytes());
        assertThat(pool.size()).isZero();
    }

    @Test
    void aClientThatWaitsIsAskedToBeginOnce() {
        Login login = begin(REMOTE);
        assertThat(challenge(step(login, Bytes.EMPTY))).isEqualTo(Bytes.EMPTY);
        ScramClient client = new ScramClient("alice", "secret");

        assertSuccess(step(login, client.proof(challenge(step(login, client.first())))), "alice");
        Login stubborn = begin(REMOTE);
        step(stubborn, Bytes.EMPTY);
        assertFailure(step(stubborn, Bytes.EMPTY), "a malformed message of SCRAM-SHA-256");
    }

    @Test
    void whoDoesNotKnowThePasswordIsRefused() {
        assertFailure(login(REMOTE, "alice", "Secret"), "user 'alice' gave a wrong password");
        assertFailure(login(REMOTE, "bob", "secret"), "user 'bob' is not known");
        assertFailure(
                login(REMOTE, "hashed", "secret"),
                "user 'hashed' has no verifier for SCRAM-SHA-256: its password was only given as a hash");
    }

    @Test
    void aStolenVerifierIsNoPassword() {
        for (Credential credential : users.user("alice").orElseThrow().credentials()) {
            assertThat(login(ELSEWHERE, "alice", credential.verifier().toUtf8()))
                    .isInstanceOf(Step.Failure.class);
        }
    }

    @Test
    void theChallengeDoesNotTellWhoIsAUser() {
        for (String name : List.of("alice", "hashed", "nobody", "somebody")) {
            String first = saltOf(name);
            assertThat(saltOf(name)).as("asked again").isEqualTo(first);
            assertThat(first).hasSize(saltOf("alice").length());
        }
        assertThat(new HashSet<>(List.of(saltOf("alice"), saltOf("hashed"), saltOf("nobody"), saltOf("somebody"))))
                .hasSize(4);
    }

    private String saltOf(String name) {
        String challenge = challenge(step(begin(REMOTE), new ScramClient(name, "x").first()))
                .toUtf8();
        assertThat(ScramClient.attribute(challenge, 2, "i=")).isEqualTo("4096");
        return ScramClient.attribute(challenge, 1, "s=");
    }

    @Test
    void noTwoLoginsHaveTheSameNonce() {
        Set<String> nonces = new HashSet<>();
        for (int i = 0; i < 100; i++) {
            nonces.add(challenge(step(begin(REMOTE), new ScramClient("alice", "x").first()))
                    .toUtf8()
                    .split(",", 2)[0]);
        }

        assertThat(nonces).hasSize(100);
    }

    @Test
    void aProofIsGoodForOneLogin() {
        ScramClient client = new ScramClient("alice", "secret");
        Login login = begin(REMOTE);
        Bytes proof = client.proof(challenge(step(login, client.first())));
        assertSuccess(step(login, proof), "alice");
        Login replayed = begin(REMOTE);
        step(replayed, client.first());

        assertFailure(step(replayed, proof), "a malformed message of SCRAM-SHA-256");
    }

    @Test
    void aLoopbackUserLogsInFromThisMachineOnly() {
        assertSuccess(login(LOOPBACK, "guest", "guest"), "guest");
        assertFailure(
                login(REMOTE, "guest", "guest"),
                "user 'guest' may log in from this machine only (security.loopback-users)");
    }

    @Test
    void failuresMakeWaitForEitherMechanism() {
        String waits = "user 'alice' has to wait after failed logins from this address";
        for (int i = 0; i < 3; i++) {
            assertFailure(login(REMOTE, "alice", "x" + i), "user 'alice' gave a wrong password");
        }

        assertFailure(login(REMOTE, "alice", "secret"), waits);
        assertFailure(step(chain.begin("PLAIN", REMOTE, pool), Bytes.utf8("\0alice\0secret")), waits);
        assertSuccess(login(ELSEWHERE, "alice", "secret"), "alice");
        clock.addAndGet(1000);
        assertSuccess(login(REMOTE, "alice", "secret"), "alice");
    }

    @Test
    void guessesThatBeganTogetherAreNotAllFree() {
        List<Login> logins = new ArrayList<>();
        List<Bytes> proofs = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            ScramClient client = new ScramClient("alice", "guess" + i);
            Login login = begin(REMOTE);
            logins.add(login);
            proofs.add(client.proof(challenge(step(login, client.first()))));
        }
        List<Step> answers = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            answers.add(step(logins.get(i), proofs.get(i)));
        }

        assertThat(answers)
                .filteredOn(answer -> answer.equals(new Step.Failure("user 'alice' gave a wrong password")))
                .hasSize(3);
    }

    @Test
    void aUserThatChangesDuringItsLoginIsRefused() {
        ScramClient client = new ScramClient("alice", "secret");
        Login login = begin(REMOTE);
        Bytes proof = client.proof(challenge(step(login, client.first())));
        users.put(user("alice", hashes.credentials("other".getBytes(UTF_8))));

        assertFailure(step(login, proof), "user 'alice' was changed during its login");
    }

    @Test
    void aDamagedVerifierIsNobodys() {
        users.put(user("damaged", List.of(new Credential(PasswordHashes.SCRAM_KIND, Bytes.utf8("SCRAM-SHA-256$")))));

        assertFailure(login(REMOTE, "damaged", "secret"), "user 'damaged' gave a wrong password");
    }
}
