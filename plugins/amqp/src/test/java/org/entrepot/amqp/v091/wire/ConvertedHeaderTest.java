package org.entrepot.amqp.v091.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import java.math.BigDecimal;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.entrepot.amqp.v091.GivenFormat;
import org.entrepot.spi.message.Annotations;
import org.entrepot.spi.message.Bytes;
import org.entrepot.spi.message.Envelope;
import org.entrepot.spi.message.MessageFormat;
import org.entrepot.spi.message.RoutingKey;
import org.junit.jupiter.api.Test;

class ConvertedHeaderTest {
    private static final int FRAME_MAX = 131_072;
    private static final Envelope DURABLE = Envelope.of("amq.topic", RoutingKey.of("a.b"), true);
    private static final Envelope TRANSIENT = Envelope.of("amq.topic", RoutingKey.of("a.b"), false);

    @Test
    void aMessageWithoutPropertiesHasItsDeliveryMode() {
        assertThat(convert(Map.of(), Map.of(), DURABLE)).isEqualTo(Bytes.wrap(Wire.bytes("1000 02")));
        assertThat(convert(Map.of(), Map.of(), TRANSIENT)).isEqualTo(Bytes.wrap(Wire.bytes("1000 01")));
    }

    @Test
    void everyPropertyThatFitsHasItsPlace() {
        Map<String, Object> properties = Map.ofEntries(
                entry("content-type", "text/plain"),
                entry("content-encoding", "gzip"),
                entry("correlation-id", "cor"),
                entry("reply-to", "reply"),
                entry("message-id", "mid"),
                entry("timestamp", Instant.ofEpochSecond(0x65000000L, 999_000_000)),
                entry("type", "type"),
                entry("user-id", "guest"),
                entry("app-id", "app"),
                entry("cluster-id", "cl"));
        Envelope envelope = new Envelope("amq.topic", RoutingKey.of("a.b"), List.of(), List.of(), true, 9, 5_000);

        assertThat(convert(Map.of("h", true), properties, envelope))
                .isEqualTo(Bytes.wrap(Wire.bytes("fffc `text/plain` `gzip` [ `h` 't' 01 ] 02 09 `cor` `reply` `5000`"
                        + " `mid` 0000000065000000 `type` `guest` `app` `cl`")));
    }

    @Test
    void headersKeepTheirOrderAndTypes() {
        Map<String, Object> headers = new LinkedHashMap<>();
        headers.put("z", "text");
        headers.put("y", 7L);
        headers.put("x", 0.5);
        headers.put("w", new BigDecimal("1.25"));
        headers.put("v", Bytes.wrap(new byte[] {0, -1}));
        headers.put("u", Instant.ofEpochSecond(5));
        headers.put("t", MessageFormat.Absent.VALUE);
        headers.put("s", List.of("one", 2L));
        headers.put("r", Map.of("k", false));

        Map<String, Object> read = headers(convert(headers, Map.of(), DURABLE));

        assertThat(read).isEqualTo(headers);
        assertThat(read.keySet()).containsExactlyElementsOf(headers.keySet());
    }

    @Test
    void aCorrelationIdThatIsNoShortStringIsAHeader() {
        String longText = "\u20ac".repeat(86);
        Bytes noText = Bytes.wrap(new byte[] {(byte) 0xC3, 0x28});

        assertThat(correlation("c".repeat(255))).containsExactly("c".repeat(255), null);
        assertThat(correlation(longText)).containsExactly(null, longText);
        assertThat(correlation(noText)).containsExactly(null, noText);
        assertThat(correlation("zero\0")).containsExactly(null, "zero\0");
        assertThat(correlation(Bytes.utf8("text"))).containsExactly("text", null);
        for (Object id : List.of("short", longText, noText)) {
            assertThat(new Properties(convert(Map.of(), Map.of("correlation-id", id), DURABLE))
                            .property("correlation-id"))
                    .as("read again")
                    .isEqualTo(id);
        }
    }

    /** The property, and the header that stands in for it. */
    private static List<Object> correlation(Object id) {
        Bytes header = convert(Map.of(), Map.of("correlation-id", id), DURABLE);
        PropertyScanner scanner = new PropertyScanner();
        scanner.scan(io.netty.buffer.Unpooled.wrappedBuffer(header.toArray()), 0, header.length(), null);
        List<Object> both = new ArrayList<>();
        both.add(
                scanner.has(PropertyScanner.CORRELATION_ID) ? new Properties(header).property("correlation-id") : null);
        both.add(headers(header).get("x-correlation-id"));
        return both;
    }

    @Test
    void textsThatAreNoShortStringsAreLeftOut() {
        Map<String, Object> properties = Map.of(
                "content-type", "text/\u20ac",
                "message-id", "m".repeat(256),
                "type", Bytes.utf8("bytes"),
                "timestamp", "yesterday",
                "app-id", "a\0b",
                "reply-to", "kept");

        assertThat(convert(Map.of(), properties, DURABLE)).isEqualTo(Bytes.wrap(Wire.bytes("1200 02 `kept`")));
    }

    @Test
    void aTopicForAnswersIsAKeyInAHeader() {
        Bytes header = convert(Map.of(), Map.of("reply-to-topic", "answers/for.me/now"), DURABLE);

        assertThat(headers(header)).containsExactly(entry("x-reply-to-topic", "answers.for.me.now"));
        assertThat(new Properties(header).property("reply-to-topic")).isEqualTo("answers/for/me/now");
    }

    @Test
    void whetherItIsRetainedIsAHeader() {
        Bytes retained = convert(Map.of(), Map.of("retain", true), DURABLE);

        assertThat(headers(retained)).containsExactly(entry("x-retain", true));
        assertThat(new Properties(retained).property("retain")).isEqualTo(true);
        assertThat(headers(convert(Map.of(), Map.of("retain", false), DURABLE))).isEmpty();
    }

    @Test
    void anApplicationsHeaderDoesNotStandInForAProperty() {
        Map<String, Object> headers = Map.of("x-reply-to-topic", "mine", "x-correlation-id", "mine too");

        assertThat(headers(convert(headers, Map.of("reply-to-topic", "a"), DURABLE)))
                .containsOnly(entry("x-reply-to-topic", "a"), entry("x-correlation-id", "mine too"));
    }

    @Test
    void furtherKeysAreTold() {
        Envelope envelope = new Envelope(
                "amq.topic",
                RoutingKey.of("a"),
                List.of(RoutingKey.of("b"), RoutingKey.join(List.of("c.d", "e"))),
                List.of(RoutingKey.of("blind")),
                false,
                Envelope.NO_PRIORITY,
                Envelope.NO_TTL);

        assertThat(headers(convert(Map.of(), Map.of(), envelope))).containsExactly(entry("CC", List.of("b", "c.d.e")));
    }

    @Test
    void keysAreLevelsWithDotsBetween() {
        assertThat(ConvertedHeader.dotted(RoutingKey.join(List.of("a", "b.c", "", "d\0e"))))
                .isEqualTo(RoutingKey.of("a.b.c..d\0e"));
        RoutingKey plain = RoutingKey.of("a.b");
        assertThat(ConvertedHeader.dotted(plain)).isSameAs(plain);
    }

    @Test
    void headersThatAmqpHasNoRoomForAreLeftOut() {
        Map<String, Object> headers = new LinkedHashMap<>();
        headers.put("k".repeat(256), 1L);
        headers.put("nested", Map.of("k".repeat(256), 1L));
        headers.put("deep", nested(FieldTable.DEPTH_MAX));
        headers.put("many", new ArrayList<>(java.util.Collections.nCopies(FieldTable.ELEMENTS_MAX, 1L)));
        headers.put("as deep as may be", nested(FieldTable.DEPTH_MAX - 1));
        headers.put("last", 1L);

        Bytes header = convert(headers, Map.of(), DURABLE);

        assertThat(headers(header).keySet()).containsExactly("as deep as may be", "last");
        // Reads it once more, and so has it checked against the limits of tables.
        assertThat(headers(DeliveredHeader.render(header, DURABLE, Annotations.NONE, 1)))
                .containsEntry("x-delivery-count", 1L);
    }

    private static Object nested(int depth) {
        Object value = 1L;
        for (int i = 0; i < depth; i++) {
            value = List.of(value);
        }
        return value;
    }

    @Test
    void aHeaderFitsTheFramesOfItsClient() {
        Map<String, Object> headers = new LinkedHashMap<>();
        headers.put("too large", "v".repeat(Frames.FRAME_BYTES_MIN));
        for (int i = 0; i < 1_000; i++) {
            headers.put("h" + i, "some value");
        }
        Map<String, Object> properties = new LinkedHashMap<>();
        for (String name : List.of("content-type", "correlation-id", "reply-to", "message-id", "type", "app-id")) {
            properties.put(name, "p".repeat(255));
        }

        Bytes header = ConvertedHeader.of(
                GivenFormat.message(headers, properties, Bytes.EMPTY), DURABLE, Frames.FRAME_BYTES_MIN);

        assertThat(Frames.OVERHEAD_BYTES + HeaderCursor.FIXED_BYTES + header.length())
                .isLessThanOrEqualTo(Frames.FRAME_BYTES_MIN);
        assertThat(headers(header)).hasSizeGreaterThan(50).containsEntry("h0", "some value");
        assertThat(new Properties(header).property("app-id")).isEqualTo("p".repeat(255));
        assertThat(headers(convert(headers, properties, DURABLE))).isEqualTo(headers);
    }

    private static Bytes convert(Map<String, Object> headers, Map<String, Object> properties, Envelope envelope) {
        return ConvertedHeader.of(GivenFormat.message(headers, properties, Bytes.EMPTY), envelope, FRAME_MAX);
    }

    private static Map<String, Object> headers(Bytes header) {
        return new Properties(header).headers();
    }
}
