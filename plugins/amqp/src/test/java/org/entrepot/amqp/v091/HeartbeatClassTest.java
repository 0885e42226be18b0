package org.entrepot.amqp.v091;

import static org.assertj.core.api.Assertions.assertThat;

import org.entrepot.amqp.AmqpPlugin;
import org.entrepot.amqp.v091.wire.FieldTable;
import org.entrepot.amqp.v091.wire.Method;
import org.entrepot.testkit.BrokerExtension;
import org.entrepot.testkit.EmbeddedBroker;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Heartbeats (specification 4.2.7) by the wall clock; {@code TimersTest} has the finer points. */
class HeartbeatClassTest {
    @RegisterExtension
    static final BrokerExtension broker = new BrokerExtension(EmbeddedBroker.with("amqp", new AmqpPlugin()));

    private static Client open(int heartbeatSeconds) {
        Client client = Client.silent(broker).greet();
        client.send(0, Client.startOk("PLAIN", Client.plain("guest", "guest"), FieldTable.EMPTY));
        client.expect(0, Method.ConnectionTune.class);
        client.send(0, new Method.ConnectionTuneOk(10, 131_072, heartbeatSeconds));
        client.send(0, new Method.ConnectionOpen("/"));
        client.expect(0, Method.ConnectionOpenOk.class);
        return client;
    }

    @Test
    void aClientThatIsSilentHearsHeartbeatsAndIsThenCutOff() {
        try (Client client = open(1)) {
            long millis = Client.millisUntil(() -> {
                assertThat(client.nextOfAny().type).isEqualTo(Client.HEARTBEAT);
                client.expectEnd();
            });
            assertThat(millis).isBetween(1_900L, 6_000L);
        }
    }

    @Test
    void aClientThatAnswersStays() {
        try (Client client = open(1)) {
            for (int i = 0; i < 6; i++) {
                assertThat(client.nextOfAny().type).isEqualTo(Client.HEARTBEAT);
                client.raw(Client.frame(Client.HEARTBEAT, 0, new byte[0]));
            }
            client.openChannel(1).expectNothingElse(1);
        }
    }

    @Test
    void aHeartbeatOfNothingIsNone() {
        try (Client client = Client.withChannel(broker)) {
            client.raw(Client.frame(Client.HEARTBEAT, 0, new byte[0])).expectNothingElse(1);
        }
    }

    @Test
    void aHeartbeatIsEmptyAndOnChannel0() {
        try (Client client = Client.withChannel(broker)) {
            client.raw(Client.frame(Client.HEARTBEAT, 0, new byte[] {1}));
            assertThat(client.expect(0, Method.ConnectionClose.class).replyCode())
                    .isEqualTo(501);
        }
        try (Client client = Client.withChannel(broker)) {
            client.raw(Client.frame(Client.HEARTBEAT, 1, new byte[0]));
            assertThat(client.expect(0, Method.ConnectionClose.class).replyCode())
                    .isEqualTo(505);
        }
    }
}
