package org.entrepot.core.listener;

import static org.assertj.core.api.Assertions.assertThat;
import static org.entrepot.core.listener.ListenersProxyTest.addresses;
import static org.entrepot.core.listener.ListenersProxyTest.version2;

import com.code_intelligence.jazzer.junit.FuzzTest;
import com.code_intelligence.jazzer.mutation.annotation.NotNull;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.codec.haproxy.HAProxyMessage;
import io.netty.handler.codec.haproxy.HAProxyMessageDecoder;
import io.netty.util.NetUtil;
import java.nio.charset.StandardCharsets;
import java.util.stream.Stream;
import org.entrepot.core.Effort;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Any bytes are a header, a begin of one, or none; the same wherever the input is cut; and who is announced is who Netty's
 * decoder of the same protocol says.
 */
class ProxyHeaderFuzzTest {
    private static final int LINE_BYTES_MAX = 107;

    /** Refusals and addresses are short, whatever came. */
    private static final int BYTES_MAX = 32 << 10;

    @MethodSource("seeds")
    @FuzzTest
    void readsTheSameAtAnyCut(byte @NotNull [] data) throws Exception {
        ProxyHeader whole = Effort.within(BYTES_MAX, () -> ProxyHeader.read(Unpooled.wrappedBuffer(data)));
        ByteBuf all = Unpooled.wrappedBuffer(data);
        assertThat(ProxyHeader.read(all)).isEqualTo(whole);
        int length = all.readerIndex();
        if (!(whole instanceof ProxyHeader.Announced || whole instanceof ProxyHeader.Direct)) {
            assertThat(length).isZero();
        }
        if (whole instanceof ProxyHeader.Incomplete) {
            assertThat(data.length).isLessThan(ProxyHeader.BYTES_MAX);
        }

        for (int cut = 0; cut < data.length; cut++) {
            ByteBuf begin = Unpooled.wrappedBuffer(data, 0, cut);
            ProxyHeader header = ProxyHeader.read(begin);
            if (header instanceof ProxyHeader.Incomplete) {
                assertThat(begin.readerIndex()).isZero();
            } else {
                assertThat(header).isEqualTo(whole);
                assertThat(begin.readerIndex()).isEqualTo(length);
                // More of the input would be read the same: that is the claim, tried at the first place where it can
                // fail.
                assertThat(ProxyHeader.read(Unpooled.wrappedBuffer(data, 0, cut + 1)))
                        .isEqualTo(whole);
                break;
            }
        }
        if (whole instanceof ProxyHeader.Announced announced) {
            agreesWithNetty(data, length, announced);
        }
    }

    private static void agreesWithNetty(byte[] data, int length, ProxyHeader.Announced announced) {
        EmbeddedChannel channel = new EmbeddedChannel(new HAProxyMessageDecoder());
        try {
            channel.writeInbound(Unpooled.copiedBuffer(data, 0, length));
            HAProxyMessage message = channel.readInbound();
            if (message != null) {
                assertThat(announced.client().getPort()).isEqualTo(message.sourcePort());
                // Compared as bytes: one address is written in many ways.
                byte[] theirs = NetUtil.createByteArrayFromIpAddressString(message.sourceAddress());
                assertThat(announced.client().getAddress())
                        .isEqualTo(NetUtil.createInetAddressFromIpAddressString(NetUtil.bytesToIpAddress(theirs)));
                message.release();
            }
        } catch (DecoderException stricter) {
            // Netty checks what we skip: what proxies add after the addresses.
            assertThat(data.length).isGreaterThan(0);
        } finally {
            channel.finishAndReleaseAll();
        }
    }

    static Stream<byte[]> seeds() {
        byte[] ipv4 = addresses("203.0.113.7", "198.51.100.1", 47_110, 5672);
        byte[] ipv6 = addresses("2001:db8::7", "2001:db8::1", 65_535, 1);
        return Stream.of(
                version2(0x21, 0x11, ipv4),
                version2(0x21, 0x21, ipv6),
                version2(0x21, 0x21, addresses("::ffff:127.0.0.1", "::ffff:127.0.0.2", 1, 2)),
                version2(0x20, 0x00, new byte[0]),
                version2(0x21, 0x31, new byte[216]),
                version2(0x21, 0x11, new byte[ProxyHeader.BYTES_MAX]),
                text("PROXY TCP4 203.0.113.7 198.51.100.1 47110 5672\r\nAMQP"),
                text("PROXY TCP6 2001:db8::7 ::ffff:198.51.100.1 47110 5672\r\n"),
                text("PROXY UNKNOWN ffff:f...f:ffff ffff:f...f:ffff 65535 65535\r\n"),
                text("PROXY TCP4 " + "1".repeat(LINE_BYTES_MAX)),
                text("AMQP\0\0\t\1"));
    }

    private static byte[] text(String line) {
        return line.getBytes(StandardCharsets.ISO_8859_1);
    }
}
