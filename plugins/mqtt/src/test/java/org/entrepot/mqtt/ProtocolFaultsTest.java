package org.entrepot.mqtt;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.util.HexFormat;
import org.entrepot.testkit.BrokerExtension;
import org.entrepot.testkit.EmbeddedBroker;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What clients may not send, in bytes, and how it ends; and what looks wrong but is allowed. */
class ProtocolFaultsTest {
    private static final int PATIENCE_MILLIS = 10_000;

    @RegisterExtension
    static final BrokerExtension broker =
            new BrokerExtension(EmbeddedBroker.with("mqtt", new MqttPlugin()).set("mqtt.anonymous=true"));

    private Socket socket;

    @BeforeEach
    void connect() throws IOException {
        socket = socket();
    }

    private static Socket socket() throws IOException {
        Socket made =
                new Socket(InetAddress.getLoopbackAddress(), broker.broker().port("mqtt"));
        made.setSoTimeout(PATIENCE_MILLIS);
        return made;
    }

    @AfterEach
    void disconnect() throws IOException {
        socket.close();
    }

    private void send(String hex) throws IOException {
        send(socket, hex);
    }

    private static void send(Socket to, String hex) throws IOException {
        to.getOutputStream().write(HexFormat.of().parseHex(hex.replace(" ", "")));
    }

    private String read(int bytes) throws IOException {
        return HexFormat.of().formatHex(socket.getInputStream().readNBytes(bytes));
    }

    private void expect(String hex) throws IOException {
        String wanted = hex.replace(" ", "");
        assertThat(read(wanted.length() / 2)).isEqualTo(wanted);
    }

    private void expectEnd() throws IOException {
        assertThat(socket.getInputStream().readAllBytes()).isEmpty();
    }

    /** A DISCONNECT of MQTT 5, whatever words it has, and the end. */
    private void expectDisconnect(String reason) throws IOException {
        byte[] rest = socket.getInputStream().readAllBytes();
        assertThat(HexFormat.of().formatHex(rest)).matches("e0.." + reason + ".*");
        assertThat(rest[1]).isEqualTo((byte) (rest.length - 2));
    }

    private void open311() throws IOException {
        send("10 0d 0004 4d515454 04 02 0000 0001 63");
        expect("20 02 00 00");
    }

    private void open5() throws IOException {
        send("10 0e 0004 4d515454 05 02 0000 00 0001 63");
        byte[] head = socket.getInputStream().readNBytes(2);
        assertThat(head[0]).isEqualTo((byte) 0x20);
        assertThat(socket.getInputStream().readNBytes(head[1])).startsWith(0, 0);
    }

    // ---- MQTT 3.1

    @ParameterizedTest
    @CsvSource({"10, 00", "10, 01", "14, 01"})
    void mqtt31UsesNeitherTheFlagsNorTheByteOfASession(String head, String flags) throws IOException {
        send(head + " 0f 0006 4d5149736470 03 " + flags + " 0000 0001 6f");
        expect("20 02 00 00");
        send("e0 00");
        expectEnd();
    }

    @Test
    void mqtt31HasAClientIdentifier() throws IOException {
        send("10 0e 0006 4d5149736470 03 02 0000 0000");
        expect("20 02 00 02");
        expectEnd();
    }

    // ---- CONNECT

    @ParameterizedTest
    @ValueSource(strings = {"01", "1f", "7f", "c280", "c29f"})
    void namesHaveNoControlCharacters(String character) throws IOException {
        send("10 %02x 0004 4d515454 04 02 0000 %04x %s"
                .formatted(12 + character.length() / 2, character.length() / 2, character));
        expectEnd();
    }

    @Test
    void aUserNameHasNoControlCharacters() throws IOException {
        send("10 10 0004 4d515454 04 82 0000 0001 63 0001 0a");
        expectEnd();
    }

    @Test
    void aConnackThatIsTooLargeIsNotSent() throws IOException {
        send("10 13 0004 4d515454 05 02 0000 05 2700000002 0001 63");
        expectEnd();
    }

    @Test
    void whoHasRoomForARefusalOnlyGetsOne() throws IOException {
        send("10 13 0004 4d515454 05 02 0000 05 2700000008 0001 63");
        expect("20 03 00 95 00");
        expectEnd();
    }

    @ParameterizedTest
    @ValueSource(strings = {"08 0000", "08 0001 23", "08 0001 2b", "08 0001 07"})
    void theResponseTopicOfAWillIsATopicName(String property) throws IOException {
        int length = property.replace(" ", "").length() / 2;
        send("10 %02x 0004 4d515454 05 06 0000 00 0001 63 %02x %s 0001 77 0000"
                .formatted(20 - 1 + length, length, property));
        expectEnd();
    }

    // ---- topics and filters

    @ParameterizedTest
    @CsvSource({
        "30 04 0001 07 00, '90'",
        "30 05 0002 c285 00, '90'",
        "82 06 0001 00 0000 00, '81'",
        "82 0a 0001 00 0001 61 00 0000 00, '81'",
        "82 08 0001 00 0002 2361 00, '81'",
        "82 07 0001 00 0001 1f 00, '81'",
        "82 0e 0001 00 0008 2473686172652f70 00, '81'",
        "82 0f 0001 00 0009 2473686172652f702f 00, '81'",
        "82 10 0001 00 000a 2473686172652f2b2f70 00, '81'",
        "82 10 0001 00 000a 2473686172652f702f70 04, '82'",
        "a2 05 0001 00 0000, '81'",
        "a2 06 0001 00 0001 7f, '81'",
        "f0 02 18 00, '8c'"
    })
    void mqtt5EndsWithAReason(String packet, String reason) throws IOException {
        open5();
        send(packet);
        expectDisconnect(reason);
    }

    @ParameterizedTest
    @ValueSource(strings = {"82 05 0001 0000 00", "82 06 0001 0001 07 00", "a2 04 0001 0000", "30 03 0001 1f"})
    void mqtt311Ends(String packet) throws IOException {
        open311();
        send(packet);
        expectEnd();
    }

    // ---- answers

    /** Has the client get a delivery, and gives its packet identifier. */
    private String deliver(int qos) throws IOException {
        String head = qos == 1 ? "32" : "34";
        open311();
        send("82 06 0001 0001 74 0" + qos);
        expect("90 03 0001 0" + qos);
        try (Socket publisher = socket()) {
            send(publisher, "10 0d 0004 4d515454 04 02 0000 0001 70" + head + " 05 0001 74 0007");
            expect(head + " 05 0001 74");
            return read(2);
        }
    }

    @ParameterizedTest
    @CsvSource({"1, 50", "1, 70", "2, 40", "2, 70"})
    void anAnswerToAnotherQosEnds(int qos, String answer) throws IOException {
        String id = deliver(qos);
        send(answer + " 02 " + id);
        expectEnd();
    }

    @Test
    void aPubrelIsAnsweredByPubcompOnly() throws IOException {
        String id = deliver(2);
        send("50 02 " + id);
        expect("62 02 " + id);
        send("40 02 " + id);
        expectEnd();
    }

    @Test
    void anAnswerToNothingIsLetPass() throws IOException {
        open311();
        send("40 02 0009 70 02 0009 c0 00");
        expect("d0 00");
    }
}
