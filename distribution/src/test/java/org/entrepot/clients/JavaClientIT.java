package org.entrepot.clients;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.AlreadyClosedException;
import com.rabbitmq.client.BuiltinExchangeType;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.DeliverCallback;
import com.rabbitmq.client.Delivery;
import com.rabbitmq.client.GetResponse;
import com.rabbitmq.client.MessageProperties;
import com.rabbitmq.client.Recoverable;
import com.rabbitmq.client.RecoveryListener;
import com.rabbitmq.client.Return;
import com.rabbitmq.client.RpcClient;
import com.rabbitmq.client.RpcClientParams;
import com.rabbitmq.client.RpcServer;
import com.rabbitmq.client.ShutdownSignalException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** RabbitMQ's Java client. */
@Timeout(60)
final class JavaClientIT {
    @RegisterExtension
    static final StartedProduct PRODUCT = new StartedProduct();

    private static final int QUIET_SECONDS = 20;
    private static final int MESSAGES = 500;

    private final Sockets sockets = new Sockets();
    private final ConnectionFactory factory = new ConnectionFactory();
    private Connection connection;
    private Channel channel;

    @BeforeEach
    void connect() throws IOException, TimeoutException {
        factory.setHost(StartedProduct.HOST);
        factory.setPort(PRODUCT.port());
        factory.setNetworkRecoveryInterval(50);
        factory.setSocketConfigurator(sockets);
        connection = factory.newConnection("check java");
        channel = connection.createChannel();
    }

    @AfterEach
    void disconnect() throws IOException {
        connection.close();
    }

    @Test
    void declaresQueuesAndExchangesWithArguments() throws Exception {
        channel.exchangeDeclare("check.java.spare", BuiltinExchangeType.FANOUT, false, true, null);
        channel.exchangeDeclare(
                "check.java.topic",
                BuiltinExchangeType.TOPIC,
                false,
                true,
                Map.of("alternate-exchange", "check.java.spare"));
        Map<String, Object> arguments = Map.of("x-message-ttl", 60_000, "x-max-length", 10L, "x-overflow", "drop-head");
        AMQP.Queue.DeclareOk declared = channel.queueDeclare("check.java.declare", false, true, false, arguments);
        assertThat(declared.getQueue()).isEqualTo("check.java.declare");
        // The same numbers, encoded in other types.
        channel.queueDeclare(
                "check.java.declare",
                false,
                true,
                false,
                Map.of("x-message-ttl", 60_000L, "x-max-length", (short) 10, "x-overflow", "drop-head"));
        channel.queueBind("check.java.declare", "check.java.topic", "a.*.#");
        channel.exchangeBind("check.java.topic", "check.java.spare", "");

        Channel other = connection.createChannel();
        assertThatThrownBy(() -> other.queueDeclare("check.java.declare", false, true, true, arguments))
                .isInstanceOf(IOException.class)
                .hasRootCauseMessage(
                        "channel error; protocol method: #method<channel.close>(reply-code=406, reply-text="
                                + "PRECONDITION_FAILED - inequivalent arg 'auto_delete' for queue 'check.java.declare' in vhost '/': "
                                + "received 'true' but current is 'false', class-id=50, method-id=10)");
        assertThat(other.isOpen()).isFalse();
        assertThatThrownBy(() -> connection.createChannel().queueDeclarePassive("check.java.absent"))
                .rootCause()
                .hasMessageContaining("NOT_FOUND - no queue 'check.java.absent' in vhost '/'");
    }

    @Test
    void publishesWithConfirmsOneByOneInBatchesAndWithReturns() throws Exception {
        String queue = channel.queueDeclare().getQueue();
        channel.confirmSelect();
        List<Long> refused = new ArrayList<>();
        BlockingQueue<Long> confirmed = new LinkedBlockingQueue<>();
        channel.addConfirmListener((tag, multiple) -> confirmed.add(tag), (tag, multiple) -> refused.add(tag));
        for (int number = 0; number < MESSAGES; number++) {
            channel.basicPublish("", queue, true, MessageProperties.PERSISTENT_TEXT_PLAIN, bytes("message " + number));
        }
        assertThat(channel.waitForConfirms(SECONDS.toMillis(QUIET_SECONDS))).isTrue();
        assertThat(List.copyOf(confirmed)).isSorted().endsWith((long) MESSAGES);
        assertThat(refused).isEmpty();
        assertThat(channel.messageCount(queue)).isEqualTo(MESSAGES);

        CompletableFuture<Return> returned = new CompletableFuture<>();
        channel.addReturnListener(returned::complete);
        channel.basicPublish("", "check.java.nowhere", true, null, bytes("nobody"));
        channel.waitForConfirmsOrDie(SECONDS.toMillis(QUIET_SECONDS));
        // The return comes before the confirm, so it is there.
        assertThat(returned)
                .isCompletedWithValueMatching(message -> message.getReplyCode() == AMQP.NO_ROUTE
                        && message.getReplyText().equals("NO_ROUTE")
                        && message.getRoutingKey().equals("check.java.nowhere"));
    }

    @Test
    void consumesInOrderWithAcknowledgements() throws Exception {
        String queue = channel.queueDeclare("", false, true, false, null).getQueue();
        for (int number = 0; number < MESSAGES; number++) {
            BasicProperties properties = new BasicProperties.Builder()
                    .headers(Map.of("number", number, "nested", Map.of("list", List.of(1, true))))
                    .build();
            channel.basicPublish("", queue, properties, bytes("message " + number));
        }
        Channel consuming = connection.createChannel();
        consuming.basicQos(50);
        BlockingQueue<Delivery> deliveries = new LinkedBlockingQueue<>();
        String tag = consuming.basicConsume(queue, collect(deliveries), cancelled -> {});
        for (int number = 0; number < MESSAGES; number++) {
            Delivery delivery = next(deliveries);
            assertThat(text(delivery)).isEqualTo("message " + number);
            assertThat(delivery.getEnvelope().isRedeliver()).isFalse();
            assertThat(delivery.getProperties().getHeaders())
                    .containsEntry("number", number)
                    .containsEntry("nested", Map.of("list", List.of(1, true)));
            if (number % 10 == 9) {
                consuming.basicAck(delivery.getEnvelope().getDeliveryTag(), true);
            }
        }
        consuming.basicCancel(tag);
        consuming.close();
        assertThat(channel.basicGet(queue, true)).isNull();
        assertThat(channel.queueDelete(queue).getMessageCount()).isZero();
    }

    @Test
    void rejectsAndReadsWhyALetterIsDead() throws Exception {
        channel.exchangeDeclare("check.java.dead", BuiltinExchangeType.DIRECT, false, true, null);
        String dead = channel.queueDeclare().getQueue();
        channel.queueBind(dead, "check.java.dead", "dead");
        String queue = channel.queueDeclare(
                        "",
                        false,
                        true,
                        true,
                        Map.of("x-dead-letter-exchange", "check.java.dead", "x-dead-letter-routing-key", "dead"))
                .getQueue();
        channel.basicPublish("", queue, MessageProperties.TEXT_PLAIN, bytes("reject me"));
        BlockingQueue<Delivery> deliveries = new LinkedBlockingQueue<>();
        channel.basicConsume(queue, collect(deliveries), cancelled -> {});
        channel.basicReject(next(deliveries).getEnvelope().getDeliveryTag(), true);
        Delivery again = next(deliveries);
        assertThat(again.getEnvelope().isRedeliver()).isTrue();
        channel.basicNack(again.getEnvelope().getDeliveryTag(), false, false);

        BlockingQueue<Delivery> letters = new LinkedBlockingQueue<>();
        channel.basicConsume(dead, true, collect(letters), cancelled -> {});
        Delivery letter = next(letters);
        assertThat(text(letter)).isEqualTo("reject me");
        assertThat(letter.getEnvelope().getRoutingKey()).isEqualTo("dead");
        Map<String, Object> headers = letter.getProperties().getHeaders();
        assertThat(headers.get("x-first-death-reason")).hasToString("rejected");
        assertThat(headers.get("x-first-death-queue")).hasToString(queue);
        Map<?, ?> death = (Map<?, ?>) ((List<?>) headers.get("x-death")).get(0);
        assertThat(death.get("count")).isEqualTo(1L);
        assertThat(death.get("reason")).hasToString("rejected");
        assertThat(death.get("queue")).hasToString(queue);
        assertThat(death.get("exchange")).hasToString("");
        assertThat(death.get("routing-keys")).hasToString("[" + queue + "]");
    }

    @Test
    void callsOverDirectReplyTo() throws Exception {
        Channel serving = connection.createChannel();
        String requests = serving.queueDeclare().getQueue();
        RpcServer server = new RpcServer(serving, requests) {
            @Override
            public byte[] handleCall(Delivery request, BasicProperties answerProperties) {
                return bytes(request.getProperties().getReplyTo() + " answers " + text(request));
            }
        };
        Thread loop = new Thread(
                () -> {
                    try {
                        server.mainloop();
                    } catch (IOException e) {
                        throw new IllegalStateException(e);
                    }
                },
                "rpc server");
        loop.start();
        RpcClient client = new RpcClient(new RpcClientParams()
                .channel(channel)
                .exchange("")
                .routingKey(requests)
                .timeout((int) SECONDS.toMillis(QUIET_SECONDS)));
        for (int call = 0; call < 10; call++) {
            assertThat(new String(client.primitiveCall(bytes("call " + call)), UTF_8))
                    .startsWith("amq.rabbitmq.reply-to.")
                    .endsWith(" answers call " + call);
        }
        client.close();
        // The loop waits for the next call until its channel closes.
        serving.close();
        loop.join(SECONDS.toMillis(QUIET_SECONDS));
        assertThat(loop.isAlive()).isFalse();
    }

    @Test
    void goesOnByItselfAfterItsConnectionWasDropped() throws Exception {
        String exclusive = channel.queueDeclare().getQueue();
        channel.queueDeclare("check.java.recover", true, false, false, Map.of("x-queue-type", "quorum"));
        channel.confirmSelect();
        BlockingQueue<Delivery> deliveries = new LinkedBlockingQueue<>();
        channel.basicConsume("check.java.recover", collect(deliveries), cancelled -> {});
        channel.basicPublish("", "check.java.recover", MessageProperties.PERSISTENT_BASIC, bytes("survives"));
        channel.waitForConfirmsOrDie(SECONDS.toMillis(QUIET_SECONDS));
        assertThat(next(deliveries).getEnvelope().isRedeliver()).isFalse();

        CompletableFuture<Recoverable> recovered = new CompletableFuture<>();
        ((Recoverable) connection).addRecoveryListener(new RecoveryListener() {
            @Override
            public void handleRecovery(Recoverable recoverable) {
                recovered.complete(recoverable);
            }

            @Override
            public void handleRecoveryStarted(Recoverable recoverable) {}
        });
        CompletableFuture<ShutdownSignalException> lost = new CompletableFuture<>();
        connection.addShutdownListener(lost::complete);
        sockets.cut();
        assertThat(lost.get(QUIET_SECONDS, SECONDS).isInitiatedByApplication()).isFalse();
        recovered.get(QUIET_SECONDS, SECONDS);

        Delivery again = next(deliveries);
        assertThat(text(again)).isEqualTo("survives");
        assertThat(again.getEnvelope().isRedeliver()).isTrue();
        channel.basicAck(again.getEnvelope().getDeliveryTag(), false);
        // The client declares its exclusive queue again, under a name that the broker gives.
        assertThatThrownBy(() -> connection.createChannel().queueDeclarePassive(exclusive))
                .rootCause()
                .hasMessageContaining("NOT_FOUND");
        channel.queueDelete("check.java.recover");
        assertThat(connection.isOpen()).isTrue();
    }

    @Test
    void learnsThatAPublishClosedItsChannel() throws Exception {
        CompletableFuture<ShutdownSignalException> closed = new CompletableFuture<>();
        channel.addShutdownListener(closed::complete);
        channel.basicPublish("check.java.absent", "key", null, bytes("nowhere to go"));
        assertThat(closed.get(QUIET_SECONDS, SECONDS))
                .hasMessageContaining(
                        "reply-code=404, reply-text=NOT_FOUND - no exchange 'check.java.absent' in vhost '/', "
                                + "class-id=60, method-id=40");
        assertThatThrownBy(() -> channel.basicGet("any", true)).isInstanceOf(AlreadyClosedException.class);
        try (Channel next = connection.createChannel()) {
            GetResponse nothing = next.basicGet(next.queueDeclare().getQueue(), true);
            assertThat(nothing).isNull();
        }
    }

    private static DeliverCallback collect(BlockingQueue<Delivery> deliveries) {
        return (tag, delivery) -> deliveries.add(delivery);
    }

    private static Delivery next(BlockingQueue<Delivery> deliveries) throws InterruptedException {
        Delivery delivery = deliveries.poll(QUIET_SECONDS, SECONDS);
        assertThat(delivery).as("a delivery within %d s", QUIET_SECONDS).isNotNull();
        return delivery;
    }

    private static String text(Delivery delivery) {
        return new String(delivery.getBody(), UTF_8);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(UTF_8);
    }
}
