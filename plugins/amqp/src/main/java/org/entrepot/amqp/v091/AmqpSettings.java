package org.entrepot.amqp.v091;

import java.util.List;
import java.util.OptionalLong;
import org.entrepot.amqp.v091.wire.Frames;
import org.entrepot.spi.BrokerIdentity;
import org.entrepot.spi.ConfigurationKey;
import org.entrepot.spi.Settings;

/**
 * What is configured of AMQP 0-9-1. Immutable.
 *
 * @param identity the broker's own name, told besides the one it is compatible with
 * @param product what the server calls itself; clients branch on "RabbitMQ"
 * @param version the version of RabbitMQ whose behaviour clients may expect
 * @param channelMax most channels of a connection
 * @param frameMax largest frame to agree on, in bytes
 * @param initialFrameMax largest frame before that, in bytes
 * @param heartbeatSeconds what is proposed to clients; 0 for none
 * @param refusalMillis how long the socket of a client that failed to log in or lost step stays open, silent
 * @param closeMillis how long a client may take to answer connection.close
 * @param consumerTimeoutMillis how long a consumer of a quorum queue may hold a delivery; empty for as long as it likes
 * @param channelConsumersMax most consumers of a channel
 * @param transactionBytesMax most bytes of messages that a transaction gathers before it is committed
 * @param unfinishedBytesMax most bytes of messages that a connection has begun and not finished
 */
public record AmqpSettings(
        BrokerIdentity identity,
        String product,
        String version,
        int channelMax,
        int frameMax,
        int initialFrameMax,
        int heartbeatSeconds,
        int refusalMillis,
        int closeMillis,
        OptionalLong consumerTimeoutMillis,
        int channelConsumersMax,
        long transactionBytesMax,
        long unfinishedBytesMax) {

    /** Most acknowledgements and publishes that a transaction gathers. */
    static final int TRANSACTION_COMMANDS_MAX = 1 << 17;

    private static final int INITIAL_FRAME_BYTES_MAX = 1 << 20;
    private static final int FRAME_BYTES_MAX = 16 << 20;
    private static final long HOUR_MILLIS = 3_600_000;

    private static final String PRODUCT = "amqp.product";
    private static final String VERSION = "amqp.version";
    private static final String CHANNEL_MAX = "amqp.channel-max";
    private static final String FRAME_MAX = "amqp.frame-max";
    private static final String INITIAL_FRAME_MAX = "amqp.initial-frame-max";
    private static final String HEARTBEAT = "amqp.heartbeat";
    private static final String REFUSAL_DELAY = "amqp.refusal-delay";
    private static final String CLOSE_TIMEOUT = "amqp.close-timeout";
    private static final String CONSUMER_TIMEOUT = "amqp.consumer-timeout";
    private static final String CHANNEL_CONSUMERS_MAX = "amqp.channel-consumers-max";
    private static final String TRANSACTION_MAX = "amqp.transaction-max";
    private static final String UNFINISHED_MAX = "amqp.unfinished-max";

    /** The keys of the configuration file that these settings come from. */
    public static List<ConfigurationKey> keys() {
        return List.of(
                ConfigurationKey.text(
                        PRODUCT,
                        "RabbitMQ",
                        "What the server calls itself to AMQP 0-9-1 clients, some of which branch on it. The real name is"
                                + " in the server property entrepot_product."),
                ConfigurationKey.text(
                        VERSION,
                        "4.3.0",
                        "The version that goes with amqp.product: that of RabbitMQ whose behaviour clients may expect."),
                ConfigurationKey.number(CHANNEL_MAX, 2047, "Most channels that a connection may have open at a time.")
                        .between(1, 65_535),
                ConfigurationKey.size(FRAME_MAX, "128 KiB", "Largest AMQP frame that a client may agree on.")
                        .between(Frames.FRAME_BYTES_MIN, FRAME_BYTES_MAX),
                ConfigurationKey.size(
                                INITIAL_FRAME_MAX,
                                "8 KiB",
                                "Largest AMQP frame before the client has logged in; raise it for large tokens.")
                        .between(Frames.FRAME_BYTES_MIN, INITIAL_FRAME_BYTES_MAX),
                ConfigurationKey.duration(
                                HEARTBEAT,
                                "60 s",
                                "The heartbeat that is proposed to clients, in whole seconds; 0 s for none.")
                        .between(0, 65_535_000),
                ConfigurationKey.duration(
                                REFUSAL_DELAY,
                                "3 s",
                                "How long the connection of a client that failed to log in or broke the protocol stays open,"
                                        + " to slow down guessing.")
                        .between(0, 60_000),
                ConfigurationKey.duration(
                                CLOSE_TIMEOUT,
                                "10 s",
                                "How long a client may take to answer when its connection is closed.")
                        .between(100, 600_000),
                ConfigurationKey.duration(
                                CONSUMER_TIMEOUT,
                                "30 min",
                                "How long a consumer of a quorum queue may leave a delivery unacknowledged before its channel"
                                        + " is closed, where queue and consumer say nothing; 0 s for as long as it likes.")
                        .between(0, 24 * 365 * HOUR_MILLIS),
                ConfigurationKey.number(CHANNEL_CONSUMERS_MAX, 10_000, "Most consumers that a channel may have.")
                        .between(1, 1_000_000),
                ConfigurationKey.size(
                        TRANSACTION_MAX,
                        "64 MiB",
                        "Most bytes of messages that a transaction (tx.select) gathers before it is committed."),
                ConfigurationKey.size(
                        UNFINISHED_MAX,
                        "64 MiB",
                        "Most bytes of messages that a connection may have begun to publish and not finished. Those of all"
                                + " connections and their transactions together may take a quarter of the heap."));
    }

    /** The settings as configured. */
    public static AmqpSettings of(Settings settings, BrokerIdentity identity) {
        long consumerTimeout = settings.duration(CONSUMER_TIMEOUT).toMillis();
        return new AmqpSettings(
                identity,
                settings.text(PRODUCT),
                settings.text(VERSION),
                (int) settings.number(CHANNEL_MAX),
                (int) settings.size(FRAME_MAX),
                (int) settings.size(INITIAL_FRAME_MAX),
                (int) settings.duration(HEARTBEAT).toSeconds(),
                (int) settings.duration(REFUSAL_DELAY).toMillis(),
                (int) settings.duration(CLOSE_TIMEOUT).toMillis(),
                consumerTimeout == 0 ? OptionalLong.empty() : OptionalLong.of(consumerTimeout),
                (int) settings.number(CHANNEL_CONSUMERS_MAX),
                settings.size(TRANSACTION_MAX),
                settings.size(UNFINISHED_MAX));
    }
}
