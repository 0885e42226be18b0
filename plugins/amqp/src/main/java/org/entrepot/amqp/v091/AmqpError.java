package org.entrepot.amqp.v091;

import java.util.concurrent.CompletionException;
import org.entrepot.amqp.v091.wire.Methods;
import org.entrepot.amqp.v091.wire.ReplyCode;
import org.entrepot.amqp.v091.wire.WireException;
import org.entrepot.spi.BrokerException;
import org.entrepot.spi.ErrorKind;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A fault as it is told to a client. Immutable.
 *
 * @param code the reply code
 * @param text the explanation, without the code's name in front
 * @param method the offending method as {@link Methods} has it, or {@link Methods#NONE}
 * @param closesConnection whether it ends the connection; else the channel
 */
record AmqpError(ReplyCode code, String text, int method, boolean closesConnection) {
    private static final Logger log = LoggerFactory.getLogger(AmqpError.class);

    /** With the scope that goes with the code. */
    static AmqpError of(ReplyCode code, String text, int method) {
        return new AmqpError(code, text, method, code.closesConnection());
    }

    /** What cannot be read; {@code method} is what was being read, for exceptions that do not say. */
    static AmqpError of(WireException exception, int method) {
        return of(exception.code(), exception.text(), exception.method() == Methods.NONE ? method : exception.method());
    }

    /** What the broker refuses. */
    static AmqpError of(BrokerException exception, int method) {
        ReplyCode code = code(exception.kind());
        return new AmqpError(
                code,
                exception.text(),
                method,
                code.closesConnection() || exception.scope() == BrokerException.Scope.CONNECTION);
    }

    /** Whatever was thrown, or failed a stage. What is neither the client's fault nor a refusal is a fault of ours. */
    static AmqpError of(Throwable fault, int method) {
        Throwable cause = fault instanceof CompletionException && fault.getCause() != null ? fault.getCause() : fault;
        if (cause instanceof BrokerException refusal) {
            return of(refusal, method);
        }
        if (cause instanceof WireException unreadable) {
            return of(unreadable, method);
        }
        log.error("A fault in {}: this is a defect, please report it with this trace", Methods.name(method), cause);
        return of(ReplyCode.INTERNAL_ERROR, "the broker failed, see its log", method);
    }

    private static ReplyCode code(ErrorKind kind) {
        return switch (kind) {
            case NOT_FOUND -> ReplyCode.NOT_FOUND;
            case PRECONDITION_FAILED -> ReplyCode.PRECONDITION_FAILED;
            case ACCESS_REFUSED -> ReplyCode.ACCESS_REFUSED;
            case RESOURCE_LOCKED -> ReplyCode.RESOURCE_LOCKED;
            case NOT_ALLOWED -> ReplyCode.NOT_ALLOWED;
            case NOT_IMPLEMENTED -> ReplyCode.NOT_IMPLEMENTED;
            case COMMAND_INVALID -> ReplyCode.COMMAND_INVALID;
            case RESOURCE_ERROR -> ReplyCode.RESOURCE_ERROR;
            case FORCED, CONFLICT -> ReplyCode.CONNECTION_FORCED;
            case INTERNAL_ERROR -> ReplyCode.INTERNAL_ERROR;
        };
    }

    /** The reply text of the close: "CODE - explanation". */
    String replyText() {
        return code.closeText(text);
    }

    int classId() {
        return Methods.classId(method);
    }

    int methodId() {
        return Methods.methodId(method);
    }

    /** For operators: what was done and what is wrong with it. */
    @Override
    public String toString() {
        String ended = closesConnection ? "connection" : "channel";
        return method == Methods.NONE
                ? ended + " error: " + replyText()
                : Methods.name(method) + " caused a " + ended + " error: " + replyText();
    }
}
