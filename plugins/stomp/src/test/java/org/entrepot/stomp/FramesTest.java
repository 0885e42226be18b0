package org.entrepot.stomp;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.entrepot.testkit.BrokerExtension;
import org.entrepot.testkit.EmbeddedBroker;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Frames as clients write them, well and badly, and as they come back. */
class FramesTest {
    @RegisterExtension
    static final BrokerExtension broker = new BrokerExtension(EmbeddedBroker.with("stomp", new StompPlugin())
            .set("stomp.frame-max=1 MiB")
            .set("stomp.headers-max=20")
            .set("stomp.header-max=1 KiB"));

    @ParameterizedTest
    @ValueSource(strings = {"1.0", "1.1", "1.2"})
    void aMessageComesBackAsItWasSent(String version) {
        try (Client client = Client.open(broker, version)) {
            client.subscribe("7", "/queue/back-" + version)
                    .publish("/queue/back-" + version, "hello", "content-type:text/plain", "one:1", "two:2");
            Client.Frame message = client.expectMessage("hello");
            assertThat(message.lines().get(0)).isEqualTo("subscription:7");
            assertThat(message.lines().get(1)).isEqualTo("destination:/queue/back-" + version);
            assertThat(message.lines().get(2)).matches("message-id:T_7@@session-[A-Za-z0-9_-]{22}@@1");
            assertThat(message.lines().subList(3, message.lines().size()))
                    .containsExactly(
                            "redelivered:false", "content-type:text/plain", "one:1", "two:2", "content-length:5");
        }
    }

    @Test
    void anEmptyBodyHasNoLength() {
        try (Client client = Client.open(broker)) {
            client.subscribe("1", "/topic/empty").publish("/topic/empty", "", "content-length:0");
            assertThat(client.expectMessage("").header("content-length")).isNull();
        }
    }

    @Test
    void aCountedBodyMayHoldZeros() {
        try (Client client = Client.open(broker)) {
            client.subscribe("1", "/topic/zeros").raw("SEND\ndestination:/topic/zeros\ncontent-length:5\n\na\0b\0\n\0");
            assertThat(client.expect("MESSAGE").bytes()).isEqualTo("a\0b\0\n".getBytes(StandardCharsets.US_ASCII));
        }
    }

    @Test
    void aLengthThatIsNoNumberDoesNotCount() {
        try (Client client = Client.open(broker)) {
            client.subscribe("1", "/topic/length")
                    .raw("SEND\ndestination:/topic/length\ncontent-length:five\n\nhello\0");
            client.expectMessage("hello");
        }
    }

    @Test
    void linesMayEndAsOnOtherSystems() {
        try (Client client = Client.open(broker)) {
            client.raw("\r\n\0\n\r\nSUBSCRIBE\r\ndestination:/topic/crlf\r\n\r\n\0\r\n")
                    .raw("SEND\r\ndestination:/topic/crlf\r\nx:y\r\n\r\nhello\0");
            assertThat(client.expectMessage("hello").header("x")).isEqualTo("y");
        }
    }

    @Test
    void escapesGoThroughAndColonsBecomeEscapes() {
        try (Client client = Client.open(broker)) {
            client.subscribe("1", "/topic/escapes")
                    .publish("/topic/escapes", "-", "a\\cb:line\\nfeed\\\\back", "time:12:30", "cr:\\r");
            Client.Frame message = client.expect("MESSAGE");
            assertThat(message.lines()).contains("a\\cb:line\\nfeed\\\\back", "time:12\\c30", "cr:\\r");
        }
    }

    @Test
    void theFirstOfSeveralHeadersCounts() {
        try (Client client = Client.open(broker)) {
            client.subscribe("1", "/topic/first")
                    .publish("/topic/first", "-", "x:1", "x:2", "priority:3", "priority:4", "destination:/topic/other");
            Client.Frame message = client.expect("MESSAGE");
            assertThat(message.lines()).contains("x:1", "priority:3").doesNotContain("x:2", "priority:4");
        }
    }

    @Test
    void headersMayBeAnyText() {
        try (Client client = Client.open(broker)) {
            client.subscribe("ü", "/topic/text").publish("/topic/text", "grüße", "schlüssel:wörter 日本");
            Client.Frame message = client.expectMessage("grüße");
            assertThat(message.lines()).contains("schlüssel:wörter 日本", "subscription:ü");
        }
    }

    @Test
    void leadingBlanksOfValuesAreLostInTheFirstVersionOnly() {
        try (Client client = Client.open(broker, "1.0")) {
            client.send("SUBSCRIBE", "destination: /topic/blanks", "id: 1").publish(" /topic/blanks", "-", "x:  y ");
            assertThat(client.expect("MESSAGE").lines()).contains("subscription:1", "x:y ");
        }
        try (Client client = Client.open(broker, "1.1")) {
            client.subscribe("1", "/topic/blanks").publish("/topic/blanks", "-", "x:  y ");
            assertThat(client.expect("MESSAGE").lines()).contains("x:  y ");
        }
    }

    @Test
    void framesMayComeByteByByte() {
        try (Client client = Client.open(broker)) {
            client.subscribe("1", "/topic/bytes");
            for (byte b : Client.frame("SEND", "hello", "destination:/topic/bytes", "content-length:5")) {
                client.raw(new byte[] {b});
            }
            client.expectMessage("hello");
        }
    }

    @Test
    void manyFramesMayComeAtOnce() {
        try (Client client = Client.open(broker)) {
            client.subscribe("1", "/topic/many");
            StringBuilder frames = new StringBuilder();
            for (int i = 0; i < 2000; i++) {
                frames.append("SEND\ndestination:/topic/many\n\nmessage ")
                        .append(i)
                        .append("\0\n");
            }
            client.raw(frames.toString());
            for (int i = 0; i < 2000; i++) {
                client.expectMessage("message " + i);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SEND\ndestination\n\n\0",
                "SEND\ndestination:/topic/x\nx:a\\tb\n\n\0",
                "SEND\ndestination:/topic/x\nx\\:b\n\n\0",
                "SE\rND\ndestination:/topic/x\n\n\0",
                "SEND\ndest\rination:/topic/x\n\n\0",
                "SEND\ndestination:/topic\r/x\n\n\0",
                "SEND\ndestination:/topic/x\nx:a\0b\n\n\0",
                "\rSEND\ndestination:/topic/x\n\n\0",
                "SEND\ndestination:/topic/x\ncontent-length:2\n\nabc\0",
                "SEND\ndestination:/topic/x\ncontent-length:-1\n\nabc\0",
                "SEND\ndestination:/topic/x\ncontent-length:1048576\n\na",
                "ACOMMANDOFMUCHMORETHANTHIRTYTWOLETTERS\n\n\0"
            })
    void whatIsNoFrameClosesTheConnectionSilently(String bytes) {
        try (Client client = Client.open(broker)) {
            client.raw(bytes).expectEnd();
        }
    }

    @Test
    void aFrameHasALimit() {
        try (Client client = Client.open(broker)) {
            client.subscribe("1", "/topic/limit").publish("/topic/limit", "x".repeat((1 << 20) - 200));
            client.expect("MESSAGE");
            client.publish("/topic/limit", "x".repeat((1 << 20) + 1)).expectEnd();
        }
    }

    @Test
    void theBodyOfAnyFrameHasALimit() {
        try (Client client = Client.open(broker)) {
            client.raw("BEGIN\ntransaction:1\n\n" + "x".repeat((1 << 20) + 1)).expectEnd();
        }
    }

    @Test
    void headersHaveLimits() {
        String[] lines = new String[20];
        for (int i = 0; i < 20; i++) {
            lines[i] = "name" + i + ":" + i;
        }
        try (Client client = Client.open(broker)) {
            client.publish("/topic/headers", "-", lines).expectEnd();
        }
        lines[19] = "name0:again";
        try (Client client = Client.open(broker)) {
            client.publish("/topic/headers", "-", lines).expectNothingElse();
        }
        try (Client client = Client.open(broker)) {
            client.publish("/topic/headers", "-", "x:" + "y".repeat(1024)).expectNothingElse();
            client.publish("/topic/headers", "-", "x:" + "y".repeat(1025)).expectEnd();
        }
        try (Client client = Client.open(broker)) {
            client.publish("/topic/headers", "-", "x".repeat(1025) + ":y").expectEnd();
        }
    }
}
