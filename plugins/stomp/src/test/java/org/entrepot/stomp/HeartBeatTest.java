package org.entrepot.stomp;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.entrepot.testkit.BrokerExtension;
import org.entrepot.testkit.EmbeddedBroker;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Heart-beats both ways. */
class HeartBeatTest {
    @RegisterExtension
    static final BrokerExtension broker = new BrokerExtension(EmbeddedBroker.with("stomp", new StompPlugin()));

    private static Client connect(String heartBeat) {
        Client client = Client.silent(broker);
        client.send("CONNECT", "accept-version:1.1", "login:guest", "passcode:guest", "heart-beat:" + heartBeat);
        client.expect("CONNECTED");
        return client;
    }

    @Test
    void ourBeatsComeInTime() {
        try (Client client = connect("0,1000")) {
            for (int i = 0; i < 3; i++) {
                long begin = System.nanoTime();
                assertThat(client.read()).isEqualTo('\n');
                // Half an interval, and the timer's tolerance; the rest is for a machine that is busy.
                assertThat(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begin))
                        .isLessThan(2000);
            }
        }
    }

    @Test
    void aSilentClientIsClosedUpon() {
        try (Client client = connect("1000,0")) {
            long begin = System.nanoTime();
            client.expectEnd();
            assertThat(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begin)).isBetween(1900L, 6000L);
        }
    }

    @Test
    void aClientThatBeatsIsKept() {
        try (Client client = connect("1000,1000")) {
            // It answers beats with beats for longer than silence is borne.
            for (int i = 0; i < 8; i++) {
                assertThat(client.read()).isEqualTo('\n');
                client.raw("\n");
            }
            client.send("DISCONNECT", "receipt:1").expectReceipt("1");
        }
    }
}
