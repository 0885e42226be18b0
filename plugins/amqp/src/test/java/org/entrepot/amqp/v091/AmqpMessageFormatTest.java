package org.entrepot.amqp.v091;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.impl.ContentHeaderPropertyWriter;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.time.Instant;
import java.util.Date;
import java.util.HashMap;
import java.util.Map;
import org.entrepot.spi.message.Bytes;
import org.entrepot.spi.message.MessageFormat;
import org.entrepot.spi.message.PropertyNames;
import org.junit.jupiter.api.Test;

class AmqpMessageFormatTest {
    private final MessageFormat format = new AmqpMessageFormat();

    @Test
    @SuppressWarnings("JavaUtilDate") // It is the client's type.
    void readsThePropertiesThatTheJavaClientWrites() throws IOException {
        Bytes header = encode(new AMQP.BasicProperties.Builder()
                .contentType("text/plain")
                .contentEncoding("gzip")
                .headers(Map.of("k", 1))
                .deliveryMode(2)
                .priority(200)
                .correlationId("cor")
                .replyTo("reply")
                .expiration("5000")
                .messageId("m\u20ac")
                .timestamp(new Date(1_700_000_000_000L))
                .type("type")
                .userId("guest")
                .appId("app")
                .clusterId("cluster")
                .build());

        assertThat(format.property(header, "content-type")).isEqualTo("text/plain");
        assertThat(format.property(header, "content-encoding")).isEqualTo("gzip");
        assertThat(format.property(header, "delivery-mode")).isEqualTo(2L);
        assertThat(format.property(header, "priority")).isEqualTo(200L);
        assertThat(format.property(header, "correlation-id")).isEqualTo("cor");
        assertThat(format.property(header, "reply-to")).isEqualTo("reply");
        assertThat(format.property(header, "expiration")).isEqualTo("5000");
        assertThat(format.property(header, "message-id")).isEqualTo("m\u20ac");
        assertThat(format.property(header, "timestamp")).isEqualTo(Instant.ofEpochSecond(1_700_000_000));
        assertThat(format.property(header, "type")).isEqualTo("type");
        assertThat(format.property(header, "user-id")).isEqualTo("guest");
        assertThat(format.property(header, "app-id")).isEqualTo("app");
        assertThat(format.property(header, "cluster-id")).isEqualTo("cluster");
        assertThat(format.property(header, "headers")).isNull();
        assertThat(format.headers(header)).containsExactly(entry("k", 1L));
    }

    @Test
    void findsNothingWhereNothingIsSet() throws IOException {
        Bytes header = encode(new AMQP.BasicProperties());

        assertThat(format.headers(header)).isEmpty();
        assertThat(format.property(header, "message-id")).isNull();
        assertThat(format.property(header, "no-such-property")).isNull();
    }

    @Test
    void headersStandInForPropertiesThatAmqpDoesNotHave() throws IOException {
        Bytes header = encode(new AMQP.BasicProperties.Builder()
                .headers(Map.of(
                        "x-correlation-id", new byte[] {-1}, "x-reply-to-topic", "answers.for.me", "x-retain", true))
                .build());

        assertThat(format.property(header, PropertyNames.CORRELATION_ID)).isEqualTo(Bytes.wrap(new byte[] {-1}));
        assertThat(format.property(header, PropertyNames.REPLY_TO_TOPIC)).isEqualTo("answers/for/me");
        assertThat(format.property(header, PropertyNames.RETAIN)).isEqualTo(true);
        assertThat(format.property(header, PropertyNames.UTF8)).isNull();
    }

    @Test
    void aPropertyIsPreferredToTheHeaderThatStandsInForIt() throws IOException {
        Bytes header = encode(new AMQP.BasicProperties.Builder()
                .correlationId("own")
                .headers(Map.of("x-correlation-id", "header", "x-reply-to-topic", 1, "x-retain", "yes"))
                .build());

        assertThat(format.property(header, PropertyNames.CORRELATION_ID)).isEqualTo("own");
        assertThat(format.property(header, PropertyNames.REPLY_TO_TOPIC)).isNull();
        assertThat(format.property(header, PropertyNames.RETAIN)).isNull();
    }

    @Test
    void keepsTheOrderOfHeaders() throws IOException {
        Map<String, Object> headers = new HashMap<>();
        for (int i = 20; i > 0; i--) {
            headers.put("h" + i, (long) i);
        }
        AMQP.BasicProperties properties =
                new AMQP.BasicProperties.Builder().headers(headers).build();

        Map<String, Object> read = format.headers(encode(properties));

        assertThat(read).isEqualTo(headers);
        assertThat(read.keySet())
                .containsExactlyElementsOf(properties.getHeaders().keySet());
    }

    @Test
    void textThatIsNotUtf8IsBytes() {
        Bytes header = Bytes.wrap(new byte[] {0, (byte) 0x80, 2, (byte) 0xC3, 0x28});

        assertThat(format.property(header, "message-id")).isEqualTo(Bytes.wrap(new byte[] {(byte) 0xC3, 0x28}));
    }

    @Test
    void isStoredUnderItsName() {
        assertThat(format.name()).isEqualTo("amqp091");
    }

    private static Bytes encode(AMQP.BasicProperties properties) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        ContentHeaderPropertyWriter writer = new ContentHeaderPropertyWriter(new DataOutputStream(bytes));
        properties.writePropertiesTo(writer);
        return Bytes.wrap(bytes.toByteArray());
    }
}
