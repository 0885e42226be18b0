package org.entrepot.core.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.entrepot.spi.ConfigurationKey;
import org.junit.jupiter.api.Test;

class CoreKeysTest {
    private static final Path HOME = Path.of("/opt/entrepot");

    private static List<KeyGroup> groups() {
        List<KeyGroup> groups = new ArrayList<>(CoreKeys.groups());
        groups.add(CoreKeys.protocol("amqp", 5672));
        return groups;
    }

    private static Configuration load(String... lines) throws ConfigurationException {
        return new ConfigurationLoader(ConfigurationSources.none(HOME).withLines("entrepot.conf", List.of(lines)))
                .load(groups());
    }

    @Test
    void defaultsStartAUsefulBroker() throws ConfigurationException {
        Configuration configuration = load();

        assertThat(configuration.list(CoreKeys.LISTENER_ADDRESS)).containsExactly("*");
        assertThat(configuration.number("listener.amqp.port")).isEqualTo(5672);
        assertThat(configuration.isSet("listener.amqp.tls.port")).isFalse();
        assertThat(configuration.path(CoreKeys.DATA_DIRECTORY)).contains(HOME.resolve("data"));
        assertThat(configuration.duration(CoreKeys.LISTENER_HANDSHAKE_TIMEOUT)).isEqualTo(Duration.ofSeconds(10));
        assertThat(configuration.list(CoreKeys.LISTENER_PROXY_PROTOCOL_SOURCES)).isEmpty();
        assertThat(configuration.list(CoreKeys.SECURITY_LOOPBACK_USERS)).containsExactly("guest");
        assertThat(configuration.text(CoreKeys.SECURITY_ANONYMOUS_USER)).isEmpty();
        assertThat(configuration.list(CoreKeys.LISTENER_TLS_PROTOCOLS)).containsExactly("TLSv1.3", "TLSv1.2");
    }

    @Test
    void namesThatOtherToolsRelyOnStay() throws ConfigurationException {
        Configuration configuration = new ConfigurationLoader(ConfigurationSources.none(HOME)
                        .withEnvironment(
                                Map.of("ENTREPOT_LISTENER_AMQP_PORT", "0", "ENTREPOT_DATA_DIRECTORY", "/data")))
                .load(groups());

        assertThat(configuration.number("listener.amqp.port")).isZero();
        assertThat(configuration.path("data.directory")).contains(Path.of("/data"));
        assertThat(configuration.list("listener.address")).isNotEmpty();
    }

    @Test
    void tlsNeedsItsFiles() throws ConfigurationException {
        assertThat(load(
                                "listener.amqp.tls.port = 5671",
                                "listener.tls.certificate = conf/server.pem",
                                "listener.tls.key = conf/server.key",
                                "listener.tls.client-certificate = required",
                                "listener.tls.trust = conf/authority.pem",
                                "listener.amqp.port = -1")
                        .number("listener.amqp.tls.port"))
                .isEqualTo(5671);
        try {
            load("listener.amqp.tls.port = 5671", "listener.tls.client-certificate = required");
            throw new AssertionError("accepted");
        } catch (ConfigurationException refused) {
            assertThat(refused.problems())
                    .extracting(ConfigurationException.Problem::origin)
                    .containsExactly("entrepot.conf:1", "entrepot.conf:1", "entrepot.conf:2");
        }
    }

    @Test
    void everyMeaningIsSentences() {
        for (KeyGroup group : groups()) {
            for (ConfigurationKey key : group.keys()) {
                assertThat(key.meaning()).as(key.name()).matches("[A-Z].*\\.");
            }
        }
    }
}
