package org.entrepot.mqtt;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.entrepot.spi.ConfigurationKey;
import org.entrepot.spi.Settings;

/**
 * What is configured of MQTT. Immutable.
 *
 * @param anonymousUser whose rights clients have that name nobody; empty where they are refused
 * @param anonymousPassword that user's password
 * @param virtualHost where clients go whose user name does not say
 * @param exchange the topic exchange that topics are published to
 * @param sessionExpirySeconds longest time that a session outlives its connection; empty for no limit
 * @param receiveMaximum most publishes at QoS 1 and 2 that a client may have unanswered
 * @param window most deliveries at QoS 1 and 2 that a client has unanswered, where it does not say fewer
 * @param packetBytesMax largest packet a client may send
 * @param topicAliasMaximum most topic aliases a client may use
 * @param topicAliasesOut most topic aliases that are used towards a client
 * @param keepAliveSeconds longest keep-alive interval; 0 for none
 * @param topicLevelsMax most levels of a topic
 * @param subscriptionsMax most subscriptions of a session
 * @param volatileMessages most messages of QoS 0 that wait for a client
 * @param tellsReasons whether clients are told why something is refused
 * @param systemMillis time between messages on topics of the broker's own; 0 for none
 * @param retainedMax most topics of a virtual host that have a retained message
 */
record MqttSettings(
        Optional<String> anonymousUser,
        String anonymousPassword,
        String virtualHost,
        String exchange,
        OptionalLong sessionExpirySeconds,
        int receiveMaximum,
        int window,
        int packetBytesMax,
        int topicAliasMaximum,
        int topicAliasesOut,
        int keepAliveSeconds,
        int topicLevelsMax,
        int subscriptionsMax,
        long volatileMessages,
        boolean tellsReasons,
        long systemMillis,
        int retainedMax) {

    private static final long DAY_MILLIS = 86_400_000;
    private static final int SHORT_MAX = 65_535;

    private static final String ANONYMOUS = "mqtt.anonymous";
    private static final String ANONYMOUS_USER = "mqtt.anonymous-user";
    private static final String ANONYMOUS_PASSWORD = "mqtt.anonymous-password";
    private static final String VIRTUAL_HOST = "mqtt.vhost";
    private static final String EXCHANGE = "mqtt.exchange";
    private static final String SESSION_EXPIRY = "mqtt.session-expiry-max";
    private static final String RECEIVE_MAXIMUM = "mqtt.receive-max";
    private static final String WINDOW = "mqtt.window";
    private static final String PACKET_MAX = "mqtt.packet-max";
    private static final String ALIAS_MAXIMUM = "mqtt.topic-alias-max";
    private static final String ALIASES_OUT = "mqtt.topic-aliases-out";
    private static final String KEEP_ALIVE = "mqtt.keep-alive-max";
    private static final String TOPIC_LEVELS = "mqtt.topic-levels-max";
    private static final String SUBSCRIPTIONS = "mqtt.subscriptions-max";
    private static final String VOLATILE_MESSAGES = "mqtt.qos0-queue-max";
    private static final String TELL_REASONS = "mqtt.tell-reasons";
    private static final String SYSTEM_INTERVAL = "mqtt.sys-interval";
    private static final String RETAINED = "mqtt.retained-max";

    /** The keys of the configuration file that these settings come from. */
    static List<ConfigurationKey> keys() {
        return List.of(
                ConfigurationKey.flag(
                        ANONYMOUS,
                        false,
                        "Whether MQTT clients that name no user and show no certificate are let in, as"
                                + " mqtt.anonymous-user."),
                ConfigurationKey.text(ANONYMOUS_USER, "guest", "Whose rights MQTT clients have that name no user."),
                ConfigurationKey.optional(
                        ANONYMOUS_PASSWORD,
                        ConfigurationKey.Kind.SECRET,
                        "The password of mqtt.anonymous-user; unset for guest."),
                ConfigurationKey.text(
                        VIRTUAL_HOST,
                        "/",
                        "The virtual host of MQTT clients whose user name does not begin with one, as in vhost:user."),
                ConfigurationKey.text(EXCHANGE, "amq.topic", "The topic exchange that MQTT topics are published to."),
                ConfigurationKey.duration(
                                SESSION_EXPIRY,
                                "1 d",
                                "Longest time that an MQTT session outlives its connection; 0 s for no limit.")
                        .between(0, 0xFFFF_FFFFL * 1_000),
                ConfigurationKey.number(
                                RECEIVE_MAXIMUM,
                                1_000,
                                "Most publishes at QoS 1 and 2 that an MQTT 5 client may have unanswered.")
                        .between(1, SHORT_MAX),
                ConfigurationKey.number(
                                WINDOW,
                                100,
                                "Most deliveries at QoS 1 and 2 that an MQTT client has unanswered, where it does not want"
                                        + " fewer.")
                        .between(1, SHORT_MAX),
                ConfigurationKey.size(PACKET_MAX, "16 MiB", "Largest packet that an MQTT client may send.")
                        .between(1 << 10, 256 << 20),
                ConfigurationKey.number(ALIAS_MAXIMUM, 100, "Most topic aliases that an MQTT 5 client may use.")
                        .between(0, SHORT_MAX),
                ConfigurationKey.number(
                                ALIASES_OUT,
                                16,
                                "Most topic aliases that are used towards an MQTT 5 client that allows it.")
                        .between(0, SHORT_MAX),
                ConfigurationKey.duration(
                                KEEP_ALIVE,
                                "0 s",
                                "Longest keep-alive interval of MQTT 5 clients, in whole seconds; 0 s for what they like.")
                        .between(0, SHORT_MAX * 1_000L),
                ConfigurationKey.number(TOPIC_LEVELS, 128, "Most levels of an MQTT topic.")
                        .between(1, SHORT_MAX),
                ConfigurationKey.number(SUBSCRIPTIONS, 10_000, "Most subscriptions of an MQTT session.")
                        .between(1, 10_000_000),
                ConfigurationKey.number(
                                VOLATILE_MESSAGES,
                                10_000,
                                "Most messages at QoS 0 that wait for an MQTT client that reads slowly; the oldest are"
                                        + " dropped.")
                        .between(1, 10_000_000),
                ConfigurationKey.flag(
                        TELL_REASONS,
                        true,
                        "Whether MQTT clients are told why a subscription is refused; where not, they get reason code"
                                + " 0x80."),
                ConfigurationKey.duration(
                                SYSTEM_INTERVAL,
                                "10 s",
                                "How often MQTT topics below $SYS/broker tell what has changed; 0 s for never.")
                        .between(0, DAY_MILLIS),
                ConfigurationKey.number(
                                RETAINED, 1_000_000, "Most topics of a virtual host that have a retained MQTT message.")
                        .between(0, 100_000_000));
    }

    static MqttSettings of(Settings settings) {
        long expiryMillis = settings.duration(SESSION_EXPIRY).toMillis();
        return new MqttSettings(
                settings.flag(ANONYMOUS) ? Optional.of(settings.text(ANONYMOUS_USER)) : Optional.empty(),
                settings.secret(ANONYMOUS_PASSWORD).map(String::new).orElse("guest"),
                settings.text(VIRTUAL_HOST),
                settings.text(EXCHANGE),
                expiryMillis == 0 ? OptionalLong.empty() : OptionalLong.of(expiryMillis / 1_000),
                (int) settings.number(RECEIVE_MAXIMUM),
                (int) settings.number(WINDOW),
                (int) settings.size(PACKET_MAX),
                (int) settings.number(ALIAS_MAXIMUM),
                (int) settings.number(ALIASES_OUT),
                (int) (settings.duration(KEEP_ALIVE).toMillis() / 1_000),
                (int) settings.number(TOPIC_LEVELS),
                (int) settings.number(SUBSCRIPTIONS),
                settings.number(VOLATILE_MESSAGES),
                settings.flag(TELL_REASONS),
                settings.duration(SYSTEM_INTERVAL).toMillis(),
                (int) settings.number(RETAINED));
    }
}
