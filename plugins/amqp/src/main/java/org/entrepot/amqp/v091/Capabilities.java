package org.entrepot.amqp.v091;

import java.util.Map;
import org.entrepot.amqp.v091.wire.FieldTable;
import org.entrepot.amqp.v091.wire.TypedValue;

/**
 * What a client says it can take. Immutable.
 *
 * @param authenticationFailureClose connection.close when a login is refused, instead of silence
 * @param connectionBlocked connection.blocked and connection.unblocked
 * @param consumerCancelNotify basic.cancel from the server
 */
record Capabilities(boolean authenticationFailureClose, boolean connectionBlocked, boolean consumerCancelNotify) {

    /** Of a client that says nothing. */
    static final Capabilities NONE = new Capabilities(false, false, false);

    static Capabilities of(FieldTable clientProperties) {
        TypedValue field = clientProperties.get("capabilities");
        if (field == null || !(field.value() instanceof Map<?, ?> capabilities)) {
            return NONE;
        }
        return new Capabilities(
                Boolean.TRUE.equals(capabilities.get("authentication_failure_close")),
                Boolean.TRUE.equals(capabilities.get("connection.blocked")),
                Boolean.TRUE.equals(capabilities.get("consumer_cancel_notify")));
    }
}
