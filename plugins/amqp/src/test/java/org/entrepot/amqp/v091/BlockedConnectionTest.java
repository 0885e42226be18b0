package org.entrepot.amqp.v091;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicBoolean;
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
    void publishersAreToldAndOthersGoOn() throws InterruptedException {
        AtomicBoolean enough = new AtomicBoolean();
        try (Client publisher = Client.withChannel(broker);
                Client other = Client.withChannel(broker)) {
            publisher.declare(1, "piled");
            byte[] megabyte = new byte[1 << 20];
            // A thread of its own, because it comes to a halt once the broker does not read any more.
            Thread publishing = new Thread(() -> {
                while (!enough.get()) {
                    publisher.publish(1, "", "piled", false, new Props(), megabyte);
                }
            });
            publishing.start();
            assertThat(publisher.expect(0, Method.ConnectionBlocked.class).reason())
                    .isEqualTo("low on memory");

            enough.set(true);
            other.eventually(() -> {
                other.send(1, new Method.QueuePurge("piled", false));
                other.expect(1, Method.QueuePurgeOk.class);
                return publisher.hasHeardSomething();
            });
            publisher.expect(0, Method.ConnectionUnblocked.class);
            publishing.join(10_000);
            assertThat(publishing.isAlive()).isFalse();
        }
    }
}
