package org.entrepot.spi.intercept;

import org.entrepot.spi.message.Envelope;
import org.entrepot.spi.message.Message;
import org.entrepot.spi.security.Principal;

/** Sees every publish before it is routed. Vendors implement it; called on the loops of connections, must not block. */
@FunctionalInterface
public interface PublishInterceptor {

    /**
     * Lets a publish pass, changed or as it is.
     *
     * @return the same object to change nothing
     * @throws org.entrepot.spi.BrokerException to refuse it
     */
    Publish intercept(Principal principal, String virtualHost, Publish publish);

    /** A publish: exchange and key of the envelope must stay as they are. Immutable. */
    record Publish(Message message, Envelope envelope) {}
}
