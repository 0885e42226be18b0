package org.entrepot.stomp;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.entrepot.spi.BrokerException;
import org.entrepot.spi.message.Bytes;
import org.entrepot.spi.protocol.Connection;
import org.entrepot.stomp.wire.Command;
import org.entrepot.stomp.wire.FrameHead;
import org.entrepot.stomp.wire.Header;

/**
 * The beginning of a connection: CONNECT, who the client is, and the virtual host. Owned by the connection's loop.
 *
 * <p>A client that is refused is told why and may try again; the time for logging in is the listener's.
 */
final class Login {
    private static final String PLAIN = "PLAIN";
    private static final String EXTERNAL = "EXTERNAL";
    private static final String BAD_CONNECT = "Bad CONNECT";

    private final StompConnection connection;
    private final Connection broker;
    private final StompSettings settings;

    /**
     * What a client that has logged in gets.
     *
     * @param sentSeconds seconds between heart-beats of ours; 0 for none
     * @param heardSeconds seconds between heart-beats of the client's; 0 for none
     * @param announced whether the client is told, having asked
     */
    record Agreement(StompVersion version, int sentSeconds, int heardSeconds, boolean announced) {}

    /**
     * A way to log in.
     *
     * @param user the name that a refusal names
     */
    private record Credentials(String mechanism, String user, Bytes response) {}

    Login(StompConnection connection, Connection broker, StompSettings settings) {
        this.connection = connection;
        this.broker = broker;
        this.settings = settings;
    }

    /** Whether a client that sends something else first is logged in all the same. */
    boolean isImplicit(FrameHead head) {
        return settings.implicitConnect() && !isConnect(head);
    }

    private static boolean isConnect(FrameHead head) {
        return head.command() == Command.CONNECT || head.command() == Command.STOMP;
    }

    /** The first frame; throws what it is refused with. */
    void frame(FrameHead head) {
        if (!isConnect(head)) {
            throw new Refusal("Illegal command", "You must log in using CONNECT first");
        }
        StompVersion version = StompVersion.newestOf(head.text(Header.ACCEPT_VERSION, StompVersion.V1_0.text()))
                .orElseThrow(
                        () -> new Refusal("Version mismatch", "Supported versions are " + StompVersion.LIST + "\n"));
        Agreement agreement = agreement(version, text(head, Header.HEART_BEAT, version, "0,0"));
        logIn(credentials(head, version), text(head, Header.HOST, version, settings.defaultVirtualHost()), agreement);
    }

    /** Logs the default user in, for the sake of a first frame that is no CONNECT. */
    void implicit() {
        logIn(defaultUser(), settings.defaultVirtualHost(), new Agreement(StompVersion.V1_0, 0, 0, false));
    }

    /** Values lose their leading blanks in 1.0 only. */
    private static String text(FrameHead head, Header header, StompVersion version, String otherwise) {
        String text = head.text(header, otherwise);
        return version == StompVersion.V1_0 ? text.stripLeading() : text;
    }

    private static Agreement agreement(StompVersion version, String heartBeat) {
        String[] millis = heartBeat.split(",", -1);
        try {
            if (millis.length == 2) {
                return new Agreement(
                        version,
                        HeartBeat.seconds(Long.parseLong(millis[1].strip())),
                        HeartBeat.seconds(Long.parseLong(millis[0].strip())),
                        true);
            }
        } catch (NumberFormatException notANumber) {
            // Said below.
        }
        throw new Refusal("Invalid header", "'heart-beat' must be two numbers of milliseconds with a comma between\n");
    }

    private Credentials credentials(FrameHead head, StompVersion version) {
        if (!head.has(Header.LOGIN)) {
            return broker.mechanisms().contains(EXTERNAL)
                    ? new Credentials(EXTERNAL, EXTERNAL, Bytes.EMPTY)
                    : defaultUser();
        }
        String user = text(head, Header.LOGIN, version, "");
        String passcode = head.text(Header.PASSCODE);
        if (passcode == null) {
            throw missing();
        }
        return plain(user, version == StompVersion.V1_0 ? passcode.stripLeading() : passcode);
    }

    private Credentials defaultUser() {
        Optional<String> user = settings.defaultUser();
        char[] password = settings.defaultPassword();
        if (user.isEmpty() || password == null) {
            throw missing();
        }
        return plain(user.get(), new String(password));
    }

    private static Refusal missing() {
        return new Refusal(BAD_CONNECT, "Missing login or passcode header(s)\n");
    }

    private static Credentials plain(String user, String password) {
        return new Credentials(
                PLAIN, user, Bytes.wrap(("\0" + user + "\0" + password).getBytes(StandardCharsets.UTF_8)));
    }

    private void logIn(Credentials credentials, String host, Agreement agreement) {
        broker.describe("STOMP " + agreement.version().text(), "", Map.of());
        CompletionStage<org.entrepot.spi.security.Login.Step> step;
        try {
            step = broker.login(credentials.mechanism()).step(credentials.response());
        } catch (BrokerException notOffered) {
            throw refused(credentials);
        }
        connection.await(step, null, answer -> {
            if (!(answer instanceof org.entrepot.spi.security.Login.Step.Success)) {
                // Why is for the log, where whoever refused it has put it.
                throw refused(credentials);
            }
            enter(host, agreement);
        });
    }

    private static Refusal refused(Credentials credentials) {
        return new Refusal(BAD_CONNECT, "Access refused for user '" + credentials.user() + "'\n");
    }

    private void enter(String host, Agreement agreement) {
        boolean otherwise = settings.hostFallback() && !host.equals(settings.defaultVirtualHost());
        // A failure is made a value, because it is told in other words than failures are.
        CompletionStage<Optional<Throwable>> entered =
                broker.enter(host).handle((none, fault) -> Optional.ofNullable(fault));
        connection.await(entered, null, fault -> {
            if (fault.isEmpty()) {
                connection.loggedIn(agreement);
            } else if (otherwise) {
                enter(settings.defaultVirtualHost(), agreement);
            } else if (fault.get() instanceof BrokerException) {
                throw new Refusal(BAD_CONNECT, "Virtual host '" + host + "' access denied");
            } else {
                throw new IllegalStateException("a virtual host could not be entered", fault.get());
            }
        });
    }
}
