package org.entrepot.mqtt;

import io.netty.handler.codec.mqtt.MqttProperties;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;
import org.entrepot.mqtt.wire.Topics;
import org.entrepot.spi.BrokerIdentity;
import org.entrepot.spi.message.Envelope;
import org.entrepot.spi.message.Message;
import org.entrepot.spi.message.RoutingKey;

/**
 * What Mosquitto tells of itself on topics below {@code $SYS/broker}, as far as the plugin knows it: published now and then,
 * and retained, in the virtual host where clients go by themselves. Owned by the loop of the plugin's session there.
 *
 * <p>These topics have an exchange of their own: who binds to everything that is published over MQTT does not want them.
 */
final class SystemTopics {
    /** The exchange of topics that begin so. */
    static final String EXCHANGE = "mqtt.system";

    private static final String PREFIX = "$SYS/";
    private static final String BROKER = "$SYS/broker/";

    private final OwnState own;
    private final Supplier<Collection<Traffic>> traffic;
    private final BrokerIdentity identity;
    private final long startMillis;
    private final Map<String, String> told = new LinkedHashMap<>();

    SystemTopics(OwnState own, Supplier<Collection<Traffic>> traffic, BrokerIdentity identity) {
        this.own = own;
        this.traffic = traffic;
        this.identity = identity;
        this.startMillis = own.nowMillis();
    }

    /** Whether a topic filter is one of these topics'. */
    static boolean isFor(String topicFilter) {
        return topicFilter.startsWith(PREFIX);
    }

    /** Tells what has changed, and does so again after a while. */
    void tell() {
        long connected = sum(Traffic::connected) - sum(Traffic::disconnected);
        tell("version", identity.product() + " " + identity.version());
        tell("uptime", (own.nowMillis() - startMillis) / 1_000 + " seconds");
        tell("clients/connected", connected);
        tell("clients/total", sum(Traffic::connected));
        tell("subscriptions/count", sum(Traffic::subscribed) - sum(Traffic::unsubscribed));
        tell("retained messages/count", own.retainedCount());
        tell("publish/messages/received", sum(Traffic::received));
        tell("publish/messages/sent", sum(Traffic::sent));
        tell("publish/bytes/received", sum(Traffic::receivedBytes));
        tell("publish/bytes/sent", sum(Traffic::sentBytes));
        own.schedule(this::tell, own.settings().systemMillis());
    }

    private long sum(Function<Traffic, Traffic.Count> which) {
        long sum = 0;
        for (Traffic each : traffic.get()) {
            sum += which.apply(each).get();
        }
        return sum;
    }

    private void tell(String name, long value) {
        tell(name, Long.toString(value));
    }

    private void tell(String name, String value) {
        if (value.equals(told.put(name, value))) {
            return;
        }
        RoutingKey key = Topics.key(BROKER + name);
        Message message =
                Messages.of(0, true, "", MqttProperties.NO_PROPERTIES, value.getBytes(StandardCharsets.UTF_8));
        own.publish(EXCHANGE, key, message, false, -1);
        own.keep(message, Envelope.of(EXCHANGE, key, false));
    }
}
