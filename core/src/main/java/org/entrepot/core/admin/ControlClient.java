package org.entrepot.core.admin;

import java.io.IOException;
import java.net.SocketException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** The command line's end of the control socket. Stateless. */
public final class ControlClient {
    private static final int ANSWER_BYTES_MAX = 256 << 20;

    private ControlClient() {}

    /** Asks the broker that runs with this data directory; empty where none does. */
    public static Optional<ControlAnswer> ask(Path dataDirectory, ControlRequest request) throws IOException {
        Path path = ControlSocketPath.find(dataDirectory);
        if (!Files.exists(path)) {
            return Optional.empty();
        }
        try (SocketChannel socket = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            try {
                socket.connect(UnixDomainSocketAddress.of(path));
            } catch (SocketException e) {
                // A broker that was killed leaves its socket, which nobody answers.
                return Optional.empty();
            }
            ControlLines.write(socket, request.toLine());
            return Optional.of(ControlAnswer.ofLine(ControlLines.read(socket, ANSWER_BYTES_MAX)));
        }
    }
}
