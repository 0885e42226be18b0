package org.entrepot.core.security;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.entrepot.spi.message.Bytes;
import org.entrepot.spi.protocol.ConnectionFacts;
import org.entrepot.spi.security.Authenticator;
import org.entrepot.spi.security.Login;
import org.jspecify.annotations.Nullable;

/**
 * One login at several authenticators: where one refuses, the next is told what the client has sent so far, as long as it
 * asks what the one before asked. Owned by the loop of its connection.
 */
final class ChainLogin implements Login {
    private static final int STEPS_MAX = 16;

    private final List<Authenticator> authenticators;
    private final String mechanism;
    private final ConnectionFacts facts;
    private final Executor executor;
    private final RefusalLog refusals;
    private final List<Bytes> responses = new ArrayList<>();
    private final List<Bytes> challenges = new ArrayList<>();
    private final List<String> reasons = new ArrayList<>();
    private int next;
    private @Nullable Login current;
    private boolean ended;

    ChainLogin(
            List<Authenticator> authenticators,
            String mechanism,
            ConnectionFacts facts,
            Executor executor,
            RefusalLog refusals) {
        this.authenticators = authenticators;
        this.mechanism = mechanism;
        this.facts = facts;
        this.executor = executor;
        this.refusals = refusals;
    }

    @Override
    public CompletionStage<Step> step(Bytes response) {
        if (ended) {
            throw new IllegalStateException("the login has ended");
        }
        if (responses.size() == STEPS_MAX) {
            reasons.add("more than " + STEPS_MAX + " steps");
            return CompletableFuture.completedFuture(refused());
        }
        responses.add(response);
        CompletableFuture<Step> result = new CompletableFuture<>();
        if (current == null) {
            beginNext(result);
        } else {
            ask(current, responses.size() - 1, result);
        }
        return result;
    }

    private void beginNext(CompletableFuture<Step> result) {
        while (next < authenticators.size()) {
            Authenticator authenticator = authenticators.get(next++);
            try {
                current = authenticator.begin(mechanism, facts);
            } catch (RuntimeException fault) {
                failed(authenticator, fault);
                continue;
            }
            ask(current, 0, result);
            return;
        }
        result.complete(refused());
    }

    /** Tells a login the client's response {@code index}, and the ones after it where the answers allow. */
    private void ask(Login login, int index, CompletableFuture<Step> result) {
        CompletionStage<Step> stage;
        try {
            stage = login.step(responses.get(index));
        } catch (RuntimeException fault) {
            stage = CompletableFuture.failedFuture(fault);
        }
        CompletableFuture<Step> future = stage.toCompletableFuture();
        if (future.isDone()) {
            future.whenComplete((step, fault) -> answered(login, index, step, fault, result));
        } else {
            future.whenCompleteAsync((step, fault) -> answered(login, index, step, fault, result), executor);
        }
    }

    private void answered(
            Login login, int index, @Nullable Step step, @Nullable Throwable fault, CompletableFuture<Step> result) {
        if (step == null) {
            failed(
                    authenticators.get(next - 1),
                    fault == null ? new IllegalStateException("it answered nothing") : fault);
            beginNext(result);
        } else if (step instanceof Step.Success) {
            ended = true;
            result.complete(step);
        } else if (step instanceof Step.Failure failure) {
            reasons.add(failure.reason());
            beginNext(result);
        } else if (step instanceof Step.Challenge challenge) {
            challenged(login, index, challenge, result);
        }
    }

    private void challenged(Login login, int index, Step.Challenge challenge, CompletableFuture<Step> result) {
        if (index == responses.size() - 1) {
            challenges.add(challenge.bytes());
            result.complete(challenge);
        } else if (challenge.bytes().equals(challenges.get(index))) {
            ask(login, index + 1, result);
        } else {
            reasons.add(authenticators.get(next - 1).name() + " asks other questions than the one before");
            beginNext(result);
        }
    }

    private void failed(Authenticator authenticator, Throwable fault) {
        refusals.failed(authenticator.name(), fault);
        reasons.add("the authenticator " + authenticator.name() + " failed");
    }

    private Step refused() {
        ended = true;
        String reason = String.join("; ", reasons);
        refusals.refused(ClientAddress.of(facts).text(), mechanism + " on " + facts.listener(), reason);
        return new Step.Failure(reason);
    }
}
