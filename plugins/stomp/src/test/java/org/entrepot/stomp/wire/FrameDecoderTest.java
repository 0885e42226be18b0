package org.entrepot.stomp.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** How input is cut into frames, and how frames wait. */
class FrameDecoderTest {

    private static ByteBuf bytes(String text) {
        return Unpooled.wrappedBuffer(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    @Test
    void framesAreTheSameAtEveryCut() {
        String input = "\n\r\nSEND\ndestination:/queue/a\r\nx:1\nx:2\nc:a:b\n\nhello\0\0"
                + "SEND\ncontent-length:300\n\n" + "ab\0".repeat(100) + "\0"
                + "BEGIN\ntransaction:t\n\nignored\0\n"
                + "SEND\ndestination:b\n\n" + "z".repeat(400) + "\0";
        byte[] data = input.getBytes(StandardCharsets.ISO_8859_1);
        List<String> whole = Recorder.read(data, data.length);
        assertThat(whole)
                .containsExactly(
                        "SEND destination:/queue/a\nx:1\nc:a\\cb\n|hello",
                        "SEND content-length:300\n|" + "ab\0".repeat(100),
                        "BEGIN transaction:t\n|",
                        "SEND destination:b\n|" + "z".repeat(400));
        for (int size = 1; size < data.length; size++) {
            assertThat(Recorder.read(data, size)).as("in reads of %d", size).isEqualTo(whole);
        }
    }

    @Test
    void framesAreTheSameAtRandomCuts() {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        StringBuilder input = new StringBuilder();
        List<String> expected = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            String body = "b".repeat(random.nextInt(600));
            boolean counted = random.nextBoolean();
            String line = "x:" + i;
            String length = counted ? "content-length:" + body.length() + "\n" : "";
            input.append("SEND\n")
                    .append(line)
                    .append('\n')
                    .append(length)
                    .append('\n')
                    .append(body)
                    .append('\0');
            expected.add("SEND " + line + "\n" + length + "|" + body);
        }
        byte[] data = input.toString().getBytes(StandardCharsets.ISO_8859_1);
        Recorder recorder = new Recorder();
        FrameDecoder decoder = recorder.decoder();
        for (int at = 0; at < data.length; ) {
            int size = Math.min(1 + random.nextInt(700), data.length - at);
            decoder.read(Unpooled.wrappedBuffer(data, at, size), recorder);
            at += size;
        }
        assertThat(recorder.frames).as("seed %d", seed).isEqualTo(expected);
        assertThat(recorder.taken).isZero();
    }

    @Test
    void whatIsHeldWaitsInOrder() {
        List<String> seen = new ArrayList<>();
        Recorder recorder = new Recorder();
        FrameDecoder decoder = recorder.decoder();
        FrameSink holding = (head, body) -> {
            seen.add(head.text(Header.ID));
            decoder.hold();
        };
        StringBuilder input = new StringBuilder();
        for (int i = 0; i < 40; i++) {
            input.append("ACK\nid:").append(i).append("\n\n\0");
        }
        decoder.read(bytes(input.toString()), holding);
        decoder.read(bytes("ACK\nid:40\n\n\0ACK\nid:4"), holding);
        decoder.read(bytes("1\n\n\0"), holding);
        assertThat(seen).containsExactly("0");
        for (int i = 1; i <= 41; i++) {
            decoder.resume(holding);
            assertThat(seen).hasSize(i + 1).last().isEqualTo(Integer.toString(i));
        }
        decoder.resume(holding);
        assertThat(decoder.waitingBytes()).isZero();
        decoder.read(bytes("ACK\nid:42\n\n\0"), holding);
        assertThat(seen).last().isEqualTo("42");
    }

    @Test
    void nothingIsPassedOnOnceStopped() {
        Recorder recorder = new Recorder();
        FrameDecoder decoder = recorder.decoder();
        List<String> seen = new ArrayList<>();
        decoder.read(bytes("ACK\n\n\0NACK\n\n\0"), (head, body) -> {
            seen.add(head.command().name());
            decoder.stop();
        });
        decoder.read(bytes("NACK\n\n\0"), recorder);
        assertThat(seen).containsExactly("ACK");
        assertThat(recorder.frames).isEmpty();
    }

    @Test
    void announcingALargeBodyCostsNothing() {
        Recorder recorder = new Recorder();
        FrameDecoder decoder = new FrameDecoder(new byte[Recorder.WINDOW], Recorder.LIMITS, 1 << 30, new BodyRoom() {
            @Override
            public void take(int bytes) {
                recorder.taken += bytes;
            }

            @Override
            public void giveBack(long bytes) {}
        });
        decoder.read(bytes("SEND\ncontent-length:1000000000\n\nabc"), recorder);
        assertThat(recorder.taken).isLessThanOrEqualTo(FrameBody.PIECE_BYTES_MIN);
    }

    @Test
    void aCopyOfAHeadOutlivesItsBytes() {
        List<FrameHead> kept = new ArrayList<>();
        Recorder recorder = new Recorder();
        FrameDecoder decoder = recorder.decoder();
        FrameSink keeping = (head, body) -> kept.add(head.copy());
        decoder.read(bytes("\n\nSEND\ndestination:a\nx:y:z\n\n1\0SEND\ndestination:b\n\n2\0"), keeping);
        assertThat(kept).extracting(head -> head.text(Header.DESTINATION)).containsExactly("a", "b");
        LineBuffer lines = new LineBuffer();
        kept.get(0).writeLine(1, lines);
        assertThat(new String(lines.toArray(), StandardCharsets.UTF_8)).isEqualTo("x:y\\cz\n");
        assertThat(kept.get(0).commandText()).isEqualTo("SEND");
    }

    @Test
    void valuesAreReadAsWhatTheyAreToBe() {
        List<FrameHead> kept = new ArrayList<>();
        new Recorder()
                .decoder()
                .read(
                        bytes("SEND\npriority: -12 \ntimestamp:99999999999999999999\nexpiration:\ndurable:True\n"
                                + "persistent:False\nexclusive:TRUE\nid:T_a@@s@@17\nmessage-id:17\nack:@@1\n\n\0"),
                        (head, body) -> kept.add(head.copy()));
        FrameHead head = kept.get(0);
        assertThat(head.number(Header.PRIORITY, 0)).isEqualTo(-12);
        assertThat(head.number(Header.TIMESTAMP, -7)).isEqualTo(-7);
        assertThat(head.number(Header.EXPIRATION, -7)).isEqualTo(-7);
        assertThat(head.number(Header.TYPE, -7)).isEqualTo(-7);
        assertThat(head.flag(Header.DURABLE, false)).isTrue();
        assertThat(head.flag(Header.PERSISTENT, true)).isFalse();
        assertThat(head.flag(Header.EXCLUSIVE, false)).isFalse();
        assertThat(head.flag(Header.EXCLUSIVE, true)).isTrue();
        assertThat(head.deliveryNumber(Header.ID)).isEqualTo(17);
        assertThat(head.deliveryNumber(Header.MESSAGE_ID)).isNegative();
        assertThat(head.deliveryNumber(Header.ACK)).isNegative();
        assertThat(head.isOfTag(Header.ID, Escapes.encode("T_a"))).isTrue();
        assertThat(head.isOfTag(Header.ID, Escapes.encode("T_"))).isFalse();
        assertThat(head.isOfTag(Header.MESSAGE_ID, Escapes.encode("17"))).isFalse();
    }

    @Test
    void aLargeFrameIsRefusedBeforeItHasCome() {
        FrameDecoder decoder = new Recorder().decoder();
        assertThatThrownBy(() -> decoder.read(bytes("SEND\ncontent-length:1010\n\n"), (head, body) -> {}))
                .isInstanceOf(WireException.class);
    }
}
