package org.entrepot.core.listener;

import io.netty.channel.Channel;
import org.entrepot.core.loop.Loop;
import org.entrepot.spi.protocol.ConnectionFacts;
import org.entrepot.spi.protocol.Protocol;

/** Takes a connection over once its protocol is known. One instance a broker, called on any loop. */
@FunctionalInterface
public interface ConnectionOpener {

    /**
     * Adds the protocol's handlers to the end of the channel's pipeline. Called on the channel's loop, once a
     * connection. The first bytes are passed down the pipeline when it returns.
     */
    void open(Channel channel, Loop loop, Protocol protocol, ConnectionFacts facts);
}
