package org.entrepot.amqp.v091;

import io.netty.channel.ChannelPipeline;
import org.entrepot.amqp.v091.wire.FieldTable;
import org.entrepot.spi.protocol.Connection;
import org.entrepot.spi.protocol.ConnectionHandler;
import org.entrepot.spi.protocol.GatheringRoom;
import org.entrepot.spi.protocol.LoopTimers;

/** AMQP 0-9-1 as one broker serves it: what all its connections share. Immutable; any loop may call it. */
public final class Amqp091 {
    private final AmqpSettings settings;
    private final AmqpMessageFormat format = new AmqpMessageFormat();
    private final FieldTable serverProperties;
    private final LoopTimers timers = new LoopTimers();
    private final GatheringRoom gatheringRoom = GatheringRoom.inHeap();

    public Amqp091(AmqpSettings settings) {
        this.settings = settings;
        this.serverProperties = ServerProperties.of(settings);
    }

    /** Takes a connection over whose first bytes, a protocol header, are still to come. */
    public ConnectionHandler open(ChannelPipeline pipeline, Connection connection) {
        AmqpConnection handler = new AmqpConnection(this, pipeline.channel(), connection);
        pipeline.addLast("amqp", handler);
        return handler;
    }

    /** How messages are encoded. */
    public AmqpMessageFormat format() {
        return format;
    }

    AmqpSettings settings() {
        return settings;
    }

    FieldTable serverProperties() {
        return serverProperties;
    }

    LoopTimers timers() {
        return timers;
    }

    GatheringRoom gatheringRoom() {
        return gatheringRoom;
    }
}
