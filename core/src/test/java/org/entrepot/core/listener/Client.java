package org.entrepot.core.listener;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import javax.net.ssl.SSLException;

/** A client's socket. Reads wait only so long. */
final class Client implements AutoCloseable {
    final Socket socket;

    Client(InetSocketAddress address) throws IOException {
        this(new Socket(address.getAddress(), address.getPort()));
    }

    Client(Socket socket) throws IOException {
        this.socket = socket;
        socket.setSoTimeout((int) Fixture.PATIENCE.toMillis());
        socket.setTcpNoDelay(true);
    }

    Client say(String text) throws IOException {
        return say(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    Client say(byte[] bytes) throws IOException {
        socket.getOutputStream().write(bytes);
        socket.getOutputStream().flush();
        return this;
    }

    /** As many bytes as asked for. */
    String hear(int bytes) throws IOException {
        return new String(socket.getInputStream().readNBytes(bytes), StandardCharsets.ISO_8859_1);
    }

    /** All until the other side closes. */
    String hearOut() throws IOException {
        return new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
    }

    /** Whether the other side closes, one way or the other, without a word. */
    boolean isClosedSilently() throws IOException {
        try {
            InputStream in = socket.getInputStream();
            return in.read() < 0;
        } catch (SocketException | SSLException reset) {
            return true;
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
