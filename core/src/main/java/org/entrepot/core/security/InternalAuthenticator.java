package org.entrepot.core.security;

import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;
import org.entrepot.core.config.Printable;
import org.entrepot.core.security.PasswordVerifier.Verdict;
import org.entrepot.spi.BrokerException;
import org.entrepot.spi.ErrorKind;
import org.entrepot.spi.Settings;
import org.entrepot.spi.message.Bytes;
import org.entrepot.spi.protocol.ConnectionFacts;
import org.entrepot.spi.security.Authenticator;
import org.entrepot.spi.security.Login;
import org.entrepot.spi.security.Principal;
import org.jspecify.annotations.Nullable;

/**
 * Logs in the broker's own users: by password (PLAIN, SCRAM-SHA-256), by certificate (EXTERNAL) where the client
 * showed one, and without anything (ANONYMOUS) where the configuration names a user for it. Any loop calls it.
 *
 * <p>Whether a user may come from where it comes from is judged at each login, before its password is looked at.
 */
public final class InternalAuthenticator implements Authenticator {
    /** What {@code security.authenticators} calls it. */
    public static final String NAME = "internal";

    static final String PLAIN = "PLAIN";
    static final String EXTERNAL = "EXTERNAL";
    static final String ANONYMOUS = "ANONYMOUS";
    static final String SCRAM = "SCRAM-SHA-256";

    private static final String HAS_TO_WAIT = "has to wait after failed logins from this address";
    private static final int SHOWN_CHARS_MAX = 100;
    private static final int NONCE_BYTES = 18;

    private final UserDirectory directory;
    private final LoginRules rules;
    private final PasswordVerifier verifier;
    private final ScramVerifiers scramVerifiers;
    private final SecureRandom random;
    private final FailurePauses pauses;

    /**
     * @param settings has the keys {@code security.*}
     * @param pool does slow hashes
     * @param clockMillis a clock that never goes back
     */
    public InternalAuthenticator(
            Settings settings,
            UserDirectory directory,
            PasswordHashes hashes,
            Executor pool,
            SecureRandom random,
            LongSupplier clockMillis) {
        this(LoginRules.of(settings), directory, hashes, pool, random, clockMillis);
    }

    InternalAuthenticator(
            LoginRules rules,
            UserDirectory directory,
            PasswordHashes hashes,
            Executor pool,
            SecureRandom random,
            LongSupplier clockMillis) {
        this.directory = directory;
        this.rules = rules;
        this.verifier = new PasswordVerifier(
                hashes, directory, pool, random, rules.rememberFor().toMillis(), clockMillis);
        this.scramVerifiers = new ScramVerifiers(random, rules.scramIterations());
        this.random = random;
        this.pauses = new FailurePauses(rules.failuresFree(), rules.pauseMax().toMillis(), clockMillis);
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public List<String> mechanisms(ConnectionFacts facts) {
        List<String> mechanisms = new ArrayList<>(4);
        if (!facts.certificates().isEmpty()) {
            mechanisms.add(EXTERNAL);
        }
        mechanisms.add(PLAIN);
        if (rules.anonymousUser().isPresent()) {
            mechanisms.add(ANONYMOUS);
        }
        // Last, for clients that take the first one whether they know it or not.
        mechanisms.add(SCRAM);
        return mechanisms;
    }

    @Override
    public Login begin(String mechanism, ConnectionFacts facts) {
        if (!mechanisms(facts).contains(mechanism)) {
            throw BrokerException.connection(
                    ErrorKind.ACCESS_REFUSED,
                    "mechanism " + Printable.of(mechanism, SHOWN_CHARS_MAX) + " is not offered");
        }
        return switch (mechanism) {
            case PLAIN -> new PlainLogin(facts);
            case SCRAM -> new ScramLogin(facts);
            case EXTERNAL -> response -> CompletableFuture.completedFuture(external(facts, response));
            default -> response -> CompletableFuture.completedFuture(anonymous(facts));
        };
    }

    /** One login by PLAIN: a client that did not send its response along with the mechanism is asked for it once. */
    private final class PlainLogin implements Login {
        private final ConnectionFacts facts;
        private boolean asked;

        PlainLogin(ConnectionFacts facts) {
            this.facts = facts;
        }

        @Override
        public CompletionStage<Step> step(Bytes response) {
            if (response.length() == 0 && !asked) {
                asked = true;
                return CompletableFuture.completedFuture(new Login.Step.Challenge(Bytes.EMPTY));
            }
            return plain(facts, response);
        }
    }

    private CompletionStage<Login.Step> plain(ConnectionFacts facts, Bytes response) {
        Optional<PlainResponse> read = PlainResponse.read(response);
        if (read.isEmpty()) {
            return CompletableFuture.completedFuture(new Login.Step.Failure("a malformed response for PLAIN"));
        }
        String name = read.get().name();
        ClientAddress address = ClientAddress.of(facts);
        Optional<Login.Step> barred = barred(name, facts);
        if (barred.isPresent()) {
            return CompletableFuture.completedFuture(barred.get());
        }
        if (paused(address, name)) {
            return CompletableFuture.completedFuture(refused(name, HAS_TO_WAIT));
        }
        Optional<UserRecord> user = directory.user(name);
        // Asked again before the work, lest many guesses at once be all free.
        return verifier.verify(address, name, user, read.get().password(), () -> !paused(address, name))
                .thenApply(verdict -> judged(verdict, address, name, user, Bytes.EMPTY));
    }

    /** One login by SCRAM-SHA-256: it begins like PLAIN's, and has one message more in each direction. */
    private final class ScramLogin implements Login {
        private final ConnectionFacts facts;
        private final ClientAddress address;
        private boolean asked;
        private Optional<UserRecord> user = Optional.empty();
        private @Nullable ScramExchange exchange;

        ScramLogin(ConnectionFacts facts) {
            this.facts = facts;
            this.address = ClientAddress.of(facts);
        }

        @Override
        public CompletionStage<Step> step(Bytes response) {
            if (exchange != null) {
                return CompletableFuture.completedFuture(proved(exchange, response));
            }
            if (response.length() == 0 && !asked) {
                asked = true;
                return CompletableFuture.completedFuture(new Login.Step.Challenge(Bytes.EMPTY));
            }
            return CompletableFuture.completedFuture(ScramExchange.begin(response)
                    .map(this::challenged)
                    .orElseGet(InternalAuthenticator::malformedScram));
        }

        private Step challenged(ScramExchange begun) {
            String name = begun.name();
            Optional<Step> barred = barred(name, facts);
            if (barred.isPresent()) {
                return barred.get();
            }
            if (paused(address, name)) {
                return refused(name, HAS_TO_WAIT);
            }
            exchange = begun;
            user = directory.user(name);
            return new Step.Challenge(begun.challenge(scramVerifiers.of(name, user), nonce()));
        }

        private Step proved(ScramExchange begun, Bytes response) {
            String name = begun.name();
            // Asked again, lest many guesses that began at once be all free.
            if (paused(address, name)) {
                return refused(name, HAS_TO_WAIT);
            }
            return begun.proof(response)
                    .map(proof -> proof.lastWord(scramVerifiers.of(name, user))
                            .map(lastWord -> judged(Verdict.RIGHT, address, name, user, lastWord))
                            .orElseGet(() -> wrong(name)))
                    .orElseGet(InternalAuthenticator::malformedScram);
        }

        private Step wrong(String name) {
            if (user.filter(known -> !ScramVerifiers.has(known)).isPresent()) {
                pauses.failed(address, name);
                return refused(name, "has no verifier for " + SCRAM + ": its password was only given as a hash");
            }
            return judged(Verdict.WRONG, address, name, user, Bytes.EMPTY);
        }
    }

    private static Login.Step malformedScram() {
        return new Login.Step.Failure("a malformed message of " + SCRAM);
    }

    private String nonce() {
        byte[] bytes = new byte[NONCE_BYTES];
        random.nextBytes(bytes);
        return Base64.getEncoder().encodeToString(bytes);
    }

    private Login.Step judged(
            Verdict verdict, ClientAddress address, String name, Optional<UserRecord> asked, Bytes lastWord) {
        return switch (verdict) {
            case RIGHT -> {
                pauses.succeeded(address, name);
                // The user may have gone or got another password while the hash was worked on.
                yield directory
                        .user(name)
                        .filter(user -> asked.isPresent()
                                && user.credentials().equals(asked.get().credentials()))
                        .map(user -> success(user, lastWord))
                        .orElseGet(() -> refused(name, "was changed during its login"));
            }
            case WRONG -> {
                pauses.failed(address, name);
                yield refused(name, asked.isPresent() ? "gave a wrong password" : "is not known");
            }
            case BUSY -> refused(name, paused(address, name) ? HAS_TO_WAIT : "came while too many others logged in");
        };
    }

    private boolean paused(ClientAddress address, String name) {
        return pauses.remainingMillis(address, name) > 0;
    }

    private Login.Step external(ConnectionFacts facts, Bytes response) {
        Optional<String> name = rules.certificateName().of(facts.certificates().get(0));
        if (name.isEmpty()) {
            return new Login.Step.Failure(
                    "the certificate names no user: there is no " + rules.certificateName() + " in it");
        }
        if (response.length() > 0 && !response.equals(Bytes.utf8(name.get()))) {
            return refused(name.get(), "wants to act as somebody else");
        }
        return known(name.get(), facts);
    }

    private Login.Step anonymous(ConnectionFacts facts) {
        return rules.anonymousUser()
                .map(name -> known(name, facts))
                .orElseGet(() -> new Login.Step.Failure("nobody may log in by ANONYMOUS"));
    }

    private Login.Step known(String name, ConnectionFacts facts) {
        return barred(name, facts)
                .or(() -> directory.user(name).map(user -> success(user, Bytes.EMPTY)))
                .orElseGet(() -> refused(name, "is not known"));
    }

    private Optional<Login.Step> barred(String name, ConnectionFacts facts) {
        return rules.loopbackUsers().contains(name) && !facts.loopback()
                ? Optional.of(refused(name, "may log in from this machine only (security.loopback-users)"))
                : Optional.empty();
    }

    private static Login.Step success(UserRecord user, Bytes lastWord) {
        return new Login.Step.Success(new Principal(user.name(), user.tags(), NAME, Optional.empty()), lastWord);
    }

    private static Login.Step refused(String name, String why) {
        return new Login.Step.Failure("user '" + Printable.of(name, SHOWN_CHARS_MAX) + "' " + why);
    }
}
