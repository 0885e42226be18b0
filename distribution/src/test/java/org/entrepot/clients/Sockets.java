package org.entrepot.clients;

import com.rabbitmq.client.SocketConfigurator;
import java.io.IOException;
import java.net.Socket;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** The sockets that a client has opened, to cut them under it. Thread-safe. */
final class Sockets implements SocketConfigurator {
    private final Queue<Socket> open = new ConcurrentLinkedQueue<>();

    @Override
    public void configure(Socket socket) throws IOException {
        socket.setTcpNoDelay(true);
        open.add(socket);
    }

    /** Resets every connection opened so far, as a network that loses them does. */
    void cut() throws IOException {
        for (Socket socket = open.poll(); socket != null; socket = open.poll()) {
            // Lingering for no time makes the close a reset, which the broker gets instead of an orderly end.
            socket.setSoLinger(true, 0);
            socket.close();
        }
    }
}
