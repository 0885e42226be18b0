package org.entrepot.stomp;

import java.util.Locale;
import java.util.concurrent.CompletionException;
import org.entrepot.spi.BrokerException;
import org.entrepot.spi.ErrorKind;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a client is told in an ERROR frame. Immutable.
 *
 * @param message the header "message"
 * @param body the explanation
 * @param closes whether the connection is closed: RabbitMQ does so for what a broker refuses, and not for a frame that is
 *     wrong by itself
 */
record StompError(String message, String body, boolean closes) {
    private static final Logger log = LoggerFactory.getLogger(StompError.class);

    /** Whatever was thrown, or failed a stage. What is neither the client's fault nor a refusal is a fault of ours. */
    static StompError of(Throwable fault) {
        Throwable cause = fault instanceof CompletionException && fault.getCause() != null ? fault.getCause() : fault;
        if (cause instanceof Refusal refusal) {
            return refusal.error();
        }
        if (cause instanceof BrokerException refusal) {
            return of(refusal);
        }
        log.error("A fault of a STOMP connection: this is a defect, please report it with this trace", cause);
        return of(ErrorKind.INTERNAL_ERROR, "the broker failed, see its log");
    }

    /** What the broker refuses. */
    static StompError of(BrokerException refusal) {
        return of(refusal.kind(), refusal.text());
    }

    private static StompError of(ErrorKind kind, String text) {
        String name = name(kind);
        return new StompError(name, name.toUpperCase(Locale.ROOT) + " - " + text, true);
    }

    private static String name(ErrorKind kind) {
        return switch (kind) {
            case NOT_FOUND -> "not_found";
            case PRECONDITION_FAILED -> "precondition_failed";
            case ACCESS_REFUSED -> "access_refused";
            case RESOURCE_LOCKED -> "resource_locked";
            case NOT_ALLOWED -> "not_allowed";
            case NOT_IMPLEMENTED -> "not_implemented";
            case COMMAND_INVALID -> "command_invalid";
            case RESOURCE_ERROR -> "resource_error";
            case FORCED, CONFLICT -> "connection_forced";
            case INTERNAL_ERROR -> "internal_error";
        };
    }

    /** For operators, on one line. */
    @Override
    public String toString() {
        return message + ": " + body.strip().replace('\n', ' ');
    }
}
