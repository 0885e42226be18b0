package org.entrepot.amqp.v091.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ProtocolHeaderTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "'AMQP' 00000901 | AMQP_0_9_1",
                "'AMQP' 01010009 | AMQP_0_9",
                "'AMQP' 00010000 | AMQP_1_0",
                "'AMQP' 03010000 | AMQP_1_0_SASL",
                "'AMQP' 02010000 | AMQP_1_0_TLS",
                "'AMQP' 00000902 | AMQP_0_9_OTHER",
                "'AMQP' 00000a00 | AMQP_0_9_OTHER",
                "'AMQP' 00000800 | AMQP_OTHER",
                "'AMQP' 01010800 | AMQP_OTHER",
                "'AMQP' 01010091 | AMQP_OTHER",
                "'GET / HTTP/1.1' | HTTP",
                "'POST /' | HTTP",
                "'OPTIONS' | HTTP",
                "160301 | TLS",
                "160400 | OTHER",
                "'AMQ!' | OTHER",
                "'GOT ' | OTHER",
                "'CONNECT' | OTHER",
                "102a00044d515454 | OTHER",
                "00 | OTHER",
                "'' | INCOMPLETE",
                "'AMQP' 000009 | INCOMPLETE",
                "'A' | INCOMPLETE",
                "'PU' | INCOMPLETE",
                "'P' | INCOMPLETE",
                "16 | INCOMPLETE"
            })
    void tellsWhatAClientSpeaks(String pattern, ProtocolHeader expected) {
        ByteBuf buffer =
                Unpooled.wrappedBuffer(new byte[] {9}, Wire.bytes(pattern)).skipBytes(1);

        assertThat(ProtocolHeader.of(buffer)).isEqualTo(expected);
        assertThat(buffer.readerIndex()).isEqualTo(1);
    }

    @Test
    void neverChangesItsMindWhenMoreComes() {
        for (String pattern : new String[] {"'AMQP' 00000901", "'GET / HTTP/1.1'", "1603010200", "'hello'"}) {
            byte[] whole = Wire.bytes(pattern);
            ProtocolHeader last = ProtocolHeader.INCOMPLETE;
            for (int length = 0; length <= whole.length; length++) {
                ProtocolHeader now = ProtocolHeader.of(Unpooled.wrappedBuffer(Arrays.copyOf(whole, length)));
                assertThat(last).isIn(ProtocolHeader.INCOMPLETE, now);
                last = now;
            }
        }
    }

    @Test
    void answersWithTheHeaderThatIsServed() {
        ByteBuf out = Unpooled.buffer();
        ProtocolHeader.write091(out);

        assertThat(ProtocolHeader.of(out)).isEqualTo(ProtocolHeader.AMQP_0_9_1);
        assertThat(Wire.bytes(out)).isEqualTo(Wire.bytes("'AMQP' 00000901"));
    }

    @Test
    void writesHeartbeatsToTheByte() {
        ByteBuf out = Unpooled.buffer();
        Frames.heartbeat(out);

        assertThat(Wire.bytes(out)).isEqualTo(Wire.bytes("08 0000 00000000 ce"));
    }
}
