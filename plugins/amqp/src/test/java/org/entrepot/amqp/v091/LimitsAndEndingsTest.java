package org.entrepot.amqp.v091;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;
import org.entrepot.amqp.AmqpPlugin;
import org.entrepot.amqp.v091.wire.FieldTable;
import org.entrepot.amqp.v091.wire.Method;
import org.entrepot.amqp.v091.wire.Methods;
import org.entrepot.spi.BrokerPlugin;
import org.entrepot.spi.message.Bytes;
import org.entrepot.spi.protocol.ConnectionFacts;
import org.entrepot.spi.security.Authenticator;
import org.entrepot.spi.security.Login;
import org.entrepot.spi.security.Principal;
import org.entrepot.testkit.BrokerExtension;
import org.entrepot.testkit.EmbeddedBroker;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What is limited, what ends by itself, and logins in several steps. */
class LimitsAndEndingsTest {

    @RegisterExtension
    static final BrokerExtension broker = new BrokerExtension(EmbeddedBroker.with("amqp", new AmqpPlugin())
            .plugin("riddle", new RiddlePlugin())
            .set("security.authenticators=internal,riddle")
            .set("amqp.channel-consumers-max=2")
            .set("amqp.transaction-max=1 KiB"));

    /** Asks a question before it lets anybody in. */
    private static final class RiddlePlugin implements BrokerPlugin {
        @Override
        public List<Authenticator> authenticators() {
            return List.of(new Authenticator() {
                @Override
                public String name() {
                    return "riddle";
                }

                @Override
                public List<String> mechanisms(ConnectionFacts facts) {
                    return List.of("RIDDLE");
                }

                @Override
                public Login begin(String mechanism, ConnectionFacts facts) {
                    return new Login() {
                        private boolean asked;

                        @Override
                        public CompletionStage<Step> step(Bytes response) {
                            if (!asked) {
                                asked = true;
                                return CompletableFuture.supplyAsync(() -> new Step.Challenge(Bytes.utf8("who?")));
                            }
                            return CompletableFuture.supplyAsync(() -> response.toUtf8()
                                            .equals("me")
                                    ? new Step.Success(
                                            new Principal(
                                                    "guest", java.util.Set.of(), "riddle", java.util.Optional.empty()),
                                            Bytes.EMPTY)
                                    : new Step.Failure("a wrong answer"));
                        }
                    };
                }
            });
        }
    }

    private static Client riddle(String answer) {
        Client client = Client.silent(broker).greet();
        client.send(0, Client.startOk("RIDDLE", Bytes.EMPTY, Client.allCapabilities()));
        assertThat(client.expect(0, Method.ConnectionSecure.class).challenge().toUtf8())
                .isEqualTo("who?");
        return client.send(0, new Method.ConnectionSecureOk(Bytes.utf8(answer)));
    }

    // 1.4.2.3 secure, 1.4.2.4 secure-ok

    @Test
    void aLoginMayTakeSeveralSteps() {
        try (Client client = riddle("me")) {
            client.tuneAndOpen("/").openChannel(1).expectNothingElse(1);
        }
    }

    @Test
    void aWrongAnswerIsARefusedLogin() {
        try (Client client = riddle("somebody else")) {
            Method.ConnectionClose close = client.expect(0, Method.ConnectionClose.class);
            assertThat(close.replyText())
                    .isEqualTo(
                            "ACCESS_REFUSED - Login was refused using authentication mechanism RIDDLE. For details see"
                                    + " the broker logfile.");
        }
    }

    // limits

    @Test
    void aChannelHasSoManyConsumers() {
        Client client = Client.withChannel(broker);
        client.declareOwn(1, "crowded");
        client.consume(1, "crowded", "a", true).consume(1, "crowded", "b", true);
        client.send(1, new Method.BasicConsume("crowded", "c", false, true, false, false, FieldTable.EMPTY));
        client.expectConnectionClose(
                530, "NOT_ALLOWED - reached maximum (2) of consumers per channel", Methods.BASIC_CONSUME);
    }

    @Test
    void aTransactionHoldsSoManyBytes() {
        try (Client client = Client.withChannel(broker)) {
            client.send(1, new Method.TxSelect());
            client.expect(1, Method.TxSelectOk.class);
            client.publish(1, "", "q", false, new Props(), new byte[1_000]);
            client.publish(1, "", "q", false, new Props(), new byte[100]);
            client.expectChannelClose(
                    1,
                    406,
                    "PRECONDITION_FAILED - transaction holds more than 1024 bytes of messages",
                    Methods.BASIC_PUBLISH);
        }
    }

    @Test
    void aConsumerThatTakesTooLongLosesItsChannel() {
        try (Client client = Client.withChannel(broker)) {
            client.declareOwn(1, "timed", "x-consumer-timeout", 200L);
            client.consume(1, "timed", "t", false);
            client.publish(1, "", "timed", "x");
            client.expectDelivery(1);
            client.expectChannelClose(
                    1,
                    406,
                    "PRECONDITION_FAILED - delivery acknowledgement on channel 1 timed out. Timeout value used: 200 ms."
                            + " This timeout value can be configured, see consumers doc guide to learn more",
                    Methods.NONE);
            client.openChannel(1);
            assertThat(client.get(1, "timed", true).method().redelivered()).isTrue();
        }
    }

    @Test
    void aClientThatDoesNotReadItsAnswersIsNotListenedTo() throws InterruptedException {
        try (Client client = Client.withChannel(broker)) {
            int count = 400;
            byte[] body = new byte[1 << 20];
            AtomicLong sent = new AtomicLong();
            Thread publisher = new Thread(() -> {
                for (int i = 0; i < count; i++) {
                    client.publish(1, "", "nowhere", true, new Props(), body);
                    sent.incrementAndGet();
                }
            });
            publisher.start();
            // It comes to a halt: what is on its way is bounded, and far less than all.
            long halted = -1;
            for (long end = System.nanoTime() + 2_000_000_000L; System.nanoTime() < end; ) {
                publisher.join(100);
                halted = sent.get();
            }
            assertThat(halted).isLessThan(count / 2);
            for (int i = 0; i < count; i++) {
                assertThat(client.expectContent(1, Method.BasicReturn.class).body())
                        .hasSize(body.length);
            }
            publisher.join(10_000);
            client.expectNothingElse(1);
        }
    }

    // 3.2 of RabbitMQ's own: the broker ends it

    @Test
    void aBrokerThatStopsSaysGoodbye() throws Exception {
        EmbeddedBroker stopping = EmbeddedBroker.with("amqp", new AmqpPlugin()).start();
        try (Client client = Client.silent(stopping.port("amqp"))) {
            client.greet();
            client.send(0, Client.startOk("PLAIN", Client.plain("guest", "guest"), FieldTable.EMPTY));
            client.tuneAndOpen("/").openChannel(1);
            Thread stop = new Thread(stopping::close);
            stop.start();
            Method.ConnectionClose close = client.expect(0, Method.ConnectionClose.class);
            assertThat(close.replyCode()).isEqualTo(320);
            assertThat(close.replyText())
                    .isEqualTo("CONNECTION_FORCED - broker forced connection closure with reason 'shutdown'");
            client.send(0, new Method.ConnectionCloseOk());
            client.expectEnd();
            stop.join(10_000);
            assertThat(stop.isAlive()).isFalse();
        }
    }
}
