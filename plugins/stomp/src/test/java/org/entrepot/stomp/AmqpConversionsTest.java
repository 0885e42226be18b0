package org.entrepot.stomp;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.GetResponse;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Date;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.entrepot.amqp.AmqpPlugin;
import org.entrepot.testkit.BrokerExtension;
import org.entrepot.testkit.EmbeddedBroker;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Messages between STOMP and AMQP 0-9-1, row by row of docs/conversions.md. */
@SuppressWarnings("JavaUtilDate") // the client has no other
class AmqpConversionsTest {
    @RegisterExtension
    static final BrokerExtension broker =
            new BrokerExtension(EmbeddedBroker.with("amqp", new AmqpPlugin()).plugin("stomp", new StompPlugin()));

    private static final byte[] BODY = "hello".getBytes(StandardCharsets.UTF_8);

    private Connection connection;
    private Channel amqp;
    private Client stomp;

    @BeforeEach
    void connect() throws Exception {
        ConnectionFactory factory = new ConnectionFactory();
        factory.setHost("127.0.0.1");
        factory.setPort(broker.broker().port("amqp"));
        connection = factory.newConnection();
        amqp = connection.createChannel();
        stomp = Client.open(broker);
    }

    @AfterEach
    void disconnect() throws Exception {
        stomp.close();
        connection.close();
    }

    // ---- from AMQP to STOMP

    private Client.Frame toStomp(AMQP.BasicProperties properties) throws Exception {
        stomp.subscribe("1", "/topic/to.stomp");
        amqp.basicPublish("amq.topic", "to.stomp", properties, BODY);
        return stomp.expectMessage("hello");
    }

    private static AMQP.BasicProperties.Builder properties() {
        return new AMQP.BasicProperties.Builder();
    }

    @Test
    void everyPropertyOfAmqpHasItsHeader() throws Exception {
        Client.Frame message = toStomp(properties()
                .contentType("text/plain")
                .contentEncoding("gzip")
                .deliveryMode(2)
                .priority(7)
                .correlationId("c:1")
                .replyTo("answers")
                .expiration("60000")
                .messageId("m1")
                .timestamp(new Date(1_700_000_000_000L))
                .type("order")
                .userId("guest")
                .appId("shop")
                .build());

        assertThat(message.lines())
                .contains(
                        "content-type:text/plain",
                        "content-encoding:gzip",
                        "persistent:true",
                        "priority:7",
                        "correlation-id:c\\c1",
                        "reply-to:/reply-queue/answers",
                        "expiration:60000",
                        "amqp-message-id:m1",
                        "timestamp:1700000000",
                        "type:order",
                        "user-id:guest",
                        "app-id:shop");
    }

    @Test
    void whatAmqpDoesNotSayIsNotSaid() throws Exception {
        Client.Frame message = toStomp(properties().deliveryMode(1).build());

        assertThat(message.lines().stream().map(line -> line.substring(0, line.indexOf(':'))))
                .containsExactly("subscription", "destination", "message-id", "redelivered", "content-length");
    }

    @Test
    void textAndWholeNumbersAreHeaders() throws Exception {
        Map<String, Object> headers = new LinkedHashMap<>();
        headers.put("text", "a:b");
        headers.put("int", 7);
        headers.put("long", 8L);
        headers.put("flag", true);
        headers.put("fraction", 1.5);
        headers.put("list", List.of("a"));
        headers.put("with\nbreak", "x");
        headers.put("zero", "a\0b");
        headers.put("destination", "/queue/elsewhere");
        headers.put("message-id", "mine");
        headers.put("content-length", "1");
        headers.put("persistent", "true");
        Client.Frame message = toStomp(properties().headers(headers).build());

        assertThat(message.lines())
                .contains("text:a\\cb", "int:7", "long:8", "with\\nbreak:x")
                .doesNotContain(
                        "destination:/queue/elsewhere", "message-id:mine", "content-length:1", "persistent:true");
        assertThat(message.header("flag")).isNull();
        assertThat(message.header("fraction")).isNull();
        assertThat(message.header("list")).isNull();
        assertThat(message.header("zero")).isNull();
    }

    @Test
    void deadLettersOfAmqpSayWhereTheyComeFrom() throws Exception {
        amqp.queueDeclare(
                "stomp.dying",
                false,
                false,
                true,
                Map.of("x-dead-letter-exchange", "amq.topic", "x-dead-letter-routing-key", "stomp.dead"));
        stomp.subscribe("1", "/topic/stomp.dead");
        amqp.basicPublish(
                "",
                "stomp.dying",
                properties().expiration("0").headers(Map.of("a", "b")).build(),
                BODY);
        Client.Frame dead = stomp.expectMessage("hello");

        assertThat(dead.lines()).contains("x-first-death-queue:stomp.dying", "x-last-death-reason:expired", "a:b");
        assertThat(dead.header("expiration")).isNull();
    }

    @ParameterizedTest
    @CsvSource({
        "'',a b/c%d,/queue/a b%2Fc%25d",
        "amq.direct,k,/exchange/amq.direct/k",
        "amq.fanout,'',/exchange/amq.fanout"
    })
    void destinationsNameExchangeAndKey(String exchange, String key, String destination) throws Exception {
        String queue = exchange.isEmpty() ? key : "stomp.destinations";
        amqp.queueDeclare(queue, true, false, false, Map.of());
        if (!exchange.isEmpty()) {
            amqp.queueBind(queue, exchange, key);
        }
        amqp.basicPublish(exchange, key, null, BODY);
        stomp.subscribe("1", "/amq/queue/" + queue.replace("/", "%2F"));

        assertThat(stomp.expectMessage("hello").header("destination")).isEqualTo(destination);
        stomp.send("UNSUBSCRIBE", "id:1", "receipt:u").expectReceipt("u");
        amqp.queueDelete(queue);
    }

    // ---- from STOMP to AMQP

    private GetResponse toAmqp(String... lines) throws Exception {
        String queue = amqp.queueDeclare().getQueue();
        stomp.publish("/amq/queue/" + queue, "hello", withReceipt(lines)).expectReceipt("sent");
        GetResponse response = amqp.basicGet(queue, true);
        assertThat(response).as("a message").isNotNull();
        assertThat(response.getBody()).isEqualTo(BODY);
        return response;
    }

    private static String[] withReceipt(String... lines) {
        String[] all = Arrays.copyOf(lines, lines.length + 1);
        all[lines.length] = "receipt:sent";
        return all;
    }

    @Test
    void everyHeaderWithAMeaningIsAProperty() throws Exception {
        AMQP.BasicProperties properties = toAmqp(
                        "content-type:text/plain",
                        "content-encoding:gzip",
                        "persistent:true",
                        "priority:7",
                        "correlation-id:c\\c1",
                        "reply-to:answers",
                        "expiration:60000",
                        "amqp-message-id:m1",
                        "timestamp:1700000000",
                        "type:order",
                        "user-id:guest",
                        "app-id:shop")
                .getProps();

        assertThat(properties.getContentType()).isEqualTo("text/plain");
        assertThat(properties.getContentEncoding()).isEqualTo("gzip");
        assertThat(properties.getDeliveryMode()).isEqualTo(2);
        assertThat(properties.getPriority()).isEqualTo(7);
        assertThat(properties.getCorrelationId()).isEqualTo("c:1");
        assertThat(properties.getReplyTo()).isEqualTo("answers");
        assertThat(properties.getExpiration()).isEqualTo("60000");
        assertThat(properties.getMessageId()).isEqualTo("m1");
        assertThat(properties.getTimestamp()).isEqualTo(new Date(1_700_000_000_000L));
        assertThat(properties.getType()).isEqualTo("order");
        assertThat(properties.getUserId()).isEqualTo("guest");
        assertThat(properties.getAppId()).isEqualTo("shop");
    }

    @Test
    void otherHeadersAreHeadersOfText() throws Exception {
        Map<String, Object> headers =
                toAmqp("one:1", "t\\cwo:b\\nc", "content-length:5").getProps().getHeaders();

        assertThat(headers.keySet()).containsExactlyInAnyOrder("one", "t:wo", "receipt");
        assertThat(headers.get("one").toString()).isEqualTo("1");
        assertThat(headers.get("t:wo").toString()).isEqualTo("b\nc");
    }

    @Test
    void aDestinationAsReplyToStaysOne() throws Exception {
        AMQP.BasicProperties properties = toAmqp("reply-to:/queue/answers").getProps();

        assertThat(properties.getReplyTo()).isEqualTo("/queue/answers");
    }

    @Test
    void aTopicAsReplyToIsAKeyToo() throws Exception {
        AMQP.BasicProperties properties = toAmqp("reply-to:/topic/a.b").getProps();

        assertThat(properties.getReplyTo()).isEqualTo("/topic/a.b");
        assertThat(properties.getHeaders().get("x-reply-to-topic").toString()).isEqualTo("a.b");
    }

    @Test
    void answersFindTheirWayBothWays() throws Exception {
        String questions = amqp.queueDeclare().getQueue();
        stomp.publish("/amq/queue/" + questions, "hello", "reply-to:/temp-queue/mine", "receipt:r")
                .expectReceipt("r");
        GetResponse question = amqp.basicGet(questions, true);
        amqp.basicPublish("", question.getProps().getReplyTo(), null, BODY);
        assertThat(stomp.expectMessage("hello").header("subscription")).isEqualTo("/temp-queue/mine");

        String answers = amqp.queueDeclare().getQueue();
        stomp.subscribe("q", "/queue/amqp-questions");
        amqp.basicPublish("", "amqp-questions", properties().replyTo(answers).build(), BODY);
        String replyTo = stomp.expectMessage("hello").header("reply-to");
        stomp.publish(replyTo, "hello", "receipt:a").expectReceipt("a");
        assertThat(amqp.basicGet(answers, true)).isNotNull();
    }

    @Test
    void queuesOfEitherProtocolAreTheSame() throws Exception {
        stomp.publish(
                        "/queue/stomp.both",
                        "hello",
                        "x-message-ttl:60000",
                        "x-expires:70000",
                        "x-max-length:10",
                        "x-max-length-bytes:20000",
                        "x-dead-letter-exchange:dead",
                        "x-dead-letter-routing-key:key",
                        "x-max-priority:6",
                        "receipt:d")
                .expectReceipt("d");
        Map<String, Object> arguments = Map.of(
                "x-message-ttl",
                60_000,
                "x-expires",
                70_000,
                "x-max-length",
                10,
                "x-max-length-bytes",
                20_000,
                "x-dead-letter-exchange",
                "dead",
                "x-dead-letter-routing-key",
                "key",
                "x-max-priority",
                6);

        assertThat(amqp.queueDeclare("stomp.both", true, false, false, arguments)
                        .getMessageCount())
                .isEqualTo(1);
        amqp.queueDelete("stomp.both");
        amqp.queueDeclare("stomp.both", true, false, false, Map.of("x-queue-type", "quorum"));
        stomp.subscribe("1", "/topic/whatever");
        try (Client other = Client.open(broker)) {
            other.subscribe("1", "/queue/stomp.both", "x-queue-type:quorum");
        }
        amqp.queueDelete("stomp.both");
    }

    @Test
    void aHeadersExchangeLooksIntoMessagesOfStomp() throws Exception {
        String queue = amqp.queueDeclare().getQueue();
        amqp.queueBind(queue, "amq.headers", "", Map.of("x-match", "all", "kind", "wanted"));
        stomp.publish("/exchange/amq.headers", "no", "kind:other")
                .publish("/exchange/amq.headers", "hello", "kind:wanted", "receipt:r")
                .expectReceipt("r");

        assertThat(amqp.basicGet(queue, true).getBody()).isEqualTo(BODY);
        assertThat(amqp.basicGet(queue, true)).isNull();
    }
}
