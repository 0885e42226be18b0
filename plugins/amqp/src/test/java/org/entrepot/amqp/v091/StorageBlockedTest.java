package org.entrepot.amqp.v091;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import java.util.concurrent.Executor;
import org.entrepot.amqp.AmqpPlugin;
import org.entrepot.amqp.v091.wire.Method;
import org.entrepot.core.storage.MemoryStorage;
import org.entrepot.spi.BrokerPlugin;
import org.entrepot.spi.storage.Log;
import org.entrepot.spi.storage.LogListener;
import org.entrepot.spi.storage.LogTransaction;
import org.entrepot.spi.storage.StorageContext;
import org.entrepot.spi.storage.StorageEngine;
import org.entrepot.spi.storage.StorageListener;
import org.entrepot.testkit.BrokerExtension;
import org.entrepot.testkit.EmbeddedBroker;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What publishers are told of a storage engine that has no room, or has failed. */
class StorageBlockedTest {
    private static final Engine ENGINE = new Engine();

    @RegisterExtension
    static final BrokerExtension broker = new BrokerExtension(EmbeddedBroker.with("amqp", new AmqpPlugin())
            .plugin("storage-told", new BrokerPlugin() {
                @Override
                public Optional<StorageEngine> storageEngine() {
                    return Optional.of(ENGINE);
                }
            })
            .set("storage.engine=told"));

    /** An engine that says of itself what the test wants. */
    private static final class Engine implements StorageEngine {
        private final StorageEngine memory = new MemoryStorage();
        private volatile StorageListener listener;

        @Override
        public String name() {
            return "told";
        }

        @Override
        public Durability durability() {
            return memory.durability();
        }

        @Override
        public void start(StorageContext context) {
            listener = context.listener();
        }

        @Override
        public long[] stored() {
            return memory.stored();
        }

        @Override
        public long entries(long id) {
            return memory.entries(id);
        }

        @Override
        public Log open(long id, boolean durable, LogListener hears, Executor owner) {
            return memory.open(id, durable, hears, owner);
        }

        @Override
        public LogTransaction begin() {
            return memory.begin();
        }

        @Override
        public void delete(long id) {
            memory.delete(id);
        }

        @Override
        public void close() {
            memory.close();
        }
    }

    @Test
    void aFullStoreBlocksPublishersUntilThereIsRoomAndAFailedOneForGood() throws InterruptedException {
        try (Client publisher = Client.withChannel(broker);
                Client consumer = Client.withChannel(broker)) {
            publisher.declare(1, "kept");
            ENGINE.listener.full("no room for a segment");
            publisher.publish(1, "", "kept", false, new Props(), new byte[10]);
            assertThat(publisher.expect(0, Method.ConnectionBlocked.class).reason())
                    .isEqualTo("low on storage");

            // Who only consumes is neither told nor held back.
            consumer.eventually(() -> {
                consumer.send(1, new Method.QueuePurge("kept", false));
                return consumer.expect(1, Method.QueuePurgeOk.class).messageCount() == 1;
            });

            ENGINE.listener.hasRoom();
            publisher.expect(0, Method.ConnectionUnblocked.class);
            publisher.publish(1, "", "kept", false, new Props(), new byte[10]);
            consumer.eventually(() -> {
                consumer.send(1, new Method.QueuePurge("kept", false));
                return consumer.expect(1, Method.QueuePurgeOk.class).messageCount() == 1;
            });

            ENGINE.listener.failed("a sync has failed");
            publisher.publish(1, "", "kept", false, new Props(), new byte[10]);
            assertThat(publisher.expect(0, Method.ConnectionBlocked.class).reason())
                    .isEqualTo("storage has failed");
            ENGINE.listener.hasRoom();
            consumer.send(1, new Method.QueuePurge("kept", false));
            consumer.expect(1, Method.QueuePurgeOk.class);
            assertThat(publisher.hasHeardSomething()).isFalse();
        }
    }
}
