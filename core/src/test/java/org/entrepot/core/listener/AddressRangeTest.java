package org.entrepot.core.listener;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.util.NetUtil;
import java.net.InetAddress;
import java.net.UnknownHostException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AddressRangeTest {

    private static InetAddress address(String text) throws UnknownHostException {
        return InetAddress.getByAddress(NetUtil.createByteArrayFromIpAddressString(text));
    }

    @ParameterizedTest
    @CsvSource({
        "10.0.0.0/8, 10.255.1.2, true",
        "10.0.0.0/8, 11.0.0.0, false",
        "192.168.4.0/22, 192.168.7.255, true",
        "192.168.4.0/22, 192.168.8.0, false",
        "192.0.2.7, 192.0.2.7, true",
        "192.0.2.7, 192.0.2.6, false",
        "192.0.2.7/32, 192.0.2.6, false",
        "0.0.0.0/0, 203.0.113.9, true",
        "0.0.0.0/0, 2001:db8::1, false",
        "2001:db8::/33, 2001:db8:7fff::1, true",
        "2001:db8::/33, 2001:db8:8000::1, false",
        "::1, ::1, true",
        "::1, 127.0.0.1, false",
        "::ffff:127.0.0.1, 127.0.0.1, true",
    })
    void anAddressIsOrIsNotInARange(String range, String address, boolean expected) throws UnknownHostException {
        assertThat(AddressRange.parse(range).contains(address(address))).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource({
        "localhost, is not an IP address",
        "10.0.0.0/33, has a prefix of more than 32 bits",
        "2001:db8::/129, has a prefix of more than 128 bits",
        "10.0.0.1/8, has bits set after the first 8",
        "10.0.0.0/, has no number after its slash",
        "10.0.0.0/+8, has no number after its slash",
        "10.0.0.0/8/8, has no number after its slash",
        "10.0.0/8, is not an IP address",
        "'', is not an IP address",
    })
    void whatIsNoRangeIsRefusedWithTheReason(String text, String reason) {
        assertThatThrownBy(() -> AddressRange.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(reason);
    }

    @Test
    void rangesAreEqualByWhatTheyHold() {
        assertThat(AddressRange.parse("10.0.0.0/8"))
                .isEqualTo(AddressRange.parse("10.0.0.0/8"))
                .hasSameHashCodeAs(AddressRange.parse("10.0.0.0/8"))
                .isNotEqualTo(AddressRange.parse("10.0.0.0/9"))
                .hasToString("10.0.0.0/8");
    }
}
