package org.entrepot.amqp.v091.wire;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import com.code_intelligence.jazzer.mutation.annotation.NotNull;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Arrays;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.MethodSource;

/** Any bytes are a method or a clean refusal, and a method that was read is written so that it reads the same. */
class MethodFuzzTest {
    private final PublishCursor publish = new PublishCursor();
    private final AckCursor ack = new AckCursor();

    @MethodSource("seeds")
    @FuzzTest
    void writesWhatItReads(byte @NotNull [] data) {
        if (data.length < 4) {
            return;
        }
        ByteBuf buffer = Unpooled.wrappedBuffer(data);
        int number = buffer.getInt(0);
        Method method;
        try {
            method = MethodReader.read(number, buffer, 4, data.length - 4);
        } catch (WireException e) {
            assertThat(e.code().closesConnection()).isTrue();
            assertThat(e.method()).isEqualTo(number);
            assertThat(e.code().closeText(e.text())).isNotEmpty();
            return;
        }
        assertThat(method.number()).isEqualTo(number);
        byte[] written = Wire.frame(1, method);
        assertThat(MethodCodecTest.read(written)).isEqualTo(method);
        switch (number) {
            case Methods.BASIC_PUBLISH -> publish.parse(buffer, 4, data.length - 4);
            case Methods.BASIC_ACK, Methods.BASIC_NACK, Methods.BASIC_REJECT ->
                ack.parse(number, buffer, 4, data.length - 4);
            default -> {}
        }
    }

    /** One of each method. */
    static Stream<byte[]> seeds() {
        Random random = new Random(1);
        return MethodCodecTest.all().map(type -> {
            byte[] frame = Wire.frame(1, MethodCodecTest.any(type, random));
            return Arrays.copyOfRange(frame, Frames.HEAD_BYTES, frame.length - 1);
        });
    }
}
