package org.entrepot.spi.session;

import org.entrepot.spi.message.RoutingKey;

/**
 * An exchange or a queue, and a routing key, looked up: what one publish after the other goes to. Vendors only call it. May be kept
 * and used as long as its session lives, whatever happens to the topology.
 */
public interface Address {

    /** The exchange's name, "" for the default exchange and for a queue's address. */
    String exchange();

    RoutingKey key();

    /**
     * Whether these bytes name the same exchange and key; compares bytes, allocates nothing. None name a {@linkplain
     * Session#queueAddress queue's address}.
     */
    boolean matches(io.netty.buffer.ByteBuf buffer, int exchangeIndex, int exchangeLength, int keyIndex, int keyLength);
}
