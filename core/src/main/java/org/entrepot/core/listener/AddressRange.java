package org.entrepot.core.listener;

import io.netty.util.NetUtil;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;

/** A range of IP addresses in CIDR notation, such as {@code 10.0.0.0/8} or {@code 2001:db8::/32}. Immutable. */
public final class AddressRange {
    private final byte[] network;
    private final int prefixBits;

    private AddressRange(byte[] network, int prefixBits) {
        this.network = network;
        this.prefixBits = prefixBits;
    }

    /**
     * Reads {@code address} or {@code address/bits}; names of hosts are not taken.
     *
     * @throws IllegalArgumentException with what is wrong
     */
    public static AddressRange parse(String text) {
        int slash = text.indexOf('/');
        String address = slash < 0 ? text : text.substring(0, slash);
        byte[] parsed = NetUtil.createByteArrayFromIpAddressString(address);
        if (parsed == null) {
            throw new IllegalArgumentException(
                    "\"" + text + "\" is not an IP address or a range such as 10.0.0.0/8 or 2001:db8::/32");
        }
        // Addresses of sockets never are IPv4 in IPv6, so a range is turned into what it will be compared with.
        byte[] network = unmapped(parsed);
        int most = network.length * Byte.SIZE;
        int bits = slash < 0 ? most : bits(text, text.substring(slash + 1), most);
        for (int bit = bits; bit < most; bit++) {
            if ((network[bit / Byte.SIZE] & (0x80 >> (bit % Byte.SIZE))) != 0) {
                throw new IllegalArgumentException("\"" + text + "\" has bits set after the first " + bits
                        + ": a range is written with its lowest address");
            }
        }
        return new AddressRange(network, bits);
    }

    /** Whether the address is one of the range. */
    public boolean contains(InetAddress address) {
        byte[] bytes = address.getAddress();
        if (bytes.length != network.length) {
            return false;
        }
        int whole = prefixBits / Byte.SIZE;
        if (!Arrays.equals(bytes, 0, whole, network, 0, whole)) {
            return false;
        }
        int rest = prefixBits % Byte.SIZE;
        return rest == 0 || ((bytes[whole] ^ network[whole]) & (0xff00 >> rest) & 0xff) == 0;
    }

    private static int bits(String text, String number, int most) {
        if (number.length() > 3 || !number.chars().allMatch(c -> c >= '0' && c <= '9') || number.isEmpty()) {
            throw new IllegalArgumentException("\"" + text + "\" has no number after its slash");
        }
        int bits = Integer.parseInt(number);
        if (bits > most) {
            throw new IllegalArgumentException("\"" + text + "\" has a prefix of more than " + most + " bits");
        }
        return bits;
    }

    private static byte[] unmapped(byte[] address) {
        try {
            return InetAddress.getByAddress(address).getAddress();
        } catch (UnknownHostException e) {
            throw new IllegalArgumentException("an IP address has 4 or 16 bytes", e);
        }
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof AddressRange range
                && range.prefixBits == prefixBits
                && Arrays.equals(range.network, network);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(network) * 31 + prefixBits;
    }

    @Override
    public String toString() {
        return NetUtil.bytesToIpAddress(network) + "/" + prefixBits;
    }
}
