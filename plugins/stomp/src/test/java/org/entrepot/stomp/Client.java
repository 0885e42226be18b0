package org.entrepot.stomp;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.entrepot.testkit.BrokerExtension;

/**
 * A client that says what the test tells it, right or wrong, and hears frame by frame. Tests read like a conversation:
 * {@code send} and {@code expect} in turn. Waiting is bounded.
 */
final class Client implements AutoCloseable {
    private static final int PATIENCE_MILLIS = 10_000;

    private final Socket socket;
    private final InputStream in;

    /** A frame as it came, with its header lines as they stand on the wire. */
    record Frame(String command, List<String> lines, byte[] bytes) {

        String body() {
            return new String(bytes, StandardCharsets.UTF_8);
        }

        /** The value of a header as it stands on the wire; null where there is none. */
        String header(String name) {
            for (String line : lines) {
                if (line.startsWith(name + ":")) {
                    return line.substring(name.length() + 1);
                }
            }
            return null;
        }

        @Override
        public String toString() {
            return command + " " + lines + " '" + body() + "'";
        }
    }

    private Client(Socket socket) throws IOException {
        this.socket = socket;
        socket.setSoTimeout(PATIENCE_MILLIS);
        this.in = new BufferedInputStream(socket.getInputStream());
    }

    /** A connection over which nothing was said yet. */
    static Client silent(BrokerExtension broker) {
        try {
            Socket socket =
                    new Socket(InetAddress.getLoopbackAddress(), broker.broker().port("stomp"));
            socket.setTcpNoDelay(true);
            return new Client(socket);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A connection of version 1.2 that is logged in. */
    static Client open(BrokerExtension broker) {
        return open(broker, "1.2");
    }

    static Client open(BrokerExtension broker, String version) {
        Client client = silent(broker);
        client.send("CONNECT", "accept-version:" + version, "host:/", "login:guest", "passcode:guest");
        assertThat(client.expect("CONNECTED").header("version")).isEqualTo(version);
        return client;
    }

    // ---- saying

    /** Characters of one byte each, as they are. */
    Client raw(String bytes) {
        return raw(bytes.getBytes(StandardCharsets.ISO_8859_1));
    }

    Client raw(byte[] bytes) {
        try {
            socket.getOutputStream().write(bytes);
            socket.getOutputStream().flush();
            return this;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A frame without a body. */
    Client send(String command, String... lines) {
        return raw(frame(command, "", lines));
    }

    /** A SEND frame. */
    Client publish(String destination, String body, String... lines) {
        List<String> all = new ArrayList<>(List.of("destination:" + destination));
        all.addAll(List.of(lines));
        return raw(frame("SEND", body, all.toArray(String[]::new)));
    }

    static byte[] frame(String command, String body, String... lines) {
        StringBuilder frame = new StringBuilder(command).append('\n');
        for (String line : lines) {
            frame.append(line).append('\n');
        }
        return frame.append('\n').append(body).append('\0').toString().getBytes(StandardCharsets.UTF_8);
    }

    Client subscribe(String id, String destination, String... lines) {
        List<String> all = new ArrayList<>(List.of("id:" + id, "destination:" + destination, "receipt:subscribed"));
        all.addAll(List.of(lines));
        send("SUBSCRIBE", all.toArray(String[]::new));
        return expectReceipt("subscribed");
    }

    // ---- hearing

    /** The next frame. */
    Frame next() {
        try {
            String command = line();
            while (command.isEmpty()) {
                command = line();
            }
            List<String> lines = new ArrayList<>();
            int length = -1;
            for (String line = line(); !line.isEmpty(); line = line()) {
                if (line.startsWith("content-length:")) {
                    length = Integer.parseInt(line.substring("content-length:".length()));
                }
                lines.add(line);
            }
            byte[] body = length < 0 ? upTo('\0') : in.readNBytes(length);
            if (length >= 0) {
                assertThat(in.read()).as("the byte after a body").isZero();
            }
            assertThat(in.read()).as("the byte after a frame").isEqualTo('\n');
            return new Frame(command, lines, body);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private String line() throws IOException {
        return new String(upTo('\n'), StandardCharsets.UTF_8);
    }

    private byte[] upTo(char end) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        for (int b = in.read(); b != end; b = in.read()) {
            if (b < 0) {
                throw new EOFException("the end after '" + bytes.toString(StandardCharsets.UTF_8) + "'");
            }
            bytes.write(b);
        }
        return bytes.toByteArray();
    }

    Frame expect(String command) {
        Frame frame = next();
        assertThat(frame.command()).as("command of %s", frame).isEqualTo(command);
        return frame;
    }

    Client expectReceipt(String id) {
        assertThat(expect("RECEIPT").lines()).containsExactly("receipt-id:" + id);
        return this;
    }

    Frame expectMessage(String body) {
        Frame message = expect("MESSAGE");
        assertThat(message.body()).isEqualTo(body);
        return message;
    }

    Client expectError(String message, String body) {
        Frame error = expect("ERROR");
        assertThat(error.header("message")).isEqualTo(message);
        assertThat(error.body()).isEqualTo(body);
        assertThat(error.header("content-type")).isEqualTo("text/plain");
        assertThat(error.header("version")).isEqualTo("1.0,1.1,1.2");
        return this;
    }

    /** Nothing has come that was not expected: proven by a question whose answer is the next to come. */
    Client expectNothingElse() {
        return send("BEGIN", "transaction:nothing-else", "receipt:nothing-else")
                .send("ABORT", "transaction:nothing-else")
                .expectReceipt("nothing-else");
    }

    int read() {
        try {
            return in.read();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The socket is closed without another frame. */
    void expectEnd() {
        try {
            for (int b = in.read(); b >= 0; b = in.read()) {
                assertThat(b).as("a byte after the end").isEqualTo('\n');
            }
        } catch (IOException reset) {
            assertThat(reset).isNotInstanceOf(SocketTimeoutException.class);
        }
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
