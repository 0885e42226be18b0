package org.entrepot.core.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelPipeline;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
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
import org.entrepot.core.listener.WebSocketSpec;
import org.entrepot.spi.message.Bytes;
import org.entrepot.spi.message.MessageFormat;
import org.entrepot.spi.protocol.Connection;
import org.entrepot.spi.protocol.ConnectionHandler;
import org.entrepot.spi.protocol.Protocol;
import org.entrepot.spi.protocol.WebSocketEndpoint;
import org.entrepot.spi.protocol.WebSocketEndpoint.FrameKind;
import org.junit.jupiter.api.Test;

class ListenerPlanTest {
    private static final Path HOME = Path.of("/opt/entrepot");
    private static final WebSocketEndpoint WEB =
            new WebSocketEndpoint(OptionalInt.of(15_675), "/ws", List.of("web"), FrameKind.TEXT_OR_BINARY);

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
    void aProtocolForWebSocketListensThereTooAndOverTlsWhereAskedTo() throws Exception {
        List<ListenerSpec> specs = webSpecs(
                "listener.web.port = -1",
                "listener.web.wss.port = 15676",
                "listener.web.ws.path = /mqtt",
                "listener.web.ws.origins = https://a.example, https://b.example",
                "listener.web.ws.frames = binary",
                "listener.tls.certificate = conf/server.pem",
                "listener.tls.key = conf/key.pem");

        assertThat(specs).extracting(ListenerSpec::name).containsExactly("web.ws", "web.wss");
        assertThat(specs).extracting(ListenerSpec::port).containsExactly(15_675, 15_676);
        assertThat(specs).extracting(spec -> spec.tls().isPresent()).containsExactly(false, true);
        assertThat(specs)
                .extracting(spec -> spec.webSocket().orElseThrow())
                .containsOnly(new WebSocketSpec(
                        "/mqtt", List.of("web"), true, false, List.of("https://a.example", "https://b.example")));
    }

    @Test
    void webSocketHasItsDefaultsAndMayBeOff() throws Exception {
        assertThat(webSpecs()).extracting(ListenerSpec::name).containsExactly("web", "web.ws");
        assertThat(webSpecs().get(0).webSocket()).isEmpty();
        assertThat(webSpecs().get(1).webSocket())
                .contains(new WebSocketSpec("/ws", List.of("web"), true, true, List.of()));
        assertThat(webSpecs("listener.web.ws.port = -1"))
                .extracting(ListenerSpec::name)
                .containsExactly("web");
    }

    @Test
    void whatIsNoPathOrOriginIsTheOperatorsMatter() {
        assertThatThrownBy(() -> webSpecs("listener.web.ws.path = ws"))
                .isInstanceOf(StartException.class)
                .hasMessage("listener.web.ws.path: \"ws\" is not the path of a URL, such as /ws");
        assertThatThrownBy(() -> webSpecs("listener.web.ws.origins = a.example"))
                .isInstanceOf(StartException.class)
                .hasMessage("listener.web.ws.origins: \"a.example\" is not the origin of a web page, such as"
                        + " https://example.com");
    }

    @Test
    void webSocketOverTlsNeedsTheFilesOfTls() {
        assertThatThrownBy(() -> webSpecs("listener.web.wss.port = 15676"))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("listener.tls.certificate")
                .hasMessageContaining("listener.tls.key");
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

    private static List<ListenerSpec> specs(String... lines) throws Exception {
        return ListenerPlan.specs(configuration(lines), List.of(new Echo("echo", Optional.empty())));
    }

    private static List<ListenerSpec> webSpecs(String... lines) throws Exception {
        return ListenerPlan.specs(configuration(lines), List.of(new Echo("web", Optional.of(WEB))));
    }

    private static Configuration configuration(String... lines) throws ConfigurationException {
        List<KeyGroup> groups = new ArrayList<>(CoreKeys.groups());
        groups.add(CoreKeys.protocol("echo", 7007));
        groups.add(CoreKeys.protocol("web", 7008, WEB));
        return new ConfigurationLoader(ConfigurationSources.none(HOME).withLines("my.conf", List.of(lines)))
                .load(groups);
    }

    /** A protocol that is never spoken. */
    private record Echo(String name, Optional<WebSocketEndpoint> webSocket) implements Protocol {

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
