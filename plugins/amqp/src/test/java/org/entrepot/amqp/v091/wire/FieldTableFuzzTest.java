package org.entrepot.amqp.v091.wire;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import com.code_intelligence.jazzer.mutation.annotation.NotNull;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.MethodSource;

/** Any bytes are a table or a clean refusal, and a table that was read is written so that it reads the same. */
class FieldTableFuzzTest {

    @MethodSource("seeds")
    @FuzzTest
    void writesWhatItReads(byte @NotNull [] data) {
        FieldTable table;
        try {
            table = FieldTable.read(Unpooled.wrappedBuffer(data), 0, data.length, Methods.QUEUE_DECLARE);
        } catch (WireException e) {
            assertThat(e.code()).isIn(ReplyCode.FRAME_ERROR, ReplyCode.INTERNAL_ERROR);
            assertThat(e.method()).isEqualTo(Methods.QUEUE_DECLARE);
            return;
        }
        Map<String, Object> values = table.values();
        Map<String, TypedValue> typed = table.typed();
        ByteBuf out = Unpooled.buffer();
        table.writeTo(out);

        assertThat(out.readableBytes()).isEqualTo(4 + data.length);
        assertThat(typed.keySet()).isEqualTo(values.keySet());
        typed.values().forEach(value -> assertThat(value.text()).isNotNull());
        // Keys that are not UTF-8 may grow too long for another key when they are written as such.
        if (typed.keySet().stream().allMatch(key -> key.equals(ShortString.cut(key)))) {
            FieldTable written = FieldTable.of(values);
            written.writeTo(out.clear());
            assertThat(FieldTable.read(out, 4, out.getInt(0), Methods.NONE)
                            .values()
                            .toString())
                    .isEqualTo(values.toString());
        }
    }

    static Stream<byte[]> seeds() {
        return Stream.of(
                new byte[0],
                Wire.bytes("`t` 't' 02  `b` 'b' ff  `B` 'B' ff  `s` 's' fffe  `u` 'u' fffe  `I` 'I' fffffffd"),
                Wire.bytes("`i` 'i' fffffffd `l` 'l' fffffffffffffffc  `L` 'L' fffffffffffffffb  `f` 'f' 3fc00000"),
                Wire.bytes("`d` 'd' 3ff4000000000000 `D` 'D' 02 000000ff  `S` 'S' ['a' c3a9]  `x` 'x' [6162]"),
                Wire.bytes("`A` 'A' [ 't' 00 'V' ]  `F` 'F' [ `k` 'b' 01 ]  `T` 'T' 0000000065000000  `V` 'V'"),
                Wire.bytes("`A` 'A' [ 'F' [ `k` 'A' [ 'F' [] ] ] 'S' [c328] ] 02 c328 'V'"),
                Bombs.nested('F', FieldTable.DEPTH_MAX),
                Bombs.nested('A', FieldTable.DEPTH_MAX + 1),
                Bombs.voids('A', 100));
    }
}
