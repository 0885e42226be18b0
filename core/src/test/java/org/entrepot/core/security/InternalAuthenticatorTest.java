package org.entrepot.core.security;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.entrepot.core.config.ConfigurationException;
import org.entrepot.core.config.ConfigurationLoader;
import org.entrepot.core.config.ConfigurationSources;
import org.entrepot.core.config.CoreKeys;
import org.entrepot.spi.BrokerException;
import org.entrepot.spi.ErrorKind;
import org.entrepot.spi.message.Bytes;
import org.entrepot.spi.protocol.ConnectionFacts;
import org.entrepot.spi.security.Login;
import org.entrepot.spi.security.Login.Step;
import org.entrepot.spi.security.Principal;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class InternalAuthenticatorTest {
    private static final ConnectionFacts LOOPBACK = Peers.at("127.0.0.1");
    private static final ConnectionFacts REMOTE = Peers.at("192.0.2.1");
    private static final ConnectionFacts ELSEWHERE = Peers.at("192.0.2.2");
    private static final ConnectionFacts WITH_CERTIFICATE =
            Peers.behind("192.0.2.1", "192.0.2.1", Certificates.client());

    private final AtomicLong clock = new AtomicLong(1_000_000);
    private final Tasks pool = new Tasks();
    private final PasswordHashes hashes = new PasswordHashes(new SecureRandom(), 10);
    private final Users users = new Users()
            .put(DefaultUser.guest(hashes).user())
            .put(new UserRecord("alice", List.of(hashes.make("secret".getBytes(UTF_8))), Set.of("monitoring")))
            .put(new UserRecord("client one", List.of(), Set.of()));

    private InternalAuthenticator configured(String... lines) {
        try {
            return new InternalAuthenticator(
                    new ConfigurationLoader(
                                    ConfigurationSources.none(Path.of("/")).withLines("test.conf", List.of(lines)))
                            .load(CoreKeys.groups()),
                    users,
                    hashes,
                    pool,
                    new SecureRandom(),
                    clock::get);
        } catch (ConfigurationException impossible) {
            throw new AssertionError(impossible);
        }
    }

    private Step step(Login login, String response) {
        CompletableFuture<Step> step = login.step(Bytes.utf8(response)).toCompletableFuture();
        pool.runAll();
        assertThat(step).isDone();
        return step.join();
    }

    private Step plain(InternalAuthenticator authenticator, ConnectionFacts facts, String user, String password) {
        return step(authenticator.begin("PLAIN", facts), "\0" + user + "\0" + password);
    }

    private static void assertSuccess(Step step, String user) {
        assertThat(step).isInstanceOfSatisfying(Step.Success.class, success -> {
            assertThat(success.principal().name()).isEqualTo(user);
            assertThat(success.principal().authenticator()).isEqualTo("internal");
            assertThat(success.bytes()).isEqualTo(Bytes.EMPTY);
        });
    }

    private static void assertFailure(Step step, String reason) {
        assertThat(step)
                .isInstanceOfSatisfying(
                        Step.Failure.class,
                        failure -> assertThat(failure.reason()).isEqualTo(reason));
    }

    @Test
    void aUserLogsInByPassword() {
        Step step = plain(configured(), REMOTE, "alice", "secret");

        assertThat(step)
                .isEqualTo(new Step.Success(
                        new Principal("alice", Set.of("monitoring"), "internal", Optional.empty()), Bytes.EMPTY));
    }

    @Test
    void aWrongPasswordAndAnUnknownUserAreRefused() {
        assertFailure(plain(configured(), REMOTE, "alice", "Secret"), "user 'alice' gave a wrong password");
        assertFailure(plain(configured(), REMOTE, "alice", ""), "user 'alice' gave a wrong password");
        assertFailure(plain(configured(), REMOTE, "bob", "secret"), "user 'bob' is not known");
        assertFailure(plain(configured(), REMOTE, "client one", ""), "user 'client one' gave a wrong password");
    }

    @Test
    void aUserMayOnlyActAsItself() {
        InternalAuthenticator authenticator = configured();

        assertSuccess(step(authenticator.begin("PLAIN", REMOTE), "alice\0alice\0secret"), "alice");
        assertFailure(
                step(authenticator.begin("PLAIN", REMOTE), "guest\0alice\0secret"), "a malformed response for PLAIN");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"alice", "\0alice", "\0\0secret", "\0alice\0sec\0ret", "\0alice\0secret\0", "alice\0secret"})
    void aMalformedResponseIsRefused(String response) {
        assertFailure(step(configured().begin("PLAIN", REMOTE), response), "a malformed response for PLAIN");
    }

    @Test
    void aNameThatIsNoTextOrTooLongIsRefused() {
        Login login = configured().begin("PLAIN", REMOTE);
        Bytes noText = Bytes.wrap(new byte[] {0, (byte) 0xff, 0, 'x'});

        assertFailure(login.step(noText).toCompletableFuture().join(), "a malformed response for PLAIN");
        assertFailure(plain(configured(), REMOTE, "x".repeat(1025), "p"), "a malformed response for PLAIN");
    }

    @Test
    void aClientThatSentNoResponseIsAskedForItOnce() {
        Login login = configured().begin("PLAIN", REMOTE);

        assertThat(step(login, "")).isEqualTo(new Step.Challenge(Bytes.EMPTY));
        assertSuccess(step(login, "\0alice\0secret"), "alice");

        Login stubborn = configured().begin("PLAIN", REMOTE);
        step(stubborn, "");
        assertFailure(step(stubborn, ""), "a malformed response for PLAIN");
    }

    @Test
    void aLoopbackUserLogsInFromThisMachineOnlyWhateverAProxyAnnounces() {
        InternalAuthenticator authenticator = configured();
        String reason = "user 'guest' may log in from this machine only (security.loopback-users)";

        assertSuccess(plain(authenticator, LOOPBACK, "guest", "guest"), "guest");
        assertSuccess(plain(authenticator, Peers.at("::1"), "guest", "guest"), "guest");
        assertFailure(plain(authenticator, REMOTE, "guest", "guest"), reason);
        assertFailure(plain(authenticator, Peers.behind("127.0.0.1", "192.0.2.1"), "guest", "guest"), reason);
        assertFailure(plain(authenticator, Peers.behind("192.0.2.1", "127.0.0.1"), "guest", "guest"), reason);
        assertSuccess(plain(configured("security.loopback-users ="), REMOTE, "guest", "guest"), "guest");
        assertFailure(
                plain(configured("security.loopback-users = guest, alice"), REMOTE, "alice", "secret"),
                "user 'alice' may log in from this machine only (security.loopback-users)");
    }

    @Test
    void mechanismsDependOnTheConnectionAndTheConfiguration() {
        assertThat(configured().mechanisms(REMOTE)).containsExactly("PLAIN", "SCRAM-SHA-256");
        assertThat(configured().mechanisms(WITH_CERTIFICATE)).containsExactly("EXTERNAL", "PLAIN", "SCRAM-SHA-256");
        assertThat(configured("security.anonymous-user = alice").mechanisms(REMOTE))
                .containsExactly("PLAIN", "ANONYMOUS", "SCRAM-SHA-256");
    }

    @ParameterizedTest
    @ValueSource(strings = {"EXTERNAL", "ANONYMOUS", "plain", "SCRAM-SHA-256-PLUS", ""})
    void aMechanismThatIsNotOfferedIsRefused(String mechanism) {
        assertThatThrownBy(() -> configured().begin(mechanism, REMOTE))
                .isInstanceOfSatisfying(
                        BrokerException.class,
                        refusal -> assertThat(refusal.kind()).isEqualTo(ErrorKind.ACCESS_REFUSED));
    }

    @Test
    void aCertificateNamesItsUserAsConfigured() {
        InternalAuthenticator byCommonName = configured("security.certificate-name = cn");

        assertSuccess(step(byCommonName.begin("EXTERNAL", WITH_CERTIFICATE), ""), "client one");
        assertSuccess(step(byCommonName.begin("EXTERNAL", WITH_CERTIFICATE), "client one"), "client one");
        assertFailure(
                step(byCommonName.begin("EXTERNAL", WITH_CERTIFICATE), "alice"),
                "user 'client one' wants to act as somebody else");
        assertFailure(
                step(configured().begin("EXTERNAL", WITH_CERTIFICATE), ""),
                "user 'emailAddress=ops@example.org,CN=client one,OU=Ops\\, West,O=Example' is not known");
        assertFailure(
                step(configured("security.certificate-name = san").begin("EXTERNAL", WITH_CERTIFICATE), ""),
                "user 'one.example.org' is not known");
        assertFailure(
                step(
                        configured("security.certificate-name = cn")
                                .begin("EXTERNAL", Peers.behind("192.0.2.1", "192.0.2.1", Certificates.withoutNames())),
                        ""),
                "the certificate names no user: there is no CN in it");
    }

    @Test
    void loopbackUsersAreBoundToThisMachineByCertificateAndAnonymouslyToo() {
        InternalAuthenticator authenticator = configured(
                "security.certificate-name = cn",
                "security.loopback-users = guest, client one",
                "security.anonymous-user = guest");

        assertThat(step(authenticator.begin("EXTERNAL", WITH_CERTIFICATE), "")).isInstanceOf(Step.Failure.class);
        assertThat(step(authenticator.begin("ANONYMOUS", REMOTE), "")).isInstanceOf(Step.Failure.class);
        assertSuccess(step(authenticator.begin("ANONYMOUS", LOOPBACK), "trace"), "guest");
    }

    @Test
    void theAnonymousUserMustExist() {
        assertFailure(
                step(configured("security.anonymous-user = nobody").begin("ANONYMOUS", REMOTE), ""),
                "user 'nobody' is not known");
    }

    @Test
    void repeatedFailuresMakeThatUserWaitAtThatAddressOnly() {
        InternalAuthenticator authenticator = configured("security.failures-free = 3");
        String waits = "user 'alice' has to wait after failed logins from this address";
        for (int i = 0; i < 3; i++) {
            assertFailure(plain(authenticator, REMOTE, "alice", "x" + i), "user 'alice' gave a wrong password");
        }

        assertFailure(plain(authenticator, REMOTE, "alice", "x"), waits);
        assertFailure(plain(authenticator, REMOTE, "alice", "secret"), waits);
        assertSuccess(plain(authenticator, ELSEWHERE, "alice", "secret"), "alice");
        clock.addAndGet(1000);
        assertSuccess(plain(authenticator, REMOTE, "alice", "secret"), "alice");
        assertFailure(plain(authenticator, REMOTE, "alice", "x"), "user 'alice' gave a wrong password");
        assertSuccess(plain(authenticator, REMOTE, "alice", "secret"), "alice");
    }

    @Test
    void namesThatAreNobodysMakeWaitAsWell() {
        InternalAuthenticator authenticator = configured("security.failures-free = 1");
        plain(authenticator, REMOTE, "nobody", "x");

        assertFailure(
                plain(authenticator, REMOTE, "nobody", "y"),
                "user 'nobody' has to wait after failed logins from this address");
    }

    @Test
    void guessesThatComeAtOnceAreNotAllFree() {
        InternalAuthenticator authenticator = configured("security.failures-free = 3");
        List<CompletableFuture<Step>> guesses = java.util.stream.IntStream.range(0, 50)
                .mapToObj(i -> authenticator
                        .begin("PLAIN", REMOTE)
                        .step(Bytes.utf8("\0alice\0guess" + i))
                        .toCompletableFuture())
                .toList();
        pool.runAll();

        assertThat(guesses)
                .filteredOn(guess -> guess.join().equals(new Step.Failure("user 'alice' gave a wrong password")))
                .hasSize(3);
        assertThat(guesses).allSatisfy(guess -> assertThat(guess).isCompleted());
    }

    @Test
    void aUserThatChangesDuringItsLoginIsRefused() {
        InternalAuthenticator authenticator = configured();
        CompletableFuture<Step> gone = authenticator
                .begin("PLAIN", REMOTE)
                .step(Bytes.utf8("\0alice\0secret"))
                .toCompletableFuture();
        users.remove("alice");
        pool.runAll();

        assertFailure(gone.join(), "user 'alice' was changed during its login");
    }

    @Test
    void tooManyLoginsAtOnceAreRefusedNotQueuedWithoutBound() {
        pool.room(0);

        assertFailure(
                plain(configured(), REMOTE, "alice", "secret"), "user 'alice' came while too many others logged in");
    }

    @Test
    void hostileNamesAreHarmlessInReasons() {
        assertFailure(
                plain(configured(), REMOTE, "a\r\n2026 INFO forged\u001b[2J", "x"),
                "user 'a\\u000d\\u000a2026 INFO forged\\u001b[2J' is not known");
    }

    @Test
    void noReasonHoldsAPassword() {
        for (String name : List.of("alice", "bob", "guest")) {
            Step step = plain(configured(), REMOTE, name, "canary-7c1");
            assertThat(step.toString()).doesNotContain("canary");
        }
        assertThat(step(configured().begin("PLAIN", REMOTE), "canary-7c1").toString())
                .doesNotContain("canary");
    }
}
