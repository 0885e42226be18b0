package org.entrepot.spi.security;

import java.util.concurrent.CompletionStage;
import org.entrepot.spi.message.Bytes;

/** One login under way. Vendors implement it (in authenticators) and call it (in protocols). */
public interface Login {

    /**
     * The next step.
     *
     * @param response what the client sent; empty to begin where the mechanism lets the server speak first
     * @return completes on any thread where a vendor implements it, on the connection's loop where a vendor calls it
     */
    CompletionStage<Step> step(Bytes response);

    /** What comes of a step. */
    sealed interface Step {
        /** The client must answer this. */
        record Challenge(Bytes bytes) implements Step {}

        /**
         * Logged in. {@code bytes} is a last word for the client, mostly empty. A protocol that cannot send it along with its
         * consent sends it as one more challenge, and passes what the client answers on to nobody (RFC 4422 section 3.6).
         */
        record Success(Principal principal, Bytes bytes) implements Step {}

        /** Refused. {@code reason} is for the log, not for the client. */
        record Failure(String reason) implements Step {}
    }
}
