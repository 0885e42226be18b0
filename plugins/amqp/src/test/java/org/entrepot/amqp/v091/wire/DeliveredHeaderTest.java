package org.entrepot.amqp.v091.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.entrepot.spi.message.Annotations;
import org.entrepot.spi.message.Bytes;
import org.entrepot.spi.message.Death;
import org.entrepot.spi.message.DeathReason;
import org.entrepot.spi.message.Envelope;
import org.entrepot.spi.message.RoutingKey;
import org.junit.jupiter.api.Test;

class DeliveredHeaderTest {
    private static final Envelope ENVELOPE = Envelope.of("dlx", RoutingKey.of("k"), true);
    private static final Death EXPIRED = new Death(
            "q1",
            DeathReason.EXPIRED,
            2,
            1_700_000_000_999L,
            "ex",
            List.of(RoutingKey.of("k"), RoutingKey.of("cc")),
            500);
    private static final Death REJECTED = new Death(
            "q2", DeathReason.REJECTED, 1, 1_700_000_001_000L, "", List.of(RoutingKey.of("q2")), Envelope.NO_TTL);

    @Test
    void isTheSameObjectWhereThereIsNothingToSay() {
        Bytes header = header("2000 [ `x-death` 'V' `CC` 'A' [] ]");

        assertThat(DeliveredHeader.render(header, ENVELOPE, Annotations.NONE, 0))
                .isSameAs(header);
    }

    @Test
    void tellsADeathToTheByte() {
        Bytes rendered = render("3100 [ `a` 'b' 01 ] 02 `500`", died(EXPIRED), 0);

        assertThat(rendered).isEqualTo(header("""
                                3000 [ `a` 'b' 01
                                  `x-death` 'A' [ 'F' [
                                    `original-expiration` 'S' ['500']
                                    `count` 'l' 0000000000000002
                                    `reason` 'S' ['expired']
                                    `queue` 'S' ['q1']
                                    `time` 'T' 000000006553f100
                                    `exchange` 'S' ['ex']
                                    `routing-keys` 'A' [ 'S' ['k'] 'S' ['cc'] ] ] ]
                                  `x-first-death-exchange` 'S' ['ex'] `x-first-death-queue` 'S' ['q1'] `x-first-death-reason` 'S' ['expired']
                                  `x-last-death-exchange` 'S' ['ex'] `x-last-death-queue` 'S' ['q1'] `x-last-death-reason` 'S' ['expired']
                                ] 02
                                """));
    }

    @Test
    void tellsDeathsMostRecentFirst() {
        Map<String, Object> headers = headers(render("0000", new Annotations(List.of(REJECTED, EXPIRED), EXPIRED), 0));

        assertThat(headers.keySet())
                .containsExactly(
                        "x-death",
                        "x-first-death-exchange",
                        "x-first-death-queue",
                        "x-first-death-reason",
                        "x-last-death-exchange",
                        "x-last-death-queue",
                        "x-last-death-reason");
        assertThat(headers)
                .containsEntry("x-first-death-queue", "q1")
                .containsEntry("x-first-death-reason", "expired")
                .containsEntry("x-first-death-exchange", "ex")
                .containsEntry("x-last-death-queue", "q2")
                .containsEntry("x-last-death-reason", "rejected")
                .containsEntry("x-last-death-exchange", "");
        assertThat(headers.get("x-death"))
                .isEqualTo(List.of(
                        Map.of(
                                "count",
                                1L,
                                "reason",
                                "rejected",
                                "queue",
                                "q2",
                                "time",
                                Instant.ofEpochSecond(1_700_000_001),
                                "exchange",
                                "",
                                "routing-keys",
                                List.of("q2")),
                        Map.of(
                                "count", 2L,
                                "reason", "expired",
                                "queue", "q1",
                                "time", Instant.ofEpochSecond(1_700_000_000),
                                "exchange", "ex",
                                "routing-keys", List.of("k", "cc"),
                                "original-expiration", "500")));
    }

    @Test
    void namesEveryReasonAsRabbitMqDoes() {
        assertThat(DeathReason.values())
                .extracting(DeliveredHeaderTest::reason)
                .containsExactly("rejected", "expired", "maxlen", "delivery_limit");
    }

    @Test
    void takesThePlaceOfWhatAClientSent() {
        Bytes rendered = render(
                "2000 [ `x-death` 'A' [] `x-first-death-queue` 'S' ['mine'] `x-last-death-reason` 'V' `x-other` 't' 01 ]",
                died(EXPIRED),
                0);

        assertThat(headers(rendered)).containsEntry("x-first-death-queue", "q1").containsEntry("x-other", true);
        assertThat(names(rendered)).doesNotHaveDuplicates();
    }

    @Test
    void takesTheExpirationAwayFromTheDead() {
        assertThat(new Properties(render("0100 `500`", died(EXPIRED), 0)).property("expiration"))
                .isNull();
        assertThat(new Properties(render("0100 `500`", Annotations.NONE, 1)).property("expiration"))
                .isEqualTo("500");
    }

    @Test
    void takesCcAwayWhereTheDeadLetterKeyReplacedIt() {
        String header = "2000 [ `CC` 'A' [ 'S' ['cc'] ] ]";
        Envelope kept = new Envelope(
                "dlx",
                RoutingKey.of("k"),
                List.of(RoutingKey.of("cc")),
                List.of(),
                true,
                Envelope.NO_PRIORITY,
                Envelope.NO_TTL);

        assertThat(headers(render(header, died(EXPIRED), 0))).doesNotContainKey("CC");
        assertThat(headers(DeliveredHeader.render(header(header), kept, died(EXPIRED), 0)))
                .containsKey("CC");
        assertThat(headers(render(header, Annotations.NONE, 1))).containsKey("CC");
    }

    @Test
    void countsReturns() {
        Bytes rendered = render("2000 [ `x-delivery-count` 'l' 0000000000000009 `z` 'V' ]", Annotations.NONE, 3);

        assertThat(rendered).isEqualTo(header("2000 [ `z` 'V' `x-delivery-count` 'l' 0000000000000003 ]"));
    }

    @Test
    void addsHeadersWhereThereAreNone() {
        assertThat(render("0000", Annotations.NONE, 1))
                .isEqualTo(header("2000 [ `x-delivery-count` 'l' 0000000000000001 ]"));
        assertThat(render("9000 `t` 02", Annotations.NONE, 1))
                .isEqualTo(header("b000 `t` [ `x-delivery-count` 'l' 0000000000000001 ] 02"));
    }

    @Test
    void keepsEveryPropertyAndDuplicateKeysAsTheyAre() {
        String before = "`text` `gz` ";
        String after = " 02 09 `cor` `reply` `5000` `mid` 0000000065000000 `type` `guest` `app` `cl`";
        String fields = "`h` 'L' 0000000000000001 `h` 'S' [c328] 02 c328 't' 02";

        assertThat(render("fffc " + before + "[" + fields + "]" + after, Annotations.NONE, 1))
                .isEqualTo(
                        header("fffc " + before + "[" + fields + "`x-delivery-count` 'l' 0000000000000001 ]" + after));
    }

    @Test
    void replacesAReplyTo() {
        assertThat(DeliveredHeader.withReplyTo(header("1380 02 `amq.rabbitmq.reply-to` `500` `mid`"), "back"))
                .isEqualTo(header("1380 02 `back` `500` `mid`"));
    }

    @Test
    void addsAReplyTo() {
        assertThat(DeliveredHeader.withReplyTo(header("3180 [] 02 `500` `mid`"), "back"))
                .isEqualTo(header("3380 [] 02 `back` `500` `mid`"));
    }

    @Test
    void refusesAReplyToThatDoesNotFit() {
        Bytes header = header("0000");

        assertThatThrownBy(() -> DeliveredHeader.withReplyTo(header, "r".repeat(256)))
                .isInstanceOf(IllegalArgumentException.class);
    }

    private static Annotations died(Death death) {
        return new Annotations(List.of(death), death);
    }

    private static Object reason(DeathReason reason) {
        Death death = new Death("q", reason, 1, 0, "", List.of(), Envelope.NO_TTL);
        return headers(render("0000", died(death), 0)).get("x-first-death-reason");
    }

    private static Bytes header(String pattern) {
        return Bytes.wrap(Wire.bytes(pattern));
    }

    private static Bytes render(String header, Annotations annotations, int returns) {
        return DeliveredHeader.render(header(header), ENVELOPE, annotations, returns);
    }

    private static Map<String, Object> headers(Bytes header) {
        return new Properties(header).headers();
    }

    private static List<String> names(Bytes header) {
        List<String> names = new ArrayList<>();
        ByteBuf buffer = Unpooled.wrappedBuffer(header.toArray());
        new PropertyScanner()
                .scan(
                        buffer,
                        0,
                        header.length(),
                        (b, key, letter, end) ->
                                names.add(b.toString(key + 1, letter - key - 1, StandardCharsets.UTF_8)));
        return names;
    }
}
