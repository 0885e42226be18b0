package org.entrepot.clients;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.Delivery;
import com.rabbitmq.client.LongString;
import com.rabbitmq.client.impl.LongStringHelper;
import java.io.ByteArrayOutputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.math.BigDecimal;
import java.net.InetAddress;
import java.net.Socket;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Date;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeoutException;
import javax.net.SocketFactory;
import org.entrepot.clients.MqttSocket.Property;
import org.entrepot.clients.MqttSocket.Received;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** From AMQP 0-9-1 to MQTT and back: the rows of docs/conversions.md that both have a word for. */
@Timeout(60)
final class ConversionIT {
    @RegisterExtension
    static final StartedProduct PRODUCT = new StartedProduct();

    private static final String EXCHANGE = "amq.topic";
    private static final int QUIET_SECONDS = 20;
    private static final byte[] BINARY = {(byte) 0xFF, 0, 1, (byte) 0xFE};

    private final BlockingQueue<Delivery> deliveries = new LinkedBlockingQueue<>();
    /** What the AMQP client has read from its socket: it keeps headers without their order. */
    private final ByteArrayOutputStream read = new ByteArrayOutputStream();

    private Connection connection;
    private Channel channel;

    @BeforeEach
    void connect() throws IOException, TimeoutException {
        ConnectionFactory factory = new ConnectionFactory();
        factory.setHost(StartedProduct.HOST);
        factory.setPort(PRODUCT.port());
        factory.setSocketFactory(new RecordingSockets(read));
        connection = factory.newConnection("conversions");
        channel = connection.createChannel();
        channel.confirmSelect();
    }

    @AfterEach
    void disconnect() throws IOException {
        connection.close();
    }

    /** Makes sockets that keep what is read from them. Used by one connection. */
    private static final class RecordingSockets extends SocketFactory {
        private final ByteArrayOutputStream read;

        RecordingSockets(ByteArrayOutputStream read) {
            this.read = read;
        }

        @Override
        public Socket createSocket() {
            return new Socket() {
                @Override
                public InputStream getInputStream() throws IOException {
                    return new FilterInputStream(super.getInputStream()) {
                        @Override
                        public int read() throws IOException {
                            int one = super.read();
                            if (one >= 0) {
                                read.write(one);
                            }
                            return one;
                        }

                        @Override
                        public int read(byte[] target, int from, int length) throws IOException {
                            int count = super.read(target, from, length);
                            if (count > 0) {
                                read.write(target, from, count);
                            }
                            return count;
                        }
                    };
                }
            };
        }

        @Override
        public Socket createSocket(String host, int port) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Socket createSocket(String host, int port, InetAddress local, int localPort) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Socket createSocket(InetAddress host, int port) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Socket createSocket(InetAddress host, int port, InetAddress local, int localPort) {
            throw new UnsupportedOperationException();
        }
    }

    // ---- what AMQP clients see

    /** Consumes what is published under keys that this pattern matches. */
    private void consume(String pattern) throws IOException {
        String queue = channel.queueDeclare().getQueue();
        channel.queueBind(queue, EXCHANGE, pattern);
        channel.basicConsume(queue, true, (tag, delivery) -> deliveries.add(delivery), tag -> {});
    }

    private Delivery delivered() throws InterruptedException {
        Delivery next = deliveries.poll(QUIET_SECONDS, SECONDS);
        assertThat(next).as("a delivery within %d s", QUIET_SECONDS).isNotNull();
        return next;
    }

    /** What an AMQP consumer gets of an MQTT 5 publish at QoS 1. */
    private BasicProperties published(Property... properties) throws Exception {
        consume("to.amqp");
        try (MqttSocket publisher = new MqttSocket(PRODUCT.port("mqtt"), 5, "sensor")) {
            publisher.publish("to/amqp", 1, false, List.of(properties), "payload");
        }
        Delivery delivery = delivered();
        assertThat(new String(delivery.getBody(), UTF_8)).isEqualTo("payload");
        return delivery.getProperties();
    }

    /** Headers with text in place of what the client has for it. */
    private static Map<String, Object> headers(BasicProperties properties) {
        Map<String, Object> texts = new LinkedHashMap<>();
        properties
                .getHeaders()
                .forEach((name, value) -> texts.put(name, value instanceof LongString ? value.toString() : value));
        return texts;
    }

    @ParameterizedTest
    @ValueSource(ints = {4, 5})
    void aPublishWithoutPropertiesHasItsPublisherAndNothingElse(int level) throws Exception {
        consume("to.amqp");
        try (MqttSocket publisher = new MqttSocket(PRODUCT.port("mqtt"), level, "sensor")) {
            publisher.publish("to/amqp", 1, false, List.of(), "payload");
        }
        Delivery delivery = delivered();
        assertThat(delivery.getEnvelope().getExchange()).isEqualTo(EXCHANGE);
        assertThat(delivery.getEnvelope().getRoutingKey()).isEqualTo("to.amqp");
        assertThat(delivery.getBody()).asString(UTF_8).isEqualTo("payload");
        assertThat(headers(delivery.getProperties())).containsExactly(entry("x-client-id", "sensor"));
        assertThat(delivery.getProperties().builder().headers(null).build())
                .isEqualTo(new BasicProperties.Builder().deliveryMode(2).build());
    }

    @ParameterizedTest
    @CsvSource({"4,0,1", "4,1,2", "4,2,2", "5,0,1", "5,1,2", "5,2,2"})
    void qosBecomesDeliveryMode(int level, int qos, int deliveryMode) throws Exception {
        consume("to.amqp");
        try (MqttSocket publisher = new MqttSocket(PRODUCT.port("mqtt"), level, "sensor")) {
            publisher.publish("to/amqp", qos, false, List.of(), "payload");
            assertThat(delivered().getProperties().getDeliveryMode()).isEqualTo(deliveryMode);
        }
    }

    @Test
    void contentTypeIsContentType() throws Exception {
        assertThat(published(new Property(MqttSocket.CONTENT_TYPE, "text/plain; charset=utf-8"))
                        .getContentType())
                .isEqualTo("text/plain; charset=utf-8");
    }

    @Test
    void aContentTypeOutsideAsciiIsLeftOut() throws Exception {
        assertThat(published(new Property(MqttSocket.CONTENT_TYPE, "téxt")).getContentType())
                .isNull();
    }

    @Test
    void correlationDataThatIsTextIsTheCorrelationId() throws Exception {
        BasicProperties properties = published(new Property(MqttSocket.CORRELATION_DATA, "Frage 1 ✓".getBytes(UTF_8)));
        assertThat(properties.getCorrelationId()).isEqualTo("Frage 1 ✓");
        assertThat(properties.getHeaders()).doesNotContainKey("x-correlation-id");
    }

    @Test
    void otherCorrelationDataIsAHeader() throws Exception {
        BasicProperties properties = published(new Property(MqttSocket.CORRELATION_DATA, BINARY));
        assertThat(properties.getCorrelationId()).isNull();
        assertThat(properties.getHeaders().get("x-correlation-id"))
                .isInstanceOfSatisfying(
                        LongString.class, value -> assertThat(value.getBytes()).isEqualTo(BINARY));
    }

    @Test
    void correlationDataThatIsTooLongForAShortStringIsAHeader() throws Exception {
        BasicProperties properties = published(
                new Property(MqttSocket.CORRELATION_DATA, "c".repeat(256).getBytes(UTF_8)));
        assertThat(properties.getCorrelationId()).isNull();
        assertThat(headers(properties)).containsEntry("x-correlation-id", "c".repeat(256));
    }

    @Test
    void aResponseTopicIsAKeyInAHeader() throws Exception {
        BasicProperties properties = published(new Property(MqttSocket.RESPONSE_TOPIC, "answers/to/me"));
        assertThat(headers(properties)).containsEntry("x-reply-to-topic", "answers.to.me");
        assertThat(properties.getReplyTo()).isNull();
    }

    @Test
    void messageExpiryIsExpirationInMilliseconds() throws Exception {
        assertThat(published(new Property(MqttSocket.MESSAGE_EXPIRY, 3_600)).getExpiration())
                .isEqualTo("3600000");
    }

    @Test
    void userPropertiesAreHeadersAndOfEqualNamesTheFirst() throws Exception {
        BasicProperties properties = published(
                Property.user("z", "1"), Property.user("a", "2"), Property.user("z", "3"), Property.user("ä", ""));
        assertThat(headers(properties))
                .containsOnly(entry("z", "1"), entry("a", "2"), entry("ä", ""), entry("x-client-id", "sensor"));
    }

    @Test
    void userPropertiesKeepTheirOrderAsHeaders() throws Exception {
        published(Property.user("zz first", "1"), Property.user("aa second", "2"), Property.user("mm third", "3"));
        assertThat(read.toString(ISO_8859_1))
                .containsSubsequence("zz first", "aa second", "mm third", "x-client-id", "payload");
    }

    @Test
    void thePayloadFormatIsLost() throws Exception {
        BasicProperties properties = published(new Property(MqttSocket.PAYLOAD_FORMAT, 1));
        assertThat(headers(properties)).containsOnlyKeys("x-client-id");
        assertThat(properties.getContentType()).isNull();
        assertThat(properties.getContentEncoding()).isNull();
    }

    @ParameterizedTest
    @ValueSource(ints = {4, 5})
    void retainIsAHeader(int level) throws Exception {
        consume("retained");
        try (MqttSocket publisher = new MqttSocket(PRODUCT.port("mqtt"), level, "sensor")) {
            publisher.publish("retained", 1, true, List.of(), "payload");
            assertThat(headers(delivered().getProperties())).containsEntry("x-retain", true);
            publisher.publish("retained", 1, true, List.of(), "");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "levels/of/a/topic, levels.of.a.topic",
        "a.dot/in.a/level, a.dot.in.a.level",
        "an/*/asterisk, an.*.asterisk",
        "/, .",
        "/empty//levels/, .empty..levels."
    })
    void aTopicIsAKeyWithDots(String topic, String key) throws Exception {
        consume("#");
        try (MqttSocket publisher = new MqttSocket(PRODUCT.port("mqtt"), 5, "sensor")) {
            publisher.publish(topic, 1, false, List.of(), "payload");
        }
        assertThat(delivered().getEnvelope().getRoutingKey()).isEqualTo(key);
    }

    @Test
    void aDotWithinALevelSeparatesNothing() throws Exception {
        consume("*.level");
        try (MqttSocket publisher = new MqttSocket(PRODUCT.port("mqtt"), 5, "sensor")) {
            publisher.publish("three/levels/level", 1, false, List.of(), "no");
            publisher.publish("two.dotted/level", 1, false, List.of(), "yes");
        }
        assertThat(delivered().getBody()).asString(UTF_8).isEqualTo("yes");
    }

    // ---- what MQTT clients see

    /** What an MQTT client that is subscribed at QoS 2 gets of an AMQP publish. */
    private Received received(int level, BasicProperties properties) throws Exception {
        try (MqttSocket subscriber = new MqttSocket(PRODUCT.port("mqtt"), level, "screen")) {
            assertThat(subscriber.subscribe("to/mqtt", 2)).isEqualTo(2);
            publish("to.mqtt", properties);
            Received received = subscriber.receive();
            assertThat(received.topic()).isEqualTo("to/mqtt");
            assertThat(received.text()).isEqualTo("body");
            assertThat(received.retain()).isFalse();
            return received;
        }
    }

    private void publish(String key, BasicProperties properties) throws Exception {
        channel.basicPublish(EXCHANGE, key, properties, "body".getBytes(UTF_8));
        channel.waitForConfirmsOrDie(SECONDS.toMillis(QUIET_SECONDS));
    }

    private static BasicProperties.Builder properties() {
        return new BasicProperties.Builder();
    }

    private static BasicProperties header(String name, Object value) {
        return properties().headers(Map.of(name, value)).build();
    }

    @Test
    void beforeMqtt5ThereIsTopicAndPayloadOnly() throws Exception {
        BasicProperties all = properties()
                .contentType("text/plain")
                .correlationId("c")
                .expiration("60000")
                .deliveryMode(2)
                .headers(Map.of("a", 1, "x-reply-to-topic", "r"))
                .build();
        assertThat(received(4, all).qos()).isEqualTo(1);
    }

    @Test
    void whatMqttHasNoWordForIsLost() throws Exception {
        BasicProperties all = properties()
                .messageId("m")
                .replyTo("r")
                .contentEncoding("gzip")
                .type("t")
                .timestamp(Date.from(Instant.ofEpochMilli(0)))
                .userId("guest")
                .appId("a")
                .priority(7)
                .build();
        assertThat(received(5, all).properties()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"1,0", "2,1", "0,0"})
    void deliveryModeBecomesQos(int deliveryMode, int qos) throws Exception {
        assertThat(received(5, properties().deliveryMode(deliveryMode).build()).qos())
                .isEqualTo(qos);
        assertThat(received(4, properties().deliveryMode(deliveryMode).build()).qos())
                .isEqualTo(qos);
    }

    @Test
    void contentTypeIsContentTypeBack() throws Exception {
        assertThat(received(5, properties().contentType("application/json").build())
                        .property(MqttSocket.CONTENT_TYPE))
                .isEqualTo("application/json");
    }

    @Test
    void theCorrelationIdIsCorrelationData() throws Exception {
        assertThat(received(5, properties().correlationId("Frage 1 ✓").build()).property(MqttSocket.CORRELATION_DATA))
                .isEqualTo("Frage 1 ✓".getBytes(UTF_8));
    }

    @Test
    void aCorrelationIdInAHeaderIsCorrelationData() throws Exception {
        assertThat(received(5, header("x-correlation-id", BINARY)).property(MqttSocket.CORRELATION_DATA))
                .isEqualTo(BINARY);
        assertThat(received(5, header("x-correlation-id", "c".repeat(1_000))).property(MqttSocket.CORRELATION_DATA))
                .isEqualTo("c".repeat(1_000).getBytes(UTF_8));
    }

    @Test
    void theCorrelationIdThatAmqpWasShownComesBack() throws Exception {
        byte[] bytes = {0, 1, (byte) 0xC3, 2};
        LongString shown = (LongString) published(new Property(MqttSocket.CORRELATION_DATA, bytes))
                .getHeaders()
                .get("x-correlation-id");
        assertThat(received(5, header("x-correlation-id", shown)).property(MqttSocket.CORRELATION_DATA))
                .isEqualTo(bytes);
    }

    @Test
    void aKeyToReplyToIsTheResponseTopic() throws Exception {
        assertThat(received(5, header("x-reply-to-topic", "answers.to.me")).property(MqttSocket.RESPONSE_TOPIC))
                .isEqualTo("answers/to/me");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a.#", "a.+.b"})
    void aKeyToReplyToThatIsNoTopicIsLost(String key) throws Exception {
        assertThat(received(5, header("x-reply-to-topic", key)).property(MqttSocket.RESPONSE_TOPIC))
                .isNull();
    }

    @Test
    void expirationIsTheExpiryThatIsLeft() throws Exception {
        assertThat((Integer)
                        received(5, properties().expiration("3600000").build()).property(MqttSocket.MESSAGE_EXPIRY))
                .isBetween(3_600 - QUIET_SECONDS, 3_600);
        assertThat(received(5, properties().expiration("600900").build()).property(MqttSocket.MESSAGE_EXPIRY))
                .as("rounded up")
                .isEqualTo(601);
    }

    @Test
    void headersAreUserProperties() throws Exception {
        Map<String, Object> headers = new LinkedHashMap<>();
        headers.put("z", "text");
        headers.put("long text", LongStringHelper.asLongString("ä"));
        headers.put("a", 42);
        headers.put("large", Long.MIN_VALUE);
        headers.put("fraction", 2.5);
        headers.put("decimal", new BigDecimal("1.50"));
        headers.put("true", true);
        headers.put("time", Date.from(Instant.ofEpochMilli(1_000)));
        assertThat(received(5, properties().headers(headers).build()).user())
                .containsOnly(
                        entry("z", "text"),
                        entry("long text", "ä"),
                        entry("a", "42"),
                        entry("large", "-9223372036854775808"),
                        entry("fraction", "2.5"),
                        entry("decimal", "1.50"),
                        entry("true", "true"),
                        entry("time", "1970-01-01T00:00:01Z"));
    }

    @Test
    void headersKeepTheirOrderAsUserProperties() throws Exception {
        Map<String, Object> headers = new HashMap<>();
        for (int i = 0; i < 100; i++) {
            headers.put("header " + i, Integer.toString(i));
        }
        BasicProperties properties = properties().headers(headers).build();
        // The client sends them as they stand in its own hash map, which is some order but no other's.
        List<Object> sent = List.copyOf(properties.getHeaders().entrySet());
        assertThat(sent).isNotEqualTo(List.copyOf(new TreeMap<>(headers).entrySet()));
        assertThat(received(5, properties).user()).isEqualTo(sent);
    }

    @Test
    void headersOfSeveralPartsOrBytesAreLeftOut() throws Exception {
        Map<String, Object> headers = new LinkedHashMap<>();
        headers.put("list", List.of(1, 2));
        headers.put("map", Map.of("a", 1));
        headers.put("bytes", BINARY);
        headers.put("nothing", null);
        headers.put("not utf", LongStringHelper.asLongString(BINARY));
        headers.put("zero", "a\0b");
        headers.put("long", "x".repeat(65_536));
        headers.put("fits", "x".repeat(40_000));
        assertThat(received(5, properties().headers(headers).build()).user())
                .containsExactly(entry("fits", "x".repeat(40_000)));
    }

    @Test
    void headersBeyond64KibAreLeftOut() throws Exception {
        Map<String, Object> headers = new LinkedHashMap<>();
        for (int i = 0; i < 10; i++) {
            headers.put("h" + i, "x".repeat(10_000));
        }
        assertThat(received(5, properties().headers(headers).build()).user()).hasSizeBetween(6, 7);
    }

    @Test
    void amqpHasNothingRetained() throws Exception {
        assertThat(received(5, header("x-retain", true)).user()).containsExactly(entry("x-retain", "true"));
        try (MqttSocket late = new MqttSocket(PRODUCT.port("mqtt"), 5, "late")) {
            assertThat(late.subscribe("to/mqtt", 1)).isEqualTo(1);
            publish("to.mqtt", header("x-second", true));
            assertThat(late.receive().user()).containsExactly(entry("x-second", "true"));
        }
    }

    @ParameterizedTest
    @CsvSource({"levels.of.a.key, levels/of/a/key", "a/slash.b, a/slash/b", "an.*.asterisk, an/*/asterisk", "., /"})
    void aKeyIsATopicWithSlashes(String key, String topic) throws Exception {
        try (MqttSocket subscriber = new MqttSocket(PRODUCT.port("mqtt"), 4, "screen")) {
            assertThat(subscriber.subscribe("#", 1)).isEqualTo(1);
            publish(key, null);
            assertThat(subscriber.receive().topic()).isEqualTo(topic);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a.+", "a.#.b", "a\0b", "a\u0001b", "a\u0085b"})
    void aKeyThatIsNoTopicIsNotDelivered(String key) throws Exception {
        try (MqttSocket subscriber = new MqttSocket(PRODUCT.port("mqtt"), 5, "screen");
                MqttSocket careless = new MqttSocket(PRODUCT.port("mqtt"), 5, "careless screen")) {
            assertThat(subscriber.subscribe("#", 1)).isEqualTo(1);
            assertThat(careless.subscribe("#", 0)).isZero();
            publish(key, null);
            publish("next", null);
            assertThat(List.of(subscriber.receive().topic(), careless.receive().topic()))
                    .containsExactly("next", "next");
        }
    }

    @ParameterizedTest
    @CsvSource({"0,CC", "1,CC", "0,BCC", "1,BCC"})
    void aCopyHasTheTopicThatIsSubscribedTo(int qos, String header) throws Exception {
        try (MqttSocket subscriber = new MqttSocket(PRODUCT.port("mqtt"), 5, "copies")) {
            assertThat(subscriber.subscribe("copy/+", qos)).isEqualTo(qos);
            publish("not.subscribed", header(header, List.of("nor.this", "copy.1")));
            assertThat(subscriber.receive().topic()).isEqualTo("copy/1");
        }
    }

    @Test
    void aGroupsCopyHasTheTopicThatIsSubscribedTo() throws Exception {
        try (MqttSocket subscriber = new MqttSocket(PRODUCT.port("mqtt"), 5, "copies")) {
            assertThat(subscriber.subscribe("$share/group/copy/+", 1)).isEqualTo(1);
            publish("not.subscribed", header("CC", List.of("nor.this", "copy.1")));
            assertThat(subscriber.receive().topic()).isEqualTo("copy/1");
        }
    }

    @Test
    void aMessageGoesThereAndBackAgain() throws Exception {
        List<Property> sent = List.of(
                new Property(MqttSocket.CONTENT_TYPE, "text/plain"),
                new Property(MqttSocket.RESPONSE_TOPIC, "answers"),
                Property.user("k", "v"));
        BasicProperties shown = published(sent.toArray(Property[]::new));
        List<Property> expected = new ArrayList<>(sent);
        expected.add(Property.user("x-reply-to-topic", "answers"));
        expected.add(Property.user("x-client-id", "sensor"));
        assertThat(received(5, shown).properties()).containsExactlyInAnyOrderElementsOf(expected);
    }
}
