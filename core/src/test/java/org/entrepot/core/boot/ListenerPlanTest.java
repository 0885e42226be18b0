package org.entrepot.core.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelPipeline;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import org.entrepot.core.config.Configuration;
import org.entrepot.core.config.ConfigurationException;
import org.entrepot.core.config.ConfigurationLoader;
import org.entrepot.core.config.ConfigurationSources;
import org.entrepot.core.config.CoreKeys;
import org.entrepot.core.config.KeyGroup;
import org.entrepot.core.listener.ConnectionLimits;
import org.entrepot.core.listener.ListenerSettings;
import org.entrepot.core.listener.ListenerSpec;
import org.entrepot.core.listener.TlsSpec;
import org.entrepot.spi.message.Bytes;
import org.entrepot.spi.message.MessageFormat;
import org.entrepot.spi.protocol.Connection;
import org.entrepot.spi.protocol.ConnectionHandler;
import org.entrepot.spi.protocol.Protocol;
import org.junit.jupiter.api.Test;

class ListenerPlanTest {
    private static final Path HOME = Path.of("/opt/entrepot");

    @Test
    void aProtocolListensOnItsDefaultPortUnlessSomethingElseIsSaid() throws Exception {
        ListenerSpec spec = specs().get(0);

        assertThat(specs()).hasSize(1);
        assertThat(spec.name()).isEqualTo("echo");
        assertThat(spec.port()).isEqualTo(7007);
        assertThat(spec.addresses()).containsExactly("*");
        assertThat(spec.tls()).isEmpty();
    }

    @Test
    void minusOneOpensNoPort() throws Exception {
        assertThat(specs("listener.echo.port = -1")).isEmpty();
    }

    @Test
    void aPortForTlsIsAListenerOfItsOwn() throws Exception {
        List<ListenerSpec> specs = specs(
                "listener.address = 127.0.0.1, ::1",
                "listener.echo.tls.port = 0",
                "listener.tls.certificate = conf/server.pem",
                "listener.tls.key = /secret/key.pem",
                "listener.tls.client-certificate = required",
                "listener.tls.trust = conf/ca.pem",
                "listener.tls.protocols = TLSv1.3");

        assertThat(specs).extracting(ListenerSpec::name).containsExactly("echo", "echo.tls");
        assertThat(specs.get(1).port()).isZero();
        assertThat(specs.get(1).addresses()).containsExactly("127.0.0.1", "::1");
        TlsSpec tls = specs.get(1).tls().orElseThrow();
        assertThat(tls.certificates()).isEqualTo(HOME.resolve("conf/server.pem"));
        assertThat(tls.key()).isEqualTo(Path.of("/secret/key.pem"));
        assertThat(tls.clientCertificate()).isEqualTo(TlsSpec.ClientCertificate.REQUIRED);
        assertThat(tls.trust()).contains(HOME.resolve("conf/ca.pem"));
        assertThat(tls.versions()).containsExactly("TLSv1.3");
    }

    @Test
    void limitsAreTakenOver() throws Exception {
        ListenerSettings settings = ListenerPlan.settings(configuration(
                "listener.connections-max = 7",
                "listener.connections-per-address-max = 3",
                "listener.handshake-timeout = 4 s",
                "listener.tls.handshake-timeout = 2 s",
                "listener.send-buffer = 64 KiB",
                "listener.backlog = 5",
                "listener.proxy-protocol.sources = 10.0.0.0/8"));

        assertThat(settings.limits().connectionsMax()).isEqualTo(7);
        assertThat(settings.limits().perAddressMax()).isEqualTo(3);
        assertThat(settings.limits().tlsHandshakeMillis()).isEqualTo(2_000);
        assertThat(settings.sockets().sendBufferBytes()).isEqualTo(64 << 10);
        assertThat(settings.limits().firstBytesMillis()).isEqualTo(4000);
        assertThat(settings.sockets().backlog()).isEqualTo(5);
        assertThat(settings.proxySources()).hasSize(1);
        assertThat(ListenerPlan.settings(configuration()).limits().perAddressMax())
                .isEqualTo(ConnectionLimits.UNLIMITED);
    }

    @Test
    void aProxySourceThatIsNoAddressIsTheOperatorsMatter() throws Exception {
        Configuration configuration = configuration("listener.proxy-protocol.sources = proxy.example");

        assertThatThrownBy(() -> ListenerPlan.settings(configuration))
                .isInstanceOf(StartException.class)
                .hasMessageStartingWith("listener.proxy-protocol.sources: \"proxy.example\" is not an IP address");
    }

    private static List<ListenerSpec> specs(String... lines) throws ConfigurationException {
        return ListenerPlan.specs(configuration(lines), List.of(new Echo()));
    }

    private static Configuration configuration(String... lines) throws ConfigurationException {
        List<KeyGroup> groups = new ArrayList<>(CoreKeys.groups());
        groups.add(CoreKeys.protocol("echo", 7007));
        return new ConfigurationLoader(ConfigurationSources.none(HOME).withLines("my.conf", List.of(lines)))
                .load(groups);
    }

    /** A protocol that is never spoken. */
    private static final class Echo implements Protocol {
        @Override
        public String name() {
            return "echo";
        }

        @Override
        public OptionalInt defaultPort() {
            return OptionalInt.of(7007);
        }

        @Override
        public Recognition recognise(ByteBuf firstBytes) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Bytes refusal(ByteBuf firstBytes) {
            throw new UnsupportedOperationException();
        }

        @Override
        public ConnectionHandler open(ChannelPipeline pipeline, Connection connection) {
            throw new UnsupportedOperationException();
        }

        @Override
        public MessageFormat format() {
            throw new UnsupportedOperationException();
        }
    }
}
