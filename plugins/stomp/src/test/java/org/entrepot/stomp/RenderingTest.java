package org.entrepot.stomp;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.entrepot.spi.message.Annotations;
import org.entrepot.spi.message.Bytes;
import org.entrepot.spi.message.Envelope;
import org.entrepot.spi.message.Message;
import org.entrepot.spi.message.MessageFormat;
import org.entrepot.spi.message.PropertyNames;
import org.entrepot.spi.message.RoutingKey;
import org.junit.jupiter.api.Test;

/** Lines of messages of other formats than STOMP's own. */
class RenderingTest {
    private final StompMessageFormat own = new StompMessageFormat();
    private final Rendering rendering = new Rendering(own);

    /** A format that answers what the test says. */
    private record Given(Map<String, Object> properties, Map<String, Object> given) implements MessageFormat {
        @Override
        public String name() {
            return "given";
        }

        @Override
        public Map<String, Object> headers(Bytes header) {
            return given;
        }

        @Override
        public Object property(Bytes header, String name) {
            return properties.get(name);
        }
    }

    private String lines(Map<String, Object> properties, Map<String, Object> headers) {
        Message message = new Message(new Given(properties, headers), Bytes.EMPTY, Bytes.EMPTY);
        Envelope envelope = Envelope.of("", RoutingKey.of("q"), false);
        return rendering.lines(message, envelope, Annotations.NONE, 0).toUtf8();
    }

    @Test
    void ownLinesAreHandedOnAsTheyAre() {
        Message message = new Message(own, Bytes.utf8("a:b\n"), Bytes.EMPTY);
        Envelope envelope = Envelope.of("", RoutingKey.of("q"), true);

        assertThat(rendering.lines(message, envelope, Annotations.NONE, 0)).isSameAs(message.header());
    }

    @Test
    void whatIsNoTextIsLeftOut() {
        assertThat(lines(Map.of(PropertyNames.CORRELATION_ID, Bytes.wrap(new byte[] {(byte) 0xff})), Map.of()))
                .isEmpty();
        assertThat(lines(Map.of(), Map.of("a", Bytes.wrap(new byte[] {1})))).isEmpty();
        assertThat(lines(Map.of(), Map.of("a", List.of(1L)))).isEmpty();
        assertThat(lines(Map.of(), Map.of("a", MessageFormat.Absent.VALUE))).isEmpty();
    }

    @Test
    void instantsAreSeconds() {
        assertThat(lines(
                        Map.of(PropertyNames.TIMESTAMP, Instant.ofEpochMilli(1_999)),
                        Map.of("at", Instant.ofEpochSecond(2))))
                .isEqualTo("timestamp:1\nat:2\n");
    }

    @Test
    void aTopicToAnswerToIsADestination() {
        assertThat(lines(Map.of(PropertyNames.REPLY_TO_TOPIC, "a/b"), Map.of())).isEqualTo("reply-to:/topic/a.b\n");
    }

    @Test
    void keysOfOtherFormatsAreShownWithDots() {
        Envelope envelope = Envelope.of("amq.topic", RoutingKey.join(List.of("a.b", "c")), false);
        Message other = new Message(new Given(Map.of(), Map.of()), Bytes.EMPTY, Bytes.EMPTY);

        assertThat(rendering.key(other, envelope).toString()).isEqualTo("a.b.c");
        assertThat(rendering.key(new Message(own, Bytes.EMPTY, Bytes.EMPTY), envelope))
                .isSameAs(envelope.routingKey());
    }
}
