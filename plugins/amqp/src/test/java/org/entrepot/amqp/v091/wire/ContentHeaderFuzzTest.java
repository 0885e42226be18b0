package org.entrepot.amqp.v091.wire;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import com.code_intelligence.jazzer.mutation.annotation.NotNull;
import io.netty.buffer.Unpooled;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.entrepot.spi.message.Annotations;
import org.entrepot.spi.message.Bytes;
import org.entrepot.spi.message.Death;
import org.entrepot.spi.message.DeathReason;
import org.entrepot.spi.message.Envelope;
import org.entrepot.spi.message.RoutingKey;
import org.junit.jupiter.params.provider.MethodSource;

/** Any bytes are a content header or a clean refusal, and one that was accepted can be stored, read and delivered. */
class ContentHeaderFuzzTest {
    private static final Death DEATH =
            new Death("q", DeathReason.EXPIRED, 1, 1000, "x", List.of(RoutingKey.of("k")), 500);
    private static final Envelope ENVELOPE = Envelope.of("x", RoutingKey.of("k"), true);

    @MethodSource("seeds")
    @FuzzTest
    void deliversWhatItAccepts(byte @NotNull [] data) {
        HeaderCursor cursor = new HeaderCursor();
        try {
            cursor.parse(Unpooled.wrappedBuffer(data), 0, data.length);
        } catch (WireException e) {
            assertThat(e.code().closesConnection()).isTrue();
            return;
        }
        assertThat(cursor.bodySize()).isBetween(0L, HeaderCursor.BODY_BYTES_MAX);
        assertThat(cursor.priority()).isBetween(-1, 255);
        assertThat(cursor.userIdIndex() + cursor.userIdLength()).isLessThanOrEqualTo(data.length);
        assertThat(cursor.replyToIndex() + cursor.replyToLength()).isLessThanOrEqualTo(data.length);
        softly(cursor::ttlMillis);
        softly(cursor::copies);
        softly(cursor::blindCopies);
        byte[] copy = new byte[cursor.headerLength()];
        cursor.copyHeader(copy, 0);
        Bytes header = Bytes.wrap(copy);
        if (!cursor.hasCopies()) {
            assertThat(header).isEqualTo(Bytes.wrap(data).slice(HeaderCursor.FIXED_BYTES, copy.length));
        }
        assertThat(new Properties(header).headers()).doesNotContainKey("BCC");
        Bytes delivered =
                DeliveredHeader.render(header, ENVELOPE, new Annotations(List.of(DEATH), DEATH), cursor.priority() + 2);
        assertThat(new Properties(delivered).headers()).containsEntry("x-first-death-queue", "q");
        assertThat(new Properties(delivered).property("expiration")).isNull();
        assertThat(new Properties(DeliveredHeader.withReplyTo(header, "r")).property("reply-to"))
                .isEqualTo("r");
    }

    private static void softly(Supplier<?> call) {
        try {
            assertThat(call.get()).isNotNull();
        } catch (WireException e) {
            assertThat(e.code()).isEqualTo(ReplyCode.PRECONDITION_FAILED);
        }
    }

    static Stream<byte[]> seeds() {
        String fixed = "003c 0000 0000000000000005 ";
        return Stream.of(
                Wire.bytes(fixed + "0000"),
                Wire.bytes(fixed + "1000 02"),
                Wire.bytes(fixed + "fffc `text` `gz` [ `h` 'b' 07 `v` 'V' ] 02 09 `cor` `reply` `5000` `mid`"
                        + "0000000065000000 `type` `guest` `app` `cl`"),
                Wire.bytes(fixed + "b100 `t` [ `BCC` 'A' [ 'S' ['cc'] ] `CC` 'A' [ 'S' ['dd'] ] `BCC` 'V' ] 02 `-1`"),
                Wire.bytes(fixed + "2000 [ `CC` 'S' ['dd'] `x-death` 'A' [ 'F' [ `count` 'l' 0000000000000001 ] ] ]"),
                Wire.bytes(fixed + "0100 `5x`"),
                Wire.bytes(fixed + "0001 0000"),
                Wire.bytes("0032 0000 0000000000000005 0000"),
                Wire.bytes("003c 0000 ffffffffffffffff 0000"));
    }
}
