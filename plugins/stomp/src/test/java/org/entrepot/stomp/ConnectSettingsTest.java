package org.entrepot.stomp;

import static org.assertj.core.api.Assertions.assertThat;

import org.entrepot.testkit.BrokerExtension;
import org.entrepot.testkit.EmbeddedBroker;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What configuration changes about the beginning of connections. */
class ConnectSettingsTest {
    @RegisterExtension
    static final BrokerExtension broker = new BrokerExtension(EmbeddedBroker.with("stomp", new StompPlugin())
            .set("stomp.default-user=guest")
            .set("stomp.default-password=guest")
            .set("stomp.implicit-connect=true")
            .set("stomp.host-fallback=true")
            .set("stomp.server=")
            .set("stomp.login-frame-max=2 KiB"));

    @Test
    void aClientWithoutLoginIsTheDefaultUser() {
        try (Client client = Client.silent(broker)) {
            Client.Frame connected = client.send("CONNECT").expect("CONNECTED");
            assertThat(connected.header("server")).isNull();
        }
    }

    @Test
    void theFirstFrameLogsInAndIsPerformed() {
        try (Client client = Client.silent(broker)) {
            client.send("SUBSCRIBE", "destination:/queue/implicit", "receipt:s").expectReceipt("s");
            client.publish("/queue/implicit", "hello").expectMessage("hello");
        }
    }

    @Test
    void aHostThatIsNoVirtualHostIsTheDefaultOne() {
        try (Client client = Client.silent(broker)) {
            client.send("CONNECT", "accept-version:1.2", "host:broker.example.com")
                    .expect("CONNECTED");
            client.subscribe("1", "/queue/fallback");
        }
    }

    @Test
    void frameBeforeTheLoginIsSmall() {
        try (Client client = Client.silent(broker)) {
            client.send("CONNECT", "x:" + "y".repeat(3000)).expectEnd();
        }
        try (Client client = Client.silent(broker)) {
            client.send("CONNECT").expect("CONNECTED");
            client.subscribe("1", "/queue/large").publish("/queue/large", "y".repeat(100_000));
            assertThat(client.expect("MESSAGE").body()).hasSize(100_000);
        }
    }
}
