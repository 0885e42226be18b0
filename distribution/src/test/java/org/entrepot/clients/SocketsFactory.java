package org.entrepot.clients;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import javax.net.SocketFactory;

/** Makes sockets that {@link Sockets} can cut, for clients that take a factory. Thread-safe. */
final class SocketsFactory extends SocketFactory {
    private final Sockets sockets;

    SocketsFactory(Sockets sockets) {
        this.sockets = sockets;
    }

    @Override
    public Socket createSocket() throws IOException {
        Socket made = new Socket();
        sockets.configure(made);
        return made;
    }

    @Override
    public Socket createSocket(String host, int port) throws IOException {
        return createSocket(InetAddress.getByName(host), port);
    }

    @Override
    public Socket createSocket(InetAddress host, int port) throws IOException {
        Socket made = createSocket();
        made.connect(new InetSocketAddress(host, port));
        return made;
    }

    @Override
    public Socket createSocket(String host, int port, InetAddress localHost, int localPort) throws IOException {
        return createSocket(InetAddress.getByName(host), port, localHost, localPort);
    }

    @Override
    public Socket createSocket(InetAddress host, int port, InetAddress localHost, int localPort) throws IOException {
        Socket made = createSocket();
        made.bind(new InetSocketAddress(localHost, localPort));
        made.connect(new InetSocketAddress(host, port));
        return made;
    }
}
