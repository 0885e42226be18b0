package org.entrepot.mqtt.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Packets are the same however the stream is cut, and nothing is kept that need not be. */
class PacketFramerTest {
    private static final byte[] STREAM = Wire.bytes(
            "c0 [] 30 [ `a/b` 'hello' ] e0 [] 82 [ 0001 [] `x` 00 ] c0 [] "
                    + "32 [ `topic` 0007 'a payload that is longer than what is kept at first, which is sixty-four bytes' ] c0 []");

    private final List<String> packets = new ArrayList<>();
    private int room;

    private PacketFramer framer(int packetMax) {
        return new PacketFramer(packetMax, change -> room += change);
    }

    private void take(int head, ByteBuf buffer, int start, int index, int length) {
        assertThat(buffer.getUnsignedByte(start)).isEqualTo((short) head);
        byte[] bytes = new byte[index + length - start];
        buffer.getBytes(start, bytes);
        packets.add((index - start) + ":" + Wire.hex(bytes));
    }

    private void read(PacketFramer framer, byte[] bytes, int from, int to) {
        ByteBuf buffer = Unpooled.copiedBuffer(bytes, from, to - from);
        framer.read(buffer, this::take);
        assertThat(buffer.isReadable()).isFalse();
    }

    private List<String> whole() {
        read(framer(1_000), STREAM, 0, STREAM.length);
        List<String> whole = List.copyOf(packets);
        packets.clear();
        return whole;
    }

    @Test
    void packetsOfOneReadComeInOrder() {
        assertThat(whole()).hasSize(7).first().isEqualTo("2:c000");
        assertThat(room).isZero();
    }

    @Test
    void everySplitInTwoIsTheSame() {
        List<String> whole = whole();
        for (int cut = 0; cut <= STREAM.length; cut++) {
            packets.clear();
            PacketFramer framer = framer(1_000);
            read(framer, STREAM, 0, cut);
            read(framer, STREAM, cut, STREAM.length);

            assertThat(packets).as("cut at %d", cut).isEqualTo(whole);
            assertThat(framer.keptBytes()).isZero();
            assertThat(room).isZero();
        }
    }

    @Test
    void everySplitInThreeIsTheSame() {
        List<String> whole = whole();
        for (int first = 0; first <= STREAM.length; first++) {
            for (int second = first; second <= STREAM.length; second++) {
                packets.clear();
                PacketFramer framer = framer(1_000);
                read(framer, STREAM, 0, first);
                read(framer, STREAM, first, second);
                read(framer, STREAM, second, STREAM.length);

                assertThat(packets).as("cut at %d and %d", first, second).isEqualTo(whole);
                assertThat(room).isZero();
            }
        }
    }

    @Test
    void byteByByteIsTheSame() {
        List<String> whole = whole();
        PacketFramer framer = framer(1_000);
        for (int i = 0; i < STREAM.length; i++) {
            read(framer, STREAM, i, i + 1);
        }

        assertThat(packets).isEqualTo(whole);
        assertThat(room).isZero();
    }

    @Test
    void memoryGrowsWithWhatHasComeNotWithWhatIsAnnounced() {
        PacketFramer framer = framer(Integer.MAX_VALUE);
        read(framer, Wire.bytes("30 ffffff7f 00"), 0, 6);

        assertThat(framer.keptBytes()).isEqualTo(6);
        assertThat(room).isBetween(6, 64);
    }

    @Test
    void aPacketOfTheLargestSizeIsTakenAndOneByteMoreIsNot() {
        byte[] packet = Wire.bytes("30 [ `a` '1234567' ]");
        read(framer(packet.length), packet, 0, packet.length);
        assertThat(packets).hasSize(1);

        for (int cut = 2; cut <= packet.length; cut++) {
            int end = cut;
            PacketFramer framer = framer(packet.length - 1);
            PacketException refusal = catchThrowableOfType(PacketException.class, () -> read(framer, packet, 0, end));
            assertThat(refusal.reason()).isEqualTo(Reason.PACKET_TOO_LARGE);
            assertThat(room).isZero();
        }
    }

    @Test
    void theSizeCountsTheFixedHeader() {
        byte[] packet = new byte[131];
        packet[0] = 0x30;
        packet[1] = (byte) 0x80;
        packet[2] = 1;
        read(framer(131), packet, 0, 131);
        assertThat(packets).hasSize(1).first().asString().startsWith("3:308001");

        assertThatThrownBy(() -> read(framer(130), packet, 0, 131))
                .hasMessage("a packet of 131 bytes, where 130 are allowed");
    }

    @Test
    void anotherLargestSizeGoesForTheNextPacket() {
        PacketFramer framer = framer(4);
        read(framer, Wire.bytes("30 [ 'ab' ]"), 0, 4);
        framer.packetMax(5);
        read(framer, Wire.bytes("30 [ 'abc' ]"), 0, 5);

        assertThat(packets).hasSize(2);
    }

    @Test
    void aLengthMayTakeMoreBytesThanItNeed() {
        byte[] stream = HexFormat.of().parseHex("c08000" + "c0808000" + "c080808000" + "308200" + "aabb" + "c000");
        for (int cut = 0; cut <= stream.length; cut++) {
            packets.clear();
            PacketFramer framer = framer(100);
            read(framer, stream, 0, cut);
            read(framer, stream, cut, stream.length);

            assertThat(packets)
                    .as("cut at %d", cut)
                    .containsExactly("3:c08000", "4:c0808000", "5:c080808000", "3:308200aabb", "2:c000");
        }
    }

    @Test
    void aLengthOfMoreThanFourBytesIsMalformed() {
        byte[] stream = HexFormat.of().parseHex("c08080808000");
        for (int cut = 0; cut < stream.length; cut++) {
            int first = cut;
            PacketFramer framer = framer(Integer.MAX_VALUE);
            PacketException refusal = catchThrowableOfType(PacketException.class, () -> {
                read(framer, stream, 0, first);
                read(framer, stream, first, stream.length);
            });
            assertThat(refusal.reason()).isEqualTo(Reason.MALFORMED_PACKET);
            assertThat(room).isZero();
        }
    }

    @Test
    void afterAFaultNothingIsPassedOn() {
        PacketFramer framer = framer(10);
        assertThatThrownBy(() -> read(framer, Wire.bytes("c0 [] 30 7f"), 0, 4)).isInstanceOf(PacketException.class);
        read(framer, STREAM, 0, STREAM.length);

        assertThat(packets).containsExactly("2:c000");
        assertThat(room).isZero();
    }

    @Test
    void whatTheSinkThrowsStopsTheFramer() {
        PacketFramer framer = framer(1_000);
        ByteBuf stream = Unpooled.wrappedBuffer(STREAM);
        assertThatThrownBy(() -> framer.read(stream, (head, buffer, start, index, length) -> {
                    throw PacketException.protocol("no");
                }))
                .hasMessage("no");
        read(framer, STREAM, 0, STREAM.length);

        assertThat(packets).isEmpty();
        assertThat(room).isZero();
    }

    @Test
    void aSinkMayStopTheFramerAtAnyPacketOfAnySplit() {
        int all = whole().size();
        for (int cut = 0; cut <= STREAM.length; cut++) {
            for (int last = 1; last <= all; last++) {
                packets.clear();
                PacketFramer framer = framer(1_000);
                int limit = last;
                PacketFramer.Sink sink = (head, buffer, start, index, length) -> {
                    take(head, buffer, start, index, length);
                    if (packets.size() == limit) {
                        framer.stop();
                    }
                };
                framer.read(Unpooled.copiedBuffer(STREAM, 0, cut), sink);
                framer.read(Unpooled.copiedBuffer(STREAM, cut, STREAM.length - cut), sink);

                assertThat(packets).hasSize(last);
                assertThat(framer.keptBytes()).isZero();
                assertThat(room).isZero();
            }
        }
    }

    @Test
    void whatComesOnHoldIsPassedOnLater() {
        List<String> whole = whole();
        for (int cut = 0; cut <= STREAM.length; cut++) {
            packets.clear();
            PacketFramer framer = framer(1_000);
            framer.hold();
            read(framer, STREAM, 0, cut);
            read(framer, STREAM, cut, STREAM.length);
            assertThat(packets).isEmpty();
            assertThat(framer.keptBytes()).isEqualTo(STREAM.length);

            framer.resume(this::take);

            assertThat(packets).as("cut at %d", cut).isEqualTo(whole);
            assertThat(room).isZero();
        }
    }

    @Test
    void aSinkMayHoldAtEveryPacketOfAnySplit() {
        List<String> whole = whole();
        for (int cut = 0; cut <= STREAM.length; cut++) {
            packets.clear();
            PacketFramer framer = framer(1_000);
            PacketFramer.Sink sink = (head, buffer, start, index, length) -> {
                take(head, buffer, start, index, length);
                framer.hold();
            };
            framer.read(Unpooled.copiedBuffer(STREAM, 0, cut), sink);
            framer.read(Unpooled.copiedBuffer(STREAM, cut, STREAM.length - cut), sink);
            int passedOn = packets.size();
            assertThat(passedOn).isEqualTo(1);
            while (framer.keptBytes() > 0) {
                framer.resume(sink);
                assertThat(packets).hasSize(++passedOn);
            }

            assertThat(packets).as("cut at %d", cut).isEqualTo(whole);
            assertThat(room).isZero();
        }
    }

    @Test
    void aSinkMayHoldAndResumeAtOnce() {
        List<String> whole = whole();
        for (int cut = 0; cut <= STREAM.length; cut++) {
            packets.clear();
            PacketFramer framer = framer(1_000);
            PacketFramer.Sink sink = new PacketFramer.Sink() {
                @Override
                public void packet(int head, ByteBuf buffer, int start, int index, int length) {
                    take(head, buffer, start, index, length);
                    framer.hold();
                    framer.resume(this);
                }
            };
            framer.read(Unpooled.copiedBuffer(STREAM, 0, cut), sink);
            framer.read(Unpooled.copiedBuffer(STREAM, cut, STREAM.length - cut), sink);

            assertThat(packets).as("cut at %d", cut).isEqualTo(whole);
            assertThat(room).isZero();
        }
    }

    @Test
    void stoppingOnHoldDropsWhatWasKept() {
        PacketFramer framer = framer(1_000);
        framer.hold();
        read(framer, STREAM, 0, STREAM.length);
        framer.stop();
        framer.resume(this::take);

        assertThat(packets).isEmpty();
        assertThat(room).isZero();
    }

    @Test
    void whereThereIsNoRoomTheFramerStopsAndGivesBackWhatItHad() {
        PacketFramer framer = new PacketFramer(100_000, change -> {
            room += change;
            if (room > 1_000) {
                throw new PacketException(Reason.QUOTA_EXCEEDED, "no room");
            }
        });
        byte[] announced = HexFormat.of().parseHex("30808002");
        read(framer, announced, 0, announced.length);
        PacketException refusal =
                catchThrowableOfType(PacketException.class, () -> read(framer, new byte[2_000], 0, 2_000));

        assertThat(refusal.reason()).isEqualTo(Reason.QUOTA_EXCEEDED);
        assertThat(room).isZero();
        assertThat(framer.keptBytes()).isZero();
    }

    @Test
    void randomStreamsRandomlyCutHeldAndResumedAreTheSame() {
        for (int seed = 0; seed < 300; seed++) {
            Random random = new Random(seed);
            ByteBuf out = Unpooled.buffer();
            List<String> expected = new ArrayList<>();
            for (int i = 0; i < 30; i++) {
                ByteBuf packet = Unpooled.buffer();
                byte[] rest = new byte[random.nextInt(10) == 0 ? random.nextInt(20_000) : random.nextInt(150)];
                random.nextBytes(rest);
                packet.writeByte(random.nextInt(256));
                Wire.writeVariable(packet, rest.length);
                int header = packet.readableBytes();
                packet.writeBytes(rest);
                byte[] bytes = Wire.bytes(packet);
                expected.add(header + ":" + Wire.hex(bytes));
                out.writeBytes(bytes);
            }
            byte[] stream = Wire.bytes(out);
            packets.clear();
            PacketFramer framer = framer(30_000);
            PacketFramer.Sink sink = (head, buffer, start, index, length) -> {
                take(head, buffer, start, index, length);
                if (random.nextInt(6) == 0) {
                    framer.hold();
                }
            };
            int at = 0;
            while (at < stream.length) {
                int to = Math.min(stream.length, at + 1 + random.nextInt(random.nextBoolean() ? 10 : 5_000));
                framer.read(Unpooled.wrappedBuffer(Arrays.copyOfRange(stream, at, to)), sink);
                at = to;
                if (random.nextBoolean()) {
                    framer.resume(sink);
                }
            }
            while (framer.keptBytes() > 0) {
                framer.resume(sink);
            }

            assertThat(packets).as("seed %d", seed).isEqualTo(expected);
            assertThat(room).isZero();
        }
    }
}
