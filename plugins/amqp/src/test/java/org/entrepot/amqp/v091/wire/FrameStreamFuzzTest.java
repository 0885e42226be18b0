package org.entrepot.amqp.v091.wire;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import com.code_intelligence.jazzer.mutation.annotation.NotNull;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.MethodSource;

/** Any bytes are frames or a clean refusal, and the same wherever the input is cut. */
class FrameStreamFuzzTest {
    private static final int FRAME_MAX = 4096;

    @MethodSource("seeds")
    @FuzzTest
    void readsTheSameAtAnyCut(byte @NotNull [] data) {
        List<String> whole = read(data, data.length);
        int hash = Arrays.hashCode(data);

        assertThat(read(data, 1)).isEqualTo(whole);
        assertThat(read(data, 2 + (hash & 15))).isEqualTo(whole);
        assertThat(read(data, 8 + (hash >>> 4 & 255))).isEqualTo(whole);
    }

    static Stream<byte[]> seeds() {
        return Stream.of(
                Wire.bytes("08 0000 00000000 ce"),
                Wire.bytes(
                        "01 0001 0000000d 003c0028 0000 `x` `key` 00 ce 02 0001 0000000f 003c 0000 0000000000000005 1000 02 ce"
                                + "03 0001 00000005 'hello' ce 03 0001 00000000 ce 03 0001 00000001 '!' ce"),
                Wire.bytes("01 ffff 0000000d 003c0050 0000000000000007 01 ce 09 0000 00000000 ce"),
                Wire.bytes("03 0001 00001001 00"),
                Wire.bytes("01 0001 00000013 0032000a 0000 `q` 15 [ `k` 't' 01 ] ce 08 0001 00000000 ce"),
                Wire.bytes("02 0001 00000017 003c 0000 0000000000000005 2000 [ `CC` 'A' [] ] cd"));
    }

    /** What comes of the input in reads of so many bytes, with every method and header decoded. */
    private static List<String> read(byte[] data, int size) {
        FrameDecoder decoder = new FrameDecoder(FRAME_MAX);
        Decoding sink = new Decoding();
        try {
            for (int at = 0; at < data.length; at += size) {
                decoder.read(Unpooled.wrappedBuffer(data, at, Math.min(size, data.length - at)), sink);
                assertThat(decoder.keptBytes()).isLessThanOrEqualTo(FRAME_MAX + Frames.OVERHEAD_BYTES);
            }
        } catch (WireException e) {
            // Of a body frame that ends wrong, more or less has been passed on, as it came: bodies at the end do not
            // count.
            while (!sink.lines.isEmpty()
                    && sink.lines.get(sink.lines.size() - 1).startsWith("body")) {
                sink.lines.remove(sink.lines.size() - 1);
            }
            sink.lines.add(e.code() + " " + e.method());
        }
        return sink.lines;
    }

    private static final class Decoding extends Wire.Transcript {
        private final HeaderCursor header = new HeaderCursor();

        @Override
        public void method(int channel, int method, ByteBuf buffer, int index, int length) {
            super.method(channel, method, buffer, index, length);
            MethodReader.read(method, buffer, index, length);
        }

        @Override
        public void header(int channel, ByteBuf buffer, int index, int length) {
            super.header(channel, buffer, index, length);
            header.parse(buffer, index, length);
        }
    }
}
