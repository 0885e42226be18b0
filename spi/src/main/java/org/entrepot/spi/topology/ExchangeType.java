package org.entrepot.spi.topology;

/**
 * A way to choose among bindings ("direct", "topic", ...). Vendors implement it; one immutable instance a type, called
 * by any thread.
 */
public interface ExchangeType {

    /** The name clients declare exchanges with. */
    String name();

    /**
     * Refuses an exchange of this type that makes no sense.
     *
     * @throws org.entrepot.spi.BrokerException with the reason
     */
    default void check(ExchangeSpec exchange) {}

    /**
     * Refuses a binding that makes no sense for this type.
     *
     * @throws org.entrepot.spi.BrokerException with the reason
     */
    default void check(BindingSpec binding) {}

    /** The matcher of a new exchange without bindings. */
    Matcher matcher(ExchangeSpec exchange);
}
