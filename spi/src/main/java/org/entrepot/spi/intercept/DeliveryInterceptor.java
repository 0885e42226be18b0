package org.entrepot.spi.intercept;

import org.entrepot.spi.message.Message;
import org.entrepot.spi.security.Principal;

/** Sees every delivery before it is encoded. Vendors implement it; called on the loops of connections, must not block. */
@FunctionalInterface
public interface DeliveryInterceptor {

    /** The message to deliver: the same to change nothing. The queue keeps the original. */
    Message intercept(Principal principal, String queue, Message message);
}
