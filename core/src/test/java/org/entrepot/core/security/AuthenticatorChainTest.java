package org.entrepot.core.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.entrepot.spi.BrokerException;
import org.entrepot.spi.ErrorKind;
import org.entrepot.spi.message.Bytes;
import org.entrepot.spi.protocol.ConnectionFacts;
import org.entrepot.spi.security.Authenticator;
import org.entrepot.spi.security.Login;
import org.entrepot.spi.security.Login.Step;
import org.entrepot.spi.security.Principal;
import org.junit.jupiter.api.Test;

class AuthenticatorChainTest {
    private static final ConnectionFacts FACTS = Peers.at("192.0.2.1");

    private final Tasks loop = new Tasks();
    private final RefusalLog refusals = new RefusalLog((work, delayMillis) -> {});

    /** An authenticator that answers by a function of the response, and keeps what it was asked. */
    private static final class Scripted implements Authenticator {
        final String name;
        final List<String> mechanisms;
        final Function<String, CompletionStage<Step>> answers;
        final List<String> asked = new ArrayList<>();

        Scripted(String name, List<String> mechanisms, Function<String, CompletionStage<Step>> answers) {
            this.name = name;
            this.mechanisms = mechanisms;
            this.answers = answers;
        }

        static Scripted saying(String name, Step step) {
            return new Scripted(name, List.of("PLAIN"), response -> CompletableFuture.completedFuture(step));
        }

        @Override
        public String name() {
            return name;
        }

        @Override
        public List<String> mechanisms(ConnectionFacts facts) {
            return mechanisms;
        }

        @Override
        public Login begin(String mechanism, ConnectionFacts facts) {
            return response -> {
                asked.add(response.toUtf8());
                return answers.apply(response.toUtf8());
            };
        }
    }

    private static Step success(String authenticator) {
        return new Step.Success(new Principal("alice", Set.of(), authenticator, Optional.empty()), Bytes.EMPTY);
    }

    private AuthenticatorChain chain(Authenticator... authenticators) {
        return new AuthenticatorChain(List.of(authenticators), refusals);
    }

    private CompletableFuture<Step> login(AuthenticatorChain chain, String response) {
        return chain.begin("PLAIN", FACTS, loop).step(Bytes.utf8(response)).toCompletableFuture();
    }

    @Test
    void theFirstToVouchDecidesAndLaterOnesAreNotAsked() {
        Scripted first = Scripted.saying("first", new Step.Failure("no"));
        Scripted second = Scripted.saying("second", success("second"));
        Scripted third = Scripted.saying("third", success("third"));

        assertThat(login(chain(first, second, third), "x")).isCompletedWithValue(success("second"));
        assertThat(first.asked).containsExactly("x");
        assertThat(third.asked).isEmpty();
    }

    @Test
    void whoEverybodyRefusesIsRefusedAndLogged() {
        try (LogLines log = new LogLines(RefusalLog.class)) {
            AuthenticatorChain chain = chain(
                    Scripted.saying("first", new Step.Failure("one")),
                    Scripted.saying("second", new Step.Failure("two\nlines")));

            assertThat(login(chain, "\0alice\0canary")).isCompletedWithValue(new Step.Failure("one; two\nlines"));
            login(chain, "\0alice\0canary");
            assertThat(log.lines())
                    .containsExactly("Refused a login from 192.0.2.1 (PLAIN on amqp): one; two\\u000alines");
        }
    }

    @Test
    void mechanismsAreThoseOfAllInOrder() {
        AuthenticatorChain chain = chain(
                new Scripted("first", List.of("EXTERNAL", "PLAIN"), response -> new CompletableFuture<>()),
                new Scripted("second", List.of("OAUTHBEARER", "PLAIN"), response -> new CompletableFuture<>()));

        assertThat(chain.mechanisms(FACTS)).containsExactly("EXTERNAL", "PLAIN", "OAUTHBEARER");
    }

    @Test
    void aMechanismThatNobodyHasIsRefused() {
        assertThatThrownBy(
                        () -> chain(Scripted.saying("first", success("first"))).begin("X\n", FACTS, loop))
                .isInstanceOfSatisfying(BrokerException.class, refusal -> {
                    assertThat(refusal.kind()).isEqualTo(ErrorKind.ACCESS_REFUSED);
                    assertThat(refusal.text()).isEqualTo("mechanism X\\u000a is not offered");
                });
    }

    @Test
    void stagesThatCompleteElsewhereCompleteOnTheLoop() {
        CompletableFuture<Step> slow = new CompletableFuture<>();
        CompletableFuture<Step> step = login(chain(new Scripted("slow", List.of("PLAIN"), response -> slow)), "x");
        slow.complete(success("slow"));
        assertThat(step).isNotDone();

        loop.runAll();
        assertThat(step).isCompletedWithValue(success("slow"));
    }

    @Test
    void afterChallengesTheNextOneIsToldWhatTheClientSaid() {
        Function<String, CompletionStage<Step>> asks = response -> CompletableFuture.completedFuture(
                response.isEmpty() ? new Step.Challenge(Bytes.utf8("who?")) : new Step.Failure("no"));
        Function<String, CompletionStage<Step>> agrees = response -> CompletableFuture.completedFuture(
                response.isEmpty() ? new Step.Challenge(Bytes.utf8("who?")) : success("second"));
        Scripted second = new Scripted("second", List.of("PLAIN"), agrees);
        Login login =
                chain(new Scripted("first", List.of("PLAIN"), asks), second).begin("PLAIN", FACTS, loop);

        assertThat(login.step(Bytes.EMPTY).toCompletableFuture())
                .isCompletedWithValue(new Step.Challenge(Bytes.utf8("who?")));
        assertThat(second.asked).isEmpty();
        assertThat(login.step(Bytes.utf8("me")).toCompletableFuture()).isCompletedWithValue(success("second"));
        assertThat(second.asked).containsExactly("", "me");
    }

    @Test
    void oneThatAsksOtherQuestionsIsPassedOver() {
        Function<String, CompletionStage<Step>> asks = response -> CompletableFuture.completedFuture(
                response.isEmpty() ? new Step.Challenge(Bytes.utf8("who?")) : new Step.Failure("no"));
        Function<String, CompletionStage<Step>> asksOtherwise =
                response -> CompletableFuture.completedFuture(new Step.Challenge(Bytes.utf8("nonce 7")));
        Login login = chain(
                        new Scripted("first", List.of("PLAIN"), asks),
                        new Scripted("second", List.of("PLAIN"), asksOtherwise),
                        Scripted.saying("third", success("third")))
                .begin("PLAIN", FACTS, loop);
        login.step(Bytes.EMPTY);

        assertThat(login.step(Bytes.utf8("me")).toCompletableFuture()).isCompletedWithValue(success("third"));
    }

    @Test
    void oneThatFailsIsPassedOverAndToldOf() {
        try (LogLines log = new LogLines(RefusalLog.class)) {
            Scripted throwing = new Scripted("throwing", List.of("PLAIN"), response -> {
                throw new IllegalStateException("broken");
            });
            Scripted failing = new Scripted(
                    "failing",
                    List.of("PLAIN"),
                    response -> CompletableFuture.failedFuture(new IllegalStateException("broken")));

            assertThat(login(chain(throwing, failing, Scripted.saying("third", success("third"))), "x"))
                    .isCompletedWithValue(success("third"));
            assertThat(login(chain(throwing), "x"))
                    .isCompletedWithValue(new Step.Failure("the authenticator throwing failed"));
            assertThat(log.lines())
                    .anyMatch(line -> line.contains("authenticator throwing failed"))
                    .anyMatch(line -> line.contains("authenticator failing failed"));
        }
    }

    @Test
    void endlessQuestionsEnd() {
        Login login = chain(new Scripted(
                        "asking",
                        List.of("PLAIN"),
                        response -> CompletableFuture.completedFuture(new Step.Challenge(Bytes.EMPTY))))
                .begin("PLAIN", FACTS, loop);
        for (int i = 0; i < 16; i++) {
            assertThat(login.step(Bytes.EMPTY).toCompletableFuture().join()).isInstanceOf(Step.Challenge.class);
        }

        assertThat(login.step(Bytes.EMPTY).toCompletableFuture().join())
                .isEqualTo(new Step.Failure("more than 16 steps"));
        assertThatThrownBy(() -> login.step(Bytes.EMPTY)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void aPrincipalThatNeverExpiresRenewsWithAnySecret() {
        Principal alice = new Principal("alice", Set.of(), "internal", Optional.empty());

        assertThat(chain(Scripted.saying("internal", new Step.Failure("no")))
                        .renew(alice, new byte[] {'x'}, FACTS, loop)
                        .toCompletableFuture())
                .isCompletedWithValue(alice);
    }

    @Test
    void anExpiringPrincipalRenewsAtItsOwnAuthenticator() {
        Principal old = new Principal("alice", Set.of(), "oauth", Optional.of(Instant.EPOCH));
        Principal fresh = new Principal("alice", Set.of("x"), "oauth", Optional.of(Instant.MAX));
        Scripted other = Scripted.saying("internal", success("internal"));
        Scripted oauth = Scripted.saying("oauth", new Step.Success(fresh, Bytes.EMPTY));

        assertThat(chain(other, oauth).renew(old, new byte[] {'t'}, FACTS, loop).toCompletableFuture())
                .isCompletedWithValue(fresh);
        assertThat(oauth.asked).containsExactly("\0alice\0t");
        assertThat(other.asked).isEmpty();
    }

    @Test
    void aSecretOfAnotherUserOrARefusedOneDoesNotRenew() {
        Principal old = new Principal("bob", Set.of(), "oauth", Optional.of(Instant.EPOCH));

        for (Step step : List.of(success("oauth"), new Step.Failure("no"))) {
            assertThat(chain(Scripted.saying("oauth", step)).renew(old, new byte[] {'t'}, FACTS, loop))
                    .failsWithin(java.time.Duration.ZERO)
                    .withThrowableThat()
                    .havingCause()
                    .isInstanceOfSatisfying(
                            BrokerException.class,
                            refusal -> assertThat(refusal.kind()).isEqualTo(ErrorKind.NOT_ALLOWED))
                    .withMessage("New secret was refused by one of the backends");
        }
        assertThat(chain(Scripted.saying("internal", success("internal")))
                        .renew(old, new byte[] {'t'}, FACTS, loop)
                        .toCompletableFuture())
                .isCompletedExceptionally();
    }

    @Test
    void theConfigurationChoosesByName() {
        Scripted first = Scripted.saying("first", success("first"));
        Scripted second = Scripted.saying("second", success("second"));

        assertThat(AuthenticatorChain.chosen(List.of("second", "first"), List.of(first, second)))
                .containsExactly(second, first);
        assertThatThrownBy(() -> AuthenticatorChain.chosen(List.of("third"), List.of(first, second)))
                .hasMessage("security.authenticators names 'third'; allowed: first, second");
        assertThatThrownBy(() -> AuthenticatorChain.chosen(List.of(), List.of(first)))
                .hasMessage("security.authenticators is empty; allowed: first");
    }
}
