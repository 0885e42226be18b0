package org.entrepot.core.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class AddressCacheTest {
    private static final String HOST = "/";
    private static final String EXCHANGE = "measures";

    private final AddressCache cache = new AddressCache();

    private PublishAddress get(String host, String exchange, String key) {
        ByteBuf bytes = Unpooled.copiedBuffer(exchange + key, StandardCharsets.UTF_8);
        int exchangeLength = exchange.length();
        return cache.get(host, bytes, 0, exchangeLength, exchangeLength, key.length());
    }

    @Test
    void anAddressIsThatOfItsHostExchangeAndKey() {
        PublishAddress address = get(HOST, EXCHANGE, "a.b");

        assertThat(address.exchange()).isEqualTo(EXCHANGE);
        assertThat(address.key()).hasToString("a.b");
        assertThat(get(HOST, EXCHANGE, "a.b")).isSameAs(address);
        assertThat(get("other", EXCHANGE, "a.b")).isNotSameAs(address);
        assertThat(get(HOST, "measure", "sa.b")).isNotSameAs(address);
    }

    @Test
    void thousandsOfAddressesInUseStay() {
        Map<String, PublishAddress> before = new HashMap<>();
        int used = 5_000;
        for (int i = 0; i < used; i++) {
            before.put("dev." + i + ".temp", get(HOST, EXCHANGE, "dev." + i + ".temp"));
        }

        int stayed = 0;
        for (Map.Entry<String, PublishAddress> entry : before.entrySet()) {
            if (get(HOST, EXCHANGE, entry.getKey()) == entry.getValue()) {
                stayed++;
            }
        }

        assertThat(stayed).isGreaterThan(used * 19 / 20);
    }

    @Test
    void anAddressThatWasDrivenAwayComesBack() {
        PublishAddress driven = get(HOST, EXCHANGE, "first");
        for (int i = 0; i < 100_000; i++) {
            get(HOST, EXCHANGE, "flood." + i);
        }

        PublishAddress again = get(HOST, EXCHANGE, "first");

        assertThat(again).isNotSameAs(driven);
        assertThat(again.key()).isEqualTo(driven.key());
        assertThat(get(HOST, EXCHANGE, "first")).isSameAs(again);
    }
}
