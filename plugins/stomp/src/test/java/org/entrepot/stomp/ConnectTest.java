package org.entrepot.stomp;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import org.entrepot.testkit.BrokerExtension;
import org.entrepot.testkit.EmbeddedBroker;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** CONNECT, what answers it, and DISCONNECT. */
class ConnectTest {
    @RegisterExtension
    static final BrokerExtension broker = new BrokerExtension(EmbeddedBroker.with("stomp", new StompPlugin()));

    private static final String[] GUEST = {"login:guest", "passcode:guest"};

    private static Client.Frame connect(String... lines) {
        try (Client client = Client.silent(broker)) {
            return client.raw(Client.frame("CONNECT", "", concat(GUEST, lines))).next();
        }
    }

    private static String[] concat(String[] some, String... more) {
        String[] all = Arrays.copyOf(some, some.length + more.length);
        System.arraycopy(more, 0, all, some.length, more.length);
        return all;
    }

    @Test
    void theAnswerSaysWhatWasAgreed() {
        Client.Frame connected = connect("accept-version:1.0,1.1,1.2", "host:/");

        assertThat(connected.command()).isEqualTo("CONNECTED");
        assertThat(connected.lines().get(0)).isEqualTo("server:RabbitMQ/4.3.0");
        assertThat(connected.lines().get(1)).matches("session:session-[A-Za-z0-9_-]{22}");
        assertThat(connected.lines().subList(2, 4)).containsExactly("heart-beat:0,0", "version:1.2");
        assertThat(connected.lines()).hasSize(4);
        assertThat(connected.bytes()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"'1.0',1.0", "'1.1,1.0',1.1", "'1.0,1.2,9.9',1.2", "'1.2,1.1',1.2"})
    void theNewestCommonVersionIsTaken(String accepted, String version) {
        assertThat(connect("accept-version:" + accepted).header("version")).isEqualTo(version);
    }

    @Test
    void aClientThatListsNoVersionsSpeaksTheFirst() {
        assertThat(connect().header("version")).isEqualTo("1.0");
    }

    @Test
    void noCommonVersionIsAnError() {
        try (Client client = Client.silent(broker)) {
            client.send("CONNECT", concat(GUEST, "accept-version:2.0"))
                    .expectError("Version mismatch", "Supported versions are 1.0,1.1,1.2\n");
            client.send("STOMP", GUEST).expect("CONNECTED");
        }
    }

    @ParameterizedTest
    @CsvSource({"'0,0','0,0'", "'2500,700','1000,2000'", "'-5,1999','1000,0'", "'1,60000','60000,1000'"})
    void heartBeatsAreWholeSecondsOfTheOtherSide(String asked, String answered) {
        assertThat(connect("accept-version:1.1", "heart-beat:" + asked).header("heart-beat"))
                .isEqualTo(answered);
    }

    @Test
    void heartBeatsMustBeNumbers() {
        assertThat(connect("heart-beat:often").header("message")).isEqualTo("Invalid header");
    }

    @Test
    void aWrongPasswordIsRefusedAndMayBeCorrected() {
        try (Client client = Client.silent(broker)) {
            client.send("CONNECT", "login:guest", "passcode:wrong")
                    .expectError("Bad CONNECT", "Access refused for user 'guest'\n");
            client.send("CONNECT", GUEST).expect("CONNECTED");
        }
    }

    @Test
    void credentialsAreNeededWhereThereIsNoDefaultUser() {
        try (Client client = Client.silent(broker)) {
            client.send("CONNECT").expectError("Bad CONNECT", "Missing login or passcode header(s)\n");
            client.send("CONNECT", "login:guest").expectError("Bad CONNECT", "Missing login or passcode header(s)\n");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"1.0", "1.1", "1.2"})
    void theHostIsTheVirtualHostInEveryVersion(String version) {
        try (Client client = Client.silent(broker)) {
            client.send("CONNECT", concat(GUEST, "accept-version:" + version, "host:localhost"))
                    .expectError("Bad CONNECT", "Virtual host 'localhost' access denied");
            client.send("CONNECT", concat(GUEST, "accept-version:" + version, "host:/"))
                    .expect("CONNECTED");
        }
    }

    @Test
    void valuesLoseLeadingBlanksInTheFirstVersionOnly() {
        try (Client client = Client.silent(broker)) {
            client.send("CONNECT", "accept-version:1.1", "login: guest", "passcode: guest")
                    .expectError("Bad CONNECT", "Access refused for user ' guest'\n");
            client.send("CONNECT", "login: guest", "passcode: guest", "host: /").expect("CONNECTED");
        }
    }

    @Test
    void nothingIsDoneBeforeConnect() {
        try (Client client = Client.silent(broker)) {
            client.publish("/queue/a", "hello").expectError("Illegal command", "You must log in using CONNECT first");
        }
    }

    @Test
    void aClientConnectsOnce() {
        try (Client client = Client.open(broker)) {
            client.send("CONNECT", GUEST).expectError("Illegal command", "You are logged in already\n");
            client.expectEnd();
        }
    }

    @Test
    void anUnknownCommandIsAnErrorAndTheConnectionGoesOn() {
        try (Client client = Client.open(broker)) {
            client.send("HELLO").expectError("Bad command", "Could not interpret command \"HELLO\"\n");
            client.expectNothingElse();
        }
    }

    @Test
    void disconnectIsConfirmedAndEndsTheConnection() {
        try (Client client = Client.open(broker)) {
            client.send("DISCONNECT", "receipt:bye").expectReceipt("bye").expectEnd();
        }
        try (Client client = Client.open(broker)) {
            client.send("DISCONNECT").expectEnd();
        }
    }

    @Test
    void disconnectIsConfirmedAfterWhatWasSentBefore() {
        try (Client client = Client.open(broker)) {
            client.raw(Client.frame("SEND", "one", "destination:/queue/goodbye", "receipt:one"))
                    .send("DISCONNECT", "receipt:bye")
                    .expectReceipt("one")
                    .expectReceipt("bye")
                    .expectEnd();
        }
    }

    @Test
    void strangersAreToldNothing() {
        try (Client client = Client.silent(broker)) {
            client.raw("GET / HTTP/1.1\r\n\r\n").expectEnd();
        }
        try (Client client = Client.silent(broker)) {
            client.raw(new byte[] {0x16, 3, 1, 0, 5}).expectEnd();
        }
        try (Client client = Client.silent(broker)) {
            client.raw("X\nY").expectEnd();
        }
    }

    @Test
    void aCommandMayComeByteByByte() {
        try (Client client = Client.silent(broker)) {
            for (byte b : Client.frame("STOMP", "", GUEST)) {
                client.raw(new byte[] {b});
            }
            client.expect("CONNECTED");
        }
    }
}
