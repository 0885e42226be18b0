package org.entrepot.clients;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What MQTT clients may do whose users have the permissions that docs/mqtt.md names. */
@Timeout(60)
final class MqttPermissionsIT {
    @RegisterExtension
    static final StartedProduct PRODUCT = new StartedProduct("mqtt", """
            {"vhosts": [{"name": "/"}],
             "users": [{"name": "all", "password": "secret", "tags": ""},
                       {"name": "device", "password": "secret", "tags": ""},
                       {"name": "topics", "password": "secret", "tags": ""}],
             "permissions": [
               {"user": "all", "vhost": "/", "configure": "^mqtt-(subscription|shared)-",
                "write": "^(mqtt-(subscription|shared)-.*|amq\\\\.topic)$",
                "read": "^(mqtt-(subscription|shared)-.*|amq\\\\.topic|mqtt\\\\.(shared|system))$"},
               {"user": "device", "vhost": "/", "configure": "", "write": "^amq\\\\.topic$", "read": ""},
               {"user": "topics", "vhost": "/", "configure": ".*", "write": ".*", "read": ".*"}],
             "topic_permissions": [
               {"user": "topics", "vhost": "/", "exchange": "amq.topic",
                "write": "^own\\\\.{client_id}\\\\.", "read": "^own\\\\.\\\\*\\\\.x$"}]}
            """);

    private static final int NOT_AUTHORIZED_3 = 5;
    private static final int NOT_AUTHORIZED_5 = 0x87;
    private static final int FAILURE = 0x80;

    private static MqttSocket connect(int level, String id, String user, boolean clean) throws IOException {
        return new MqttSocket(PRODUCT.port(), level, id, user, "secret", clean);
    }

    private static boolean publishes(MqttSocket client, int qos, String topic) throws IOException {
        try {
            client.publish(topic, qos, true, List.of(), "x");
            return true;
        } catch (IOException refused) {
            return false;
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {4, 5})
    void whoOnlyPublishesNeedsTheExchangeOnly(int level) throws IOException {
        try (MqttSocket device = connect(level, "device", "device", true)) {
            assertThat(device.code()).isZero();
            assertThat(device.subscribe("a", 0)).isEqualTo(level == 5 ? NOT_AUTHORIZED_5 : FAILURE);
            assertThat(device.subscribe("a", 1)).isEqualTo(level == 5 ? NOT_AUTHORIZED_5 : FAILURE);
            assertThat(publishes(device, 1, "a")).isTrue();
            assertThat(publishes(device, 2, "a")).isTrue();
        }
    }

    @Test
    void aSessionThatLastsNeedsRightsToItsQueues() throws IOException {
        try (MqttSocket device = connect(4, "lasting device", "device", false)) {
            assertThat(device.code()).isEqualTo(NOT_AUTHORIZED_3);
        }
    }

    @Test
    void thePatternsForEverythingAreEnoughForEverything() throws IOException {
        for (boolean clean : new boolean[] {true, false, false, true}) {
            try (MqttSocket client = connect(4, "all", "all", clean)) {
                assertThat(client.code()).isZero();
                assertThat(client.subscribe("some/#", 0)).isZero();
                assertThat(client.subscribe("other/#", 2)).isEqualTo(2);
                assertThat(client.subscribe("$share/group/shared/+", 1)).isEqualTo(1);
                assertThat(client.subscribe("$SYS/nothing/#", 1)).isEqualTo(1);
                assertThat(publishes(client, 1, "mine")).isTrue();
                assertThat(publishes(client, 2, "mine")).isTrue();
            }
        }
    }

    @Test
    void topicPermissionsAreHeldAgainstKeysWithDots() throws IOException {
        try (MqttSocket client = connect(5, "me", "topics", true)) {
            assertThat(client.subscribe("own/+/x", 1)).isEqualTo(1);
            assertThat(client.subscribe("own/#", 1)).isEqualTo(NOT_AUTHORIZED_5);
            assertThat(publishes(client, 1, "own/me/y")).isTrue();
            assertThat(publishes(client, 1, "own/you/y")).isFalse();
            assertThat(publishes(client, 1, "own/me/z")).isTrue();
        }
    }

    @Test
    void beforeMqtt5APublishThatIsNotAllowedEndsTheConnection() throws IOException {
        try (MqttSocket client = connect(4, "old", "topics", true)) {
            assertThat(publishes(client, 1, "own/you/y")).isFalse();
            assertThatThrownBy(() -> client.publish("own/old/y", 1, false, List.of(), "x"))
                    .isInstanceOf(IOException.class);
        }
    }
}
