package org.entrepot.amqp;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelPipeline;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import org.entrepot.amqp.v091.Amqp091;
import org.entrepot.amqp.v091.AmqpSettings;
import org.entrepot.amqp.v091.wire.ProtocolHeader;
import org.entrepot.spi.message.Bytes;
import org.entrepot.spi.message.MessageFormat;
import org.entrepot.spi.protocol.Connection;
import org.entrepot.spi.protocol.ConnectionHandler;
import org.entrepot.spi.protocol.Protocol;
import org.entrepot.spi.topology.ExchangeSpec;

/**
 * AMQP on its port. One immutable instance a broker, called on any loop.
 *
 * <p>Whoever says "AMQP" is let in, whatever the version: the connection answers versions that are not served, because it
 * can say who asked.
 */
final class AmqpProtocol implements Protocol {

    /** The port that IANA gave AMQP. */
    static final String NAME = "amqp";

    static final int PORT = 5672;

    private static final Bytes HEADER = Bytes.wrap(new byte[] {'A', 'M', 'Q', 'P', 0, 0, 9, 1});

    private final Amqp091 amqp091;

    AmqpProtocol(AmqpSettings settings) {
        this.amqp091 = new Amqp091(settings);
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public OptionalInt defaultPort() {
        return OptionalInt.of(PORT);
    }

    @Override
    public Recognition recognise(ByteBuf firstBytes) {
        return switch (ProtocolHeader.of(firstBytes)) {
            case AMQP_0_9_1, AMQP_0_9, AMQP_1_0, AMQP_1_0_SASL, AMQP_1_0_TLS, AMQP_0_9_OTHER, AMQP_OTHER ->
                Recognition.YES;
            case HTTP, TLS, OTHER -> Recognition.NO;
            case INCOMPLETE -> Recognition.MORE;
        };
    }

    @Override
    public Bytes refusal(ByteBuf firstBytes) {
        return HEADER;
    }

    @Override
    public ConnectionHandler open(ChannelPipeline pipeline, Connection connection) {
        return amqp091.open(pipeline, connection);
    }

    @Override
    public List<ExchangeSpec> standardExchanges() {
        return List.of(
                ExchangeSpec.plain("amq.direct", "direct", true),
                ExchangeSpec.plain("amq.fanout", "fanout", true),
                ExchangeSpec.plain("amq.topic", "topic", true),
                ExchangeSpec.plain("amq.headers", "headers", true),
                ExchangeSpec.plain("amq.match", "headers", true),
                new ExchangeSpec("amq.rabbitmq.trace", "topic", true, false, true, null, Map.of()));
    }

    @Override
    public MessageFormat format() {
        return amqp091.format();
    }
}
