package org.entrepot.amqp.v091.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class FrameDecoderTest {
    private static final int FRAME_MAX = 4096;
    private static final byte[] PUBLISH = Wire.bytes("01 0001 0000000d 003c0028 0000 01'x' 03'key' 00 ce");
    private static final byte[] HEADER = Wire.bytes("02 0001 0000000f 003c 0000 0000000000000005 1000 02 ce");
    private static final byte[] BODY = Wire.bytes("03 0001 00000005 'hello' ce");
    private static final byte[] EMPTY_BODY = Wire.bytes("03 0001 00000000 ce");
    private static final byte[] ONE_BYTE_BODY = Wire.bytes("03 0002 00000001 '!' ce");
    private static final byte[] HEARTBEAT = Wire.bytes("08 0000 00000000 ce");
    private static final byte[] ACK = Wire.bytes("01 ffff 0000000d 003c0050 0000000000000007 01 ce");
    private static final byte[] ALL =
            Wire.join(PUBLISH, HEADER, BODY, HEARTBEAT, EMPTY_BODY, ACK, ONE_BYTE_BODY, HEARTBEAT, PUBLISH);
    private static final List<String> ALL_LINES = List.of(
            "method 1 basic.publish 0000" + "0178" + "036b6579" + "00",
            "header 1 003c0000" + "0000000000000005" + "1000" + "02",
            "body 1 68656c6c6f",
            "heartbeat",
            "body 1 ",
            "method 65535 basic.ack 000000000000000701",
            "body 2 21",
            "heartbeat",
            "method 1 basic.publish 0000" + "0178" + "036b6579" + "00");

    private final FrameDecoder decoder = new FrameDecoder(FRAME_MAX);
    private final Wire.Transcript sink = new Wire.Transcript();

    @Test
    void passesOnWholeFramesInPlace() {
        read(ALL);

        assertThat(sink.lines).isEqualTo(ALL_LINES);
        assertThat(decoder.keptBytes()).isZero();
    }

    @Test
    void passesOnTheSameWhereverTheInputIsCutInTwo() {
        for (int cut = 0; cut <= ALL.length; cut++) {
            assertThat(transcript(ALL, cut)).as("cut at %d", cut).isEqualTo(ALL_LINES);
        }
    }

    @Test
    void passesOnTheSameWhereverTheInputIsCutInThree() {
        byte[] input = Wire.join(PUBLISH, HEADER, ONE_BYTE_BODY, BODY, ACK);
        List<String> expected = transcript(input);
        for (int first = 0; first <= input.length; first++) {
            for (int second = first; second <= input.length; second++) {
                assertThat(transcript(input, first, second))
                        .as("cuts at %d and %d", first, second)
                        .isEqualTo(expected);
            }
        }
    }

    @Test
    void passesOnTheSameByteByByte() {
        for (byte b : ALL) {
            read(new byte[] {b});
        }

        assertThat(sink.lines).isEqualTo(ALL_LINES);
        assertThat(decoder.keptBytes()).isZero();
    }

    @Test
    void passesOnABodyAsItComesSaveItsLastByte() {
        read(Wire.bytes("03 0001 00000005 'he'"));
        assertThat(sink.lines).containsExactly("body 1 6865");

        read(Wire.bytes("'llo'"));
        assertThat(sink.lines).containsExactly("body 1 68656c6c");
        assertThat(decoder.keptBytes()).isEqualTo(1);

        read(Wire.bytes("ce"));
        assertThat(sink.lines).containsExactly("body 1 68656c6c6f");
        assertThat(decoder.keptBytes()).isZero();
    }

    @Test
    void doesNotPassOnTheLastByteOfABodyWhoseFrameEndsWrong() {
        byte[] input = Wire.bytes("03 0001 00000005 'hello' cd");
        for (int cut = 0; cut < input.length; cut++) {
            FrameDecoder decoder = new FrameDecoder(FRAME_MAX);
            Wire.Transcript sink = new Wire.Transcript();
            int at = cut;

            assertThatThrownBy(() -> {
                        decoder.read(Unpooled.wrappedBuffer(input, 0, at), sink);
                        decoder.read(Unpooled.wrappedBuffer(input, at, input.length - at), sink);
                    })
                    .isInstanceOf(WireException.class);
            assertThat(String.join("", sink.lines)).doesNotContain("6f");
        }
    }

    @Test
    void keepsNothingOfWhatIsWhole() {
        read(Arrays.copyOf(ALL, ALL.length - 3));

        assertThat(decoder.keptBytes()).isEqualTo(PUBLISH.length - 3);
    }

    @Test
    void toleratesEightBytesMoreThanTheLimitAndRefusesNine() {
        read(Wire.frame(3, 1, new byte[FRAME_MAX]));
        assertThat(sink.lines).hasSize(1);

        assertRefused(
                Wire.bytes("03 0001 00001001"),
                ReplyCode.FRAME_ERROR,
                "type 3, all octets = <<>>: {frame_too_large,4097,4088}");
    }

    @Test
    void refusesASizeThatIsOnlyAnnounced() {
        assertRefused(
                Wire.bytes("01 0000 7fffffff 00"),
                ReplyCode.FRAME_ERROR,
                "type 1, all octets = <<>>: {frame_too_large,2147483647,4088}");
        assertRefused(
                Wire.bytes("01 0000 ffffffff 00 0a"),
                ReplyCode.FRAME_ERROR,
                "type 1, all octets = <<>>: {frame_too_large,4294967295,4088}");
    }

    @Test
    void keepsNoMoreThanHasComeOfALargeFrame() {
        decoder.frameMax(1 << 30);
        read(Wire.bytes("02 0001 3fffffff 003c"));

        assertThat(decoder.keptBytes()).isEqualTo(9);
    }

    @Test
    void appliesANewLimitToTheNextFrame() {
        FrameSink raising = new Wire.Transcript() {
            @Override
            public void heartbeat() {
                decoder.frameMax(8192);
            }
        };
        byte[] large = Wire.frame(3, 1, new byte[8184]);

        decoder.read(Unpooled.wrappedBuffer(HEARTBEAT, large), raising);

        assertThatThrownBy(() -> new FrameDecoder(FRAME_MAX).read(Unpooled.wrappedBuffer(large), sink))
                .isInstanceOf(WireException.class);
    }

    @Test
    void refusesAWrongFrameEnd() {
        assertRefused(
                Wire.bytes("03 0001 00000002 'hi' 00"),
                ReplyCode.FRAME_ERROR,
                "type 3, all octets = <<\"hi\">>: {invalid_frame_end_marker,0}");
        assertRefused(
                Wire.bytes("01 0001 00000014 000a000b 'abcdefghijklmnop' cd"),
                ReplyCode.FRAME_ERROR,
                "type 1, first 16 octets = <<0,10,0,11,97,98,99,100,101,102,103,104,105,106,107,108>>: {invalid_frame_end_marker,205}");
    }

    @Test
    void refusesUnknownTypes() {
        assertRefused(
                Wire.bytes("04 0000 00000000 ce"), ReplyCode.FRAME_ERROR, "type 4, all octets = <<>>: unknown_frame");
    }

    @Test
    void refusesFramesTooShortForTheirType() {
        assertRefused(Wire.bytes("01 0000 00000003 000a00 ce"), ReplyCode.FRAME_ERROR, "unknown_frame");
        assertRefused(Wire.frame(2, 1, new byte[11]), ReplyCode.FRAME_ERROR, "unknown_frame");
    }

    @Test
    void refusesHeartbeatsWithAPayload() {
        assertRefused(Wire.bytes("08 0000 00000001 00 ce"), ReplyCode.FRAME_ERROR, "unknown_frame");
        assertRefused(Wire.bytes("08 0001 00000001 00 ce"), ReplyCode.FRAME_ERROR, "unknown_frame");
    }

    @Test
    void refusesHeartbeatsOffChannelZero() {
        assertRefused(Wire.bytes("08 0001 00000000 ce"), ReplyCode.UNEXPECTED_FRAME, "type 8, all octets = <<>>");
    }

    @Test
    void refusesContentOnChannelZero() {
        assertRefused(Wire.frame(2, 0, new byte[12]), ReplyCode.UNEXPECTED_FRAME, "type 2");
        assertRefused(Wire.frame(3, 0, new byte[1]), ReplyCode.UNEXPECTED_FRAME, "type 3");
    }

    @Test
    void passesOnWhatCameBeforeAnErrorAndDropsWhatComesAfter() {
        assertThatThrownBy(() -> read(Wire.join(HEARTBEAT, Wire.bytes("09 0000 00000000 ce"), HEARTBEAT)))
                .isInstanceOf(WireException.class);
        read(HEARTBEAT);

        assertThat(sink.lines).containsExactly("heartbeat");
        assertThat(decoder.keptBytes()).isZero();
    }

    @Test
    void dropsEverythingOnceStopped() {
        FrameSink stopping = new Wire.Transcript() {
            @Override
            public void heartbeat() {
                sink.lines.add("stop");
                decoder.stop();
            }
        };
        ByteBuf input = Unpooled.wrappedBuffer(HEARTBEAT, HEARTBEAT, new byte[] {1, 2, 3});

        decoder.read(input, stopping);
        decoder.read(Unpooled.wrappedBuffer(HEARTBEAT), stopping);

        assertThat(sink.lines).containsExactly("stop");
        assertThat(input.isReadable()).isFalse();
        assertThat(decoder.keptBytes()).isZero();
    }

    @Test
    void keepsEverythingWhileHeldAndPassesItOnAtResume() {
        for (int cut = 0; cut <= ALL.length; cut++) {
            FrameDecoder decoder = new FrameDecoder(FRAME_MAX);
            Wire.Transcript sink = new Wire.Transcript();
            decoder.read(Unpooled.wrappedBuffer(ALL, 0, cut), sink);
            List<String> before = List.copyOf(sink.lines);
            decoder.hold();
            decoder.read(Unpooled.wrappedBuffer(ALL, cut, ALL.length - cut), sink);

            assertThat(sink.lines).isEqualTo(before);
            decoder.resume(sink);
            assertThat(sink.lines).as("held at %d", cut).isEqualTo(ALL_LINES);
        }
    }

    @Test
    void holdsAtTheFrameWhoseSinkAsksForIt() {
        class Holding extends Wire.Transcript {
            @Override
            public void heartbeat() {
                super.heartbeat();
                decoder.hold();
            }
        }
        Holding holding = new Holding();
        for (int cut = 0; cut < ALL.length; cut++) {
            holding.lines.clear();
            decoder.read(Unpooled.wrappedBuffer(ALL, 0, cut), holding);
            decoder.read(Unpooled.wrappedBuffer(ALL, cut, ALL.length - cut), holding);
            assertThat(holding.lines).isEqualTo(ALL_LINES.subList(0, 4));

            decoder.resume(holding);
            assertThat(holding.lines).isEqualTo(ALL_LINES.subList(0, 8));

            decoder.resume(holding);
            assertThat(holding.lines).isEqualTo(ALL_LINES);
            assertThat(decoder.keptBytes()).isZero();
        }
    }

    @Test
    void goesOnWhenItsSinkHoldsAndResumesAtOnce() {
        Wire.Transcript resuming = new Wire.Transcript() {
            @Override
            public void heartbeat() {
                super.heartbeat();
                decoder.hold();
                decoder.resume(this);
            }
        };
        for (int cut = 0; cut < ALL.length; cut++) {
            resuming.lines.clear();
            decoder.read(Unpooled.wrappedBuffer(ALL, 0, cut), resuming);
            decoder.read(Unpooled.wrappedBuffer(ALL, cut, ALL.length - cut), resuming);

            assertThat(resuming.lines).isEqualTo(ALL_LINES);
        }
    }

    @Test
    void splitsOfRandomStreamsChangeNothing() {
        long seed = 20261130;
        Random random = new Random(seed);
        byte[][] frames = {
            PUBLISH, HEADER, BODY, EMPTY_BODY, ONE_BYTE_BODY, HEARTBEAT, ACK, Wire.frame(3, 9, new byte[999])
        };
        for (int round = 0; round < 500; round++) {
            List<byte[]> parts = new ArrayList<>();
            for (int i = random.nextInt(20); i >= 0; i--) {
                parts.add(frames[random.nextInt(frames.length)]);
            }
            byte[] input = Wire.join(parts.toArray(byte[][]::new));
            int[] cuts = random.ints(random.nextInt(12), 0, input.length + 1)
                    .sorted()
                    .toArray();

            assertThat(transcript(input, cuts))
                    .as("seed %d round %d", seed, round)
                    .isEqualTo(transcript(input));
        }
    }

    private void read(byte[] bytes) {
        ByteBuf buffer = Unpooled.wrappedBuffer(bytes);
        decoder.read(buffer, sink);
        assertThat(buffer.isReadable()).isFalse();
    }

    private static List<String> transcript(byte[] input, int... cuts) {
        FrameDecoder decoder = new FrameDecoder(FRAME_MAX);
        Wire.Transcript sink = new Wire.Transcript();
        int from = 0;
        for (int cut : cuts) {
            decoder.read(Unpooled.wrappedBuffer(input, from, cut - from), sink);
            from = cut;
        }
        decoder.read(Unpooled.wrappedBuffer(input, from, input.length - from), sink);
        return sink.lines;
    }

    /** Whole and byte by byte. */
    private void assertRefused(byte[] input, ReplyCode code, String text) {
        WireException whole = catchThrowableOfType(WireException.class, () -> transcript(input));
        assertThat(whole).as("refusal").isNotNull();
        assertThat(whole.code()).isEqualTo(code);
        assertThat(whole.text()).contains(text);
        assertThat(whole.classId()).isZero();
        int[] everywhere = java.util.stream.IntStream.range(1, input.length).toArray();
        WireException split = catchThrowableOfType(WireException.class, () -> transcript(input, everywhere));
        assertThat(split).as("refusal").isNotNull();
        assertThat(split.code()).isEqualTo(code);
    }
}
