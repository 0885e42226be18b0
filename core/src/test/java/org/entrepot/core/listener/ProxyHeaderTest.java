package org.entrepot.core.listener;

import static org.assertj.core.api.Assertions.assertThat;
import static org.entrepot.core.listener.ListenersProxyTest.addresses;
import static org.entrepot.core.listener.ListenersProxyTest.version2;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.util.NetUtil;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ProxyHeaderTest {
    private static final byte[] IPV4 = version2(0x21, 0x11, addresses("203.0.113.7", "198.51.100.1", 47_110, 5672));

    /** Reads a header that ends where the bytes end, at every cut, then with bytes after it. */
    private static ProxyHeader read(byte[] bytes) {
        for (int cut = 0; cut < bytes.length; cut++) {
            ByteBuf begin = Unpooled.wrappedBuffer(bytes, 0, cut);
            assertThat(ProxyHeader.read(begin)).isInstanceOf(ProxyHeader.Incomplete.class);
            assertThat(begin.readerIndex()).isZero();
        }
        ByteBuf all = Unpooled.buffer().writeBytes(bytes).writeBytes(new byte[] {'\r', '\n', 7});
        ProxyHeader header = ProxyHeader.read(all);
        assertThat(all.readerIndex()).isEqualTo(bytes.length);
        return header;
    }

    private static ProxyHeader readText(String line) {
        return ProxyHeader.read(Unpooled.wrappedBuffer(line.getBytes(StandardCharsets.ISO_8859_1)));
    }

    private static String client(ProxyHeader header) {
        assertThat(header).isInstanceOf(ProxyHeader.Announced.class);
        return NetUtil.toSocketAddressString(((ProxyHeader.Announced) header).client());
    }

    @Test
    void version2AnnouncesAClient() {
        assertThat(client(read(IPV4))).isEqualTo("203.0.113.7:47110");
        byte[] ipv6 = version2(0x21, 0x21, addresses("2001:db8::7", "2001:db8::1", 65_535, 1));
        assertThat(client(read(ipv6))).isEqualTo("[2001:db8::7]:65535");
    }

    @Test
    void anIpv4ClientSeenThroughIpv6IsAnIpv4Client() {
        byte[] mapped = version2(0x21, 0x21, addresses("::ffff:127.0.0.1", "::ffff:127.0.0.2", 1, 2));
        assertThat(client(read(mapped))).isEqualTo("127.0.0.1:1");
    }

    @Test
    void whatFollowsTheAddressesOfVersion2IsSkipped() {
        byte[] addresses = addresses("203.0.113.7", "198.51.100.1", 47_110, 5672);
        byte[] more = Arrays.copyOf(addresses, addresses.length + 500);
        assertThat(client(read(version2(0x21, 0x11, more)))).isEqualTo("203.0.113.7:47110");
    }

    @Test
    void version2MayBeWithoutAClient() {
        assertThat(read(version2(0x20, 0x00, new byte[0]))).isInstanceOf(ProxyHeader.Direct.class);
        assertThat(read(version2(0x20, 0x11, new byte[12]))).isInstanceOf(ProxyHeader.Direct.class);
        assertThat(read(version2(0x21, 0x00, new byte[5]))).isInstanceOf(ProxyHeader.Direct.class);
        assertThat(read(version2(0x21, 0x31, new byte[216]))).isInstanceOf(ProxyHeader.Direct.class);
    }

    @ParameterizedTest
    @ValueSource(ints = {0x11, 0x31, 0x22, 0x2f, 0x01})
    void otherVersionsAndCommandsAreRefused(int versionAndCommand) {
        ByteBuf bytes = Unpooled.wrappedBuffer(version2(versionAndCommand, 0x11, new byte[12]));
        assertThat(ProxyHeader.read(bytes)).isInstanceOf(ProxyHeader.Malformed.class);
    }

    @ParameterizedTest
    @ValueSource(ints = {0x12, 0x22, 0x32, 0x10, 0x41, 0xff})
    void transportsThatAreNotTcpAreRefused(int transport) {
        ByteBuf bytes = Unpooled.wrappedBuffer(version2(0x21, transport, new byte[216]));
        assertThat(ProxyHeader.read(bytes)).isInstanceOf(ProxyHeader.Malformed.class);
    }

    @Test
    void addressesThatAreCutShortAreRefused() {
        for (int length = 0; length < 12; length++) {
            ByteBuf bytes = Unpooled.wrappedBuffer(version2(0x21, 0x11, new byte[length]));
            assertThat(ProxyHeader.read(bytes)).isInstanceOf(ProxyHeader.Malformed.class);
        }
        ByteBuf ipv6 = Unpooled.wrappedBuffer(version2(0x21, 0x21, new byte[35]));
        assertThat(ProxyHeader.read(ipv6)).isInstanceOf(ProxyHeader.Malformed.class);
    }

    @Test
    void aHugeHeaderIsRefusedByItsLength() {
        byte[] begin = Arrays.copyOf(version2(0x21, 0x11, new byte[65_535]), 16);
        assertThat(ProxyHeader.read(Unpooled.wrappedBuffer(begin))).isInstanceOf(ProxyHeader.Malformed.class);
    }

    @Test
    void version1AnnouncesAClient() {
        assertThat(client(read(ascii("PROXY TCP4 203.0.113.7 198.51.100.1 47110 5672\r\n"))))
                .isEqualTo("203.0.113.7:47110");
        assertThat(client(read(ascii("PROXY TCP6 2001:db8::7 2001:db8::1 47110 5672\r\n"))))
                .isEqualTo("[2001:db8::7]:47110");
    }

    @Test
    void version1MayBeWithoutAClient() {
        assertThat(read(ascii("PROXY UNKNOWN\r\n"))).isInstanceOf(ProxyHeader.Direct.class);
        assertThat(read(ascii("PROXY UNKNOWN ffff::1 ffff::2 1 2\r\n"))).isInstanceOf(ProxyHeader.Direct.class);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "PROXY \r\n",
                "PROXY TCP4\r\n",
                "PROXY TCP4 203.0.113.7 198.51.100.1 47110\r\n",
                "PROXY TCP4 203.0.113.7 198.51.100.1 47110 5672 1\r\n",
                "PROXY TCP4  203.0.113.7 198.51.100.1 47110 5672\r\n",
                "PROXY TCP4 203.0.113.7 198.51.100.1 47110 5672\n",
                "PROXY TCP4 203.0.113.7 198.51.100.1 65536 5672\r\n",
                "PROXY TCP4 203.0.113.7 198.51.100.1 -1 5672\r\n",
                "PROXY TCP4 203.0.113.7 198.51.100.1 1 65536\r\n",
                "PROXY TCP4 203.0.113.7 198.51.100 47110 5672\r\n",
                "PROXY TCP4 localhost 198.51.100.1 47110 5672\r\n",
                "PROXY TCP4 2001:db8::7 2001:db8::1 47110 5672\r\n",
                "PROXY TCP6 203.0.113.7 198.51.100.1 47110 5672\r\n",
                "PROXY TCP6 fe80::1%eth0 2001:db8::1 47110 5672\r\n",
                "PROXY UDP4 203.0.113.7 198.51.100.1 47110 5672\r\n",
                "PROXY tcp4 203.0.113.7 198.51.100.1 47110 5672\r\n",
                "proxy TCP4 203.0.113.7 198.51.100.1 47110 5672\r\n",
                "GET / HTTP/1.1\r\n",
                "PROXX",
            })
    void textThatIsNoHeaderIsRefused(String line) {
        assertThat(readText(line)).isInstanceOf(ProxyHeader.Malformed.class);
    }

    @Test
    void aLineWithoutEndIsRefusedAtItsLongest() {
        assertThat(readText("PROXY UNKNOWN " + "x".repeat(92))).isInstanceOf(ProxyHeader.Incomplete.class);
        assertThat(readText("PROXY UNKNOWN " + "x".repeat(93))).isInstanceOf(ProxyHeader.Malformed.class);
    }

    @Test
    void noBytesBringTheReaderDown() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        byte[] text = ascii("PROXY TCP6 2001:db8::7 2001:db8::1 47110 5672\r\n");
        for (int i = 0; i < 200_000; i++) {
            byte[] bytes = (i % 2 == 0 ? IPV4 : text).clone();
            for (int changes = random.nextInt(4); changes >= 0; changes--) {
                bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
            }
            ByteBuf in = Unpooled.wrappedBuffer(bytes, 0, random.nextInt(bytes.length + 1));
            ProxyHeader header = ProxyHeader.read(in);
            boolean read = header instanceof ProxyHeader.Announced || header instanceof ProxyHeader.Direct;
            assertThat(in.readerIndex() > 0).as("seed %d, round %d", seed, i).isEqualTo(read);
        }
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
