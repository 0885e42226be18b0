package org.entrepot.stomp;

import java.util.List;
import java.util.Optional;
import org.entrepot.spi.ConfigurationKey;
import org.entrepot.spi.Settings;
import org.entrepot.stomp.wire.FrameLimits;
import org.jspecify.annotations.Nullable;

/**
 * What is configured of STOMP. Immutable.
 *
 * @param server the header "server" of CONNECTED; empty for none
 * @param defaultUser who clients without a login are; empty for nobody
 * @param defaultPassword that user's password; null where there is none
 * @param implicitConnect whether the first frame of a client that does not connect logs in as the default user
 * @param defaultVirtualHost where clients go that name no host
 * @param hostFallback whether clients go there that name a host which cannot be entered
 * @param topicExchange where /topic goes
 * @param nackRequeues whether NACK returns messages where it does not say
 * @param trailingLineFeed whether a line feed follows every frame
 * @param limits what a frame may hold
 * @param frameMax bytes of a frame
 * @param loginFrameMax bytes of a frame before the login
 * @param subscriptionsMax subscriptions of a connection
 * @param transactionBytesMax bytes of messages that a transaction gathers before it is committed
 * @param closeMillis how long a goodbye may take
 */
record StompSettings(
        String server,
        Optional<String> defaultUser,
        @SuppressWarnings("ArrayRecordComponent") // nobody writes to it, and nobody compares it
        char @Nullable [] defaultPassword,
        boolean implicitConnect,
        String defaultVirtualHost,
        boolean hostFallback,
        String topicExchange,
        boolean nackRequeues,
        boolean trailingLineFeed,
        FrameLimits limits,
        int frameMax,
        int loginFrameMax,
        int subscriptionsMax,
        long transactionBytesMax,
        int closeMillis) {

    /** Most transactions that a connection may have begun. */
    static final int TRANSACTIONS_MAX = 16;

    /** Most frames of a transaction. */
    static final int TRANSACTION_FRAMES_MAX = 1024;

    private static final int FRAME_BYTES_MIN = 4 << 10;
    private static final int FRAME_BYTES_MAX = 1 << 30;
    private static final int LOGIN_FRAME_BYTES_MAX = 1 << 20;

    private static final String SERVER = "stomp.server";
    private static final String DEFAULT_USER = "stomp.default-user";
    private static final String DEFAULT_PASSWORD = "stomp.default-password";
    private static final String IMPLICIT_CONNECT = "stomp.implicit-connect";
    private static final String DEFAULT_VIRTUAL_HOST = "stomp.default-virtual-host";
    private static final String HOST_FALLBACK = "stomp.host-fallback";
    private static final String TOPIC_EXCHANGE = "stomp.topic-exchange";
    private static final String NACK_REQUEUES = "stomp.nack-requeues";
    private static final String TRAILING_LINE_FEED = "stomp.trailing-line-feed";
    private static final String FRAME_MAX = "stomp.frame-max";
    private static final String LOGIN_FRAME_MAX = "stomp.login-frame-max";
    private static final String HEADERS_MAX = "stomp.headers-max";
    private static final String HEADER_MAX = "stomp.header-max";
    private static final String SUBSCRIPTIONS_MAX = "stomp.subscriptions-max";
    private static final String TRANSACTION_MAX = "stomp.transaction-max";
    private static final String CLOSE_TIMEOUT = "stomp.close-timeout";

    /** The keys of the configuration file that these settings come from. */
    static List<ConfigurationKey> keys() {
        return List.of(
                ConfigurationKey.text(
                        SERVER,
                        "RabbitMQ/4.3.0",
                        "What the server calls itself to STOMP clients, in the header server of CONNECTED; empty for nothing."),
                ConfigurationKey.optional(
                        DEFAULT_USER,
                        ConfigurationKey.Kind.TEXT,
                        "The user that STOMP clients without a login are; unset, such clients are refused."),
                ConfigurationKey.optional(
                        DEFAULT_PASSWORD, ConfigurationKey.Kind.SECRET, "The password of stomp.default-user."),
                ConfigurationKey.flag(
                        IMPLICIT_CONNECT,
                        false,
                        "Whether a STOMP client may leave out CONNECT and is stomp.default-user then."),
                ConfigurationKey.text(
                        DEFAULT_VIRTUAL_HOST, "/", "The virtual host of STOMP clients that send no header host."),
                ConfigurationKey.flag(
                        HOST_FALLBACK,
                        false,
                        "Whether STOMP clients whose header host names no virtual host that they may enter use"
                                + " stomp.default-virtual-host; many clients send the name of the machine there."),
                ConfigurationKey.text(TOPIC_EXCHANGE, "amq.topic", "The exchange behind destinations /topic/..."),
                ConfigurationKey.flag(
                        NACK_REQUEUES, true, "Whether NACK without a header requeue returns the message to its queue."),
                ConfigurationKey.flag(TRAILING_LINE_FEED, true, "Whether a line feed follows every frame."),
                ConfigurationKey.size(
                                FRAME_MAX,
                                "32 MiB",
                                "Largest STOMP frame, with its body; a larger one closes its connection.")
                        .between(FRAME_BYTES_MIN, FRAME_BYTES_MAX),
                ConfigurationKey.size(LOGIN_FRAME_MAX, "64 KiB", "Largest STOMP frame before the client has logged in.")
                        .between(1024, LOGIN_FRAME_BYTES_MAX),
                ConfigurationKey.number(HEADERS_MAX, 100, "Most headers of a STOMP frame.")
                        .between(10, 10_000),
                ConfigurationKey.size(
                                HEADER_MAX, "100 KiB", "Largest name, and largest value, of a header of a STOMP frame.")
                        .between(256, FRAME_BYTES_MAX / 4),
                ConfigurationKey.number(SUBSCRIPTIONS_MAX, 10_000, "Most subscriptions of a STOMP connection.")
                        .between(1, 1_000_000),
                ConfigurationKey.size(
                        TRANSACTION_MAX,
                        "64 MiB",
                        "Most bytes of messages that a STOMP transaction gathers before it is committed."),
                ConfigurationKey.duration(CLOSE_TIMEOUT, "10 s", "How long the end of a STOMP connection may take.")
                        .between(100, 600_000));
    }

    /** The settings as configured. */
    static StompSettings of(Settings settings) {
        return new StompSettings(
                settings.text(SERVER),
                settings.optionalText(DEFAULT_USER),
                settings.secret(DEFAULT_PASSWORD).orElse(null),
                settings.flag(IMPLICIT_CONNECT),
                settings.text(DEFAULT_VIRTUAL_HOST),
                settings.flag(HOST_FALLBACK),
                settings.text(TOPIC_EXCHANGE),
                settings.flag(NACK_REQUEUES),
                settings.flag(TRAILING_LINE_FEED),
                new FrameLimits((int) settings.number(HEADERS_MAX), (int) settings.size(HEADER_MAX)),
                (int) settings.size(FRAME_MAX),
                (int) settings.size(LOGIN_FRAME_MAX),
                (int) settings.number(SUBSCRIPTIONS_MAX),
                settings.size(TRANSACTION_MAX),
                (int) settings.duration(CLOSE_TIMEOUT).toMillis());
    }
}
