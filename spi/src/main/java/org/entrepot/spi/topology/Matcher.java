package org.entrepot.spi.topology;

import org.entrepot.spi.message.Message;
import org.entrepot.spi.message.RoutingKey;

/**
 * The bindings of one exchange, arranged so that those that match a message are found fast. Vendors implement it.
 * Immutable: {@link #with} and {@link #without} give a new one that shares what has not changed, at a cost that hardly
 * grows with the number of bindings. Any thread calls it.
 */
public interface Matcher {

    /** This matcher and one binding more; called only with bindings that {@link ExchangeType#check} let pass. */
    Matcher with(BindingSpec binding);

    /** This matcher less one binding that it has. */
    Matcher without(BindingSpec binding);

    /**
     * Whether what matches depends on the routing key alone, so that it may be remembered by key until a binding
     * changes.
     */
    boolean byKeyAlone();

    /**
     * Reports every binding that matches, each once, in any order. Must not keep {@code matches}.
     *
     * @param key the key to match by: the message's own or one of its copies
     * @param message the message, for types that look into its header
     */
    void match(RoutingKey key, Message message, Matches matches);

    /** Takes what a matcher finds. Vendors only call it. */
    @FunctionalInterface
    interface Matches {
        void add(BindingSpec binding);
    }
}
