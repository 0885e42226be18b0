package org.entrepot.amqp.v091;

import static org.assertj.core.api.Assertions.assertThat;

import org.entrepot.amqp.AmqpPlugin;
import org.entrepot.amqp.v091.wire.Method;
import org.entrepot.testkit.BrokerExtension;
import org.entrepot.testkit.EmbeddedBroker;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** RabbitMQ's connection.blocked and unblocked, while the broker is short of memory. */
class BlockedConnectionTest {
    @RegisterExtension
    static final BrokerExtension broker =
            new BrokerExtension(EmbeddedBroker.with("amqp", new AmqpPlugin()).set("memory.high-watermark=1"));

    @Test
    void publishersAreToldAndOthersGoOn() {
        try (Client publisher = Client.withChannel(broker);
                Client other = Client.withChannel(broker)) {
            publisher.declare(1, "piled");
            byte[] megabyte = new byte[1 << 20];
            long needed = Runtime.getRuntime().maxMemory() / 100 + 2L * megabyte.length;
            for (long sent = 0; sent < needed; sent += megabyte.length) {
                publisher.publish(1, "", "piled", false, new Props(), megabyte);
            }
            // The alarm is raised by what has been read, and told to the next who publishes.
            other.eventually(() -> {
                other.send(1, Client.queueDeclare("piled", true, false, false, false));
                return other.expect(1, Method.QueueDeclareOk.class).messageCount() * megabyte.length
                        >= needed - megabyte.length;
            });
            publisher.publish(1, "", "piled", "one more");
            assertThat(publisher.expect(0, Method.ConnectionBlocked.class).reason())
                    .isEqualTo("low on memory");

            other.send(1, new Method.QueuePurge("piled", false));
            other.expect(1, Method.QueuePurgeOk.class);
            publisher.expect(0, Method.ConnectionUnblocked.class);
            publisher.expectNothingElse(1);
        }
    }
}
