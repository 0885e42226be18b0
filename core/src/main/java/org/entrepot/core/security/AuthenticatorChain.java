package org.entrepot.core.security;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.entrepot.core.config.Printable;
import org.entrepot.spi.BrokerException;
import org.entrepot.spi.ErrorKind;
import org.entrepot.spi.message.Bytes;
import org.entrepot.spi.protocol.ConnectionFacts;
import org.entrepot.spi.security.Authenticator;
import org.entrepot.spi.security.Login;
import org.entrepot.spi.security.Principal;

/**
 * The configured authenticators: the first that vouches for a client decides, and a client is refused when all of them
 * refuse it. Immutable; any loop calls it. Refusals go to the log.
 */
public final class AuthenticatorChain {
    private final List<Authenticator> authenticators;
    private final RefusalLog refusals;

    /** A chain that asks {@code authenticators} in this order. */
    public AuthenticatorChain(List<Authenticator> authenticators, RefusalLog refusals) {
        this.authenticators = List.copyOf(authenticators);
        this.refusals = refusals;
    }

    /**
     * Those of {@code available} that the configuration names, in its order.
     *
     * @throws IllegalArgumentException where it names none, or one that is not there
     */
    public static List<Authenticator> chosen(List<String> names, List<Authenticator> available) {
        return Chosen.of("security.authenticators", names, available, Authenticator::name);
    }

    /** Mechanisms that a connection may log in by, in order of preference. */
    public List<String> mechanisms(ConnectionFacts facts) {
        List<String> mechanisms = new ArrayList<>(4);
        for (Authenticator authenticator : authenticators) {
            for (String mechanism : authenticator.mechanisms(facts)) {
                if (!mechanisms.contains(mechanism)) {
                    mechanisms.add(mechanism);
                }
            }
        }
        return List.copyOf(mechanisms);
    }

    /**
     * Begins a login.
     *
     * @param executor the connection's loop, which the login is made on: stages complete there
     * @throws BrokerException ACCESS_REFUSED where no authenticator has the mechanism for such a connection
     */
    public Login begin(String mechanism, ConnectionFacts facts, Executor executor) {
        List<Authenticator> able = new ArrayList<>();
        for (Authenticator authenticator : authenticators) {
            if (authenticator.mechanisms(facts).contains(mechanism)) {
                able.add(authenticator);
            }
        }
        if (able.isEmpty()) {
            throw BrokerException.connection(
                    ErrorKind.ACCESS_REFUSED, "mechanism " + Printable.of(mechanism, 60) + " is not offered");
        }
        return new ChainLogin(able, mechanism, facts, executor, refusals);
    }

    /**
     * Checks a new secret of a principal. One that never expires needs none: then any is as good as another, as with
     * RabbitMQ's own users.
     *
     * @return on the executor; fails with NOT_ALLOWED where the secret is not good
     */
    public CompletionStage<Principal> renew(
            Principal principal, byte[] secret, ConnectionFacts facts, Executor executor) {
        if (principal.expiresAt().isEmpty()) {
            return CompletableFuture.completedFuture(principal);
        }
        List<Authenticator> own = authenticators.stream()
                .filter(authenticator -> authenticator.name().equals(principal.authenticator()))
                .filter(authenticator -> authenticator.mechanisms(facts).contains(InternalAuthenticator.PLAIN))
                .toList();
        if (own.isEmpty()) {
            return CompletableFuture.failedFuture(renewalRefused());
        }
        Bytes response = Bytes.concat(List.of(
                Bytes.wrap(new byte[1]),
                Bytes.utf8(principal.name()),
                Bytes.wrap(new byte[1]),
                Bytes.wrap(secret.clone())));
        return new ChainLogin(own, InternalAuthenticator.PLAIN, facts, executor, refusals)
                .step(response)
                .thenApply(step -> {
                    if (step instanceof Login.Step.Success success
                            && success.principal().name().equals(principal.name())) {
                        return success.principal();
                    }
                    throw new CompletionException(renewalRefused());
                });
    }

    private static BrokerException renewalRefused() {
        return BrokerException.connection(ErrorKind.NOT_ALLOWED, "New secret was refused by one of the backends");
    }
}
