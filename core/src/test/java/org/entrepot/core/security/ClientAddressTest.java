package org.entrepot.core.security;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetSocketAddress;
import java.util.List;
import java.util.Optional;
import org.entrepot.spi.protocol.ConnectionFacts;
import org.junit.jupiter.api.Test;

class ClientAddressTest {

    private static String of(String address) {
        return ClientAddress.of(Peers.at(address)).text();
    }

    @Test
    void theAnnouncedAddressCountsWithoutItsPort() {
        assertThat(of("10.1.2.3")).isEqualTo("10.1.2.3");
        assertThat(ClientAddress.of(Peers.behind("10.0.0.1", "192.0.2.7")).text())
                .isEqualTo("192.0.2.7");
    }

    @Test
    void ofIpVersion6TheNetworkCounts() {
        assertThat(of("2001:db8:1:2:3:4:5:6")).isEqualTo("2001:db8:1:2::/64");
        assertThat(of("2001:db8:1:2:ffff::1")).isEqualTo("2001:db8:1:2::/64");
        assertThat(of("2001:db8:1:3::1")).isEqualTo("2001:db8:1:3::/64");
        assertThat(of("::1")).isEqualTo("0:0:0:0:0:0:0:1");
        assertThat(of("::ffff:10.1.2.3")).isEqualTo("10.1.2.3");
    }

    @Test
    void anUnresolvedNameIsMadeHarmless() {
        InetSocketAddress odd = InetSocketAddress.createUnresolved("a\nb", 1);

        assertThat(ClientAddress.of(new ConnectionFacts(odd, odd, odd, "amqp", Optional.empty(), List.of()))
                        .text())
                .isEqualTo("a\\u000ab");
    }
}
