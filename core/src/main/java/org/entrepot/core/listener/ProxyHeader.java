package org.entrepot.core.listener;

import io.netty.buffer.ByteBuf;
import io.netty.util.NetUtil;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * What the begin of a connection says in the PROXY protocol, version 1 or 2 of its specification. Immutable. What a
 * version 2 header holds beyond the client's address is skipped.
 */
sealed interface ProxyHeader {

    /** Most bytes that a version 2 header may have: a hundred times what addresses need, for what proxies add. */
    int BYTES_MAX = 4_096;

    /** The header is read: the proxy speaks for this client. */
    record Announced(InetSocketAddress client) implements ProxyHeader {}

    /** The header is read: the proxy speaks for itself, or does not know for whom. */
    record Direct() implements ProxyHeader {}

    /** More bytes are needed. Nothing is read. */
    record Incomplete() implements ProxyHeader {}

    /** This is no header. */
    record Malformed(String why) implements ProxyHeader {}

    /** Reads a header from the buffer, leaving what follows it. */
    static ProxyHeader read(ByteBuf in) {
        if (startsWith(in, Version2.SIGNATURE)) {
            return Version2.read(in);
        }
        if (startsWith(in, Version1.SIGNATURE)) {
            return Version1.read(in);
        }
        return new Malformed("no PROXY protocol header");
    }

    /** Whether the buffer begins with the header's mark, or is a begin of it. */
    static boolean looksLikeOne(ByteBuf in) {
        return startsWith(in, Version2.SIGNATURE) || startsWith(in, Version1.SIGNATURE);
    }

    private static boolean startsWith(ByteBuf in, byte[] signature) {
        int length = Math.min(in.readableBytes(), signature.length);
        for (int i = 0; i < length; i++) {
            if (in.getByte(in.readerIndex() + i) != signature[i]) {
                return false;
            }
        }
        return true;
    }

    private static ProxyHeader announced(byte[] address, int port) {
        try {
            return new Announced(new InetSocketAddress(InetAddress.getByAddress(address), port));
        } catch (UnknownHostException e) {
            return new Malformed("a client's address of " + address.length + " bytes");
        }
    }

    /** The text form. */
    final class Version1 {
        static final byte[] SIGNATURE = "PROXY ".getBytes(StandardCharsets.US_ASCII);

        /** Most bytes of the line with its end, by the specification. */
        private static final int LINE_BYTES_MAX = 107;

        private static final int PORT_MAX = 65_535;

        private Version1() {}

        static ProxyHeader read(ByteBuf in) {
            int start = in.readerIndex();
            int seen = Math.min(in.readableBytes(), LINE_BYTES_MAX);
            int end = in.indexOf(start, start + seen, (byte) '\n');
            if (end < 0) {
                return seen == LINE_BYTES_MAX
                        ? new Malformed("a PROXY line of more than " + LINE_BYTES_MAX + " bytes")
                        : new Incomplete();
            }
            if (in.getByte(end - 1) != '\r') {
                return new Malformed("a PROXY line that does not end in CR LF");
            }
            String line = in.toString(start, end - 1 - start, StandardCharsets.US_ASCII);
            ProxyHeader header = parse(line.split(" ", -1));
            if (!(header instanceof Malformed)) {
                in.readerIndex(end + 1);
            }
            return header;
        }

        private static ProxyHeader parse(String[] words) {
            String family = words[1];
            if (family.equals("UNKNOWN")) {
                return new Direct();
            }
            if (words.length != 6) {
                return new Malformed("a PROXY line that has not six words");
            }
            int bytes = family.equals("TCP4") ? 4 : family.equals("TCP6") ? 16 : 0;
            byte[] client = address(words[2], bytes);
            int port = port(words[4]);
            if (client == null || address(words[3], bytes) == null || port < 0 || port(words[5]) < 0) {
                return new Malformed("a PROXY line without the addresses and ports that it should have");
            }
            return announced(client, port);
        }

        private static byte @Nullable [] address(String text, int bytes) {
            boolean written = bytes == 4
                    ? NetUtil.isValidIpV4Address(text)
                    : bytes == 16 && NetUtil.isValidIpV6Address(text) && text.indexOf('%') < 0;
            return written ? NetUtil.createByteArrayFromIpAddressString(text) : null;
        }

        private static int port(String text) {
            if (text.isEmpty() || text.length() > 5 || !text.chars().allMatch(c -> c >= '0' && c <= '9')) {
                return -1;
            }
            int port = Integer.parseInt(text);
            return port <= PORT_MAX ? port : -1;
        }
    }

    /** The binary form. */
    final class Version2 {
        static final byte[] SIGNATURE = {
            '\r', '\n', '\r', '\n', 0, '\r', '\n', 'Q', 'U', 'I', 'T', '\n',
        };

        private static final int FIXED_BYTES = 16;
        private static final int VERSION = 2;
        private static final int LOCAL = 0;
        private static final int PROXY = 1;
        private static final int UNSPECIFIED = 0x00;
        private static final int TCP_OVER_IPV4 = 0x11;
        private static final int TCP_OVER_IPV6 = 0x21;
        private static final int UNIX_STREAM = 0x31;

        private Version2() {}

        static ProxyHeader read(ByteBuf in) {
            if (in.readableBytes() < FIXED_BYTES) {
                return new Incomplete();
            }
            int start = in.readerIndex();
            int versionAndCommand = in.getUnsignedByte(start + 12);
            int command = versionAndCommand & 0xf;
            if (versionAndCommand >> 4 != VERSION || command > PROXY) {
                return new Malformed("a PROXY protocol header of a version or command that is not known");
            }
            int length = in.getUnsignedShort(start + 14);
            if (FIXED_BYTES + length > BYTES_MAX) {
                return new Malformed("a PROXY protocol header of more than " + BYTES_MAX + " bytes");
            }
            if (in.readableBytes() < FIXED_BYTES + length) {
                return new Incomplete();
            }
            ProxyHeader header = command == LOCAL ? new Direct() : client(in, start, length);
            if (!(header instanceof Malformed)) {
                in.readerIndex(start + FIXED_BYTES + length);
            }
            return header;
        }

        private static ProxyHeader client(ByteBuf in, int start, int length) {
            int transport = in.getUnsignedByte(start + 13);
            return switch (transport) {
                case TCP_OVER_IPV4 -> client(in, start, length, 4);
                case TCP_OVER_IPV6 -> client(in, start, length, 16);
                case UNSPECIFIED, UNIX_STREAM -> new Direct();
                default -> new Malformed("a PROXY protocol header for a transport that is not TCP");
            };
        }

        private static ProxyHeader client(ByteBuf in, int start, int length, int addressBytes) {
            if (length < 2 * addressBytes + 4) {
                return new Malformed("a PROXY protocol header too short for its addresses");
            }
            byte[] client = new byte[addressBytes];
            in.getBytes(start + FIXED_BYTES, client);
            return announced(client, in.getUnsignedShort(start + FIXED_BYTES + 2 * addressBytes));
        }
    }
}
