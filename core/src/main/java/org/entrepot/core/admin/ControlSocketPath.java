package org.entrepot.core.admin;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Where the control socket of a data directory is. Immutable.
 *
 * <p>It is {@code control.socket} in the directory, unless that path is longer than the system allows for a socket; then
 * it is in a directory for temporary files, and {@code control.path} in the data directory says where.
 */
final class ControlSocketPath {
    /** {@code sun_path} holds 108 bytes on Linux and 104 on BSD and macOS, one of them the end mark. */
    private static final int PATH_BYTES_MAX = 103;

    private static final String SOCKET = "control.socket";
    private static final String ELSEWHERE = "control.path";

    private ControlSocketPath() {}

    /** Chooses a place for a new socket and, where it is elsewhere, notes it down. */
    static Path choose(Path dataDirectory) throws IOException {
        Path socket = dataDirectory.resolve(SOCKET);
        Path note = dataDirectory.resolve(ELSEWHERE);
        Files.deleteIfExists(note);
        if (fits(socket)) {
            return socket;
        }
        Path directory = Files.createTempDirectory("entrepot-");
        socket = directory.resolve(SOCKET);
        if (!fits(socket)) {
            Files.delete(directory);
            throw new IOException("the path of the data directory and that of temporary files are both too long for a"
                    + " Unix socket");
        }
        Files.writeString(note, socket.toString());
        return socket;
    }

    /** Where the socket of a broker running with this data directory is. */
    static Path find(Path dataDirectory) throws IOException {
        Path note = dataDirectory.resolve(ELSEWHERE);
        return Files.exists(note) ? Path.of(Files.readString(note)) : dataDirectory.resolve(SOCKET);
    }

    /** Removes a socket and what was made for it. */
    static void remove(Path dataDirectory, Path socket) throws IOException {
        Files.deleteIfExists(socket);
        Path parent = socket.getParent();
        if (Files.deleteIfExists(dataDirectory.resolve(ELSEWHERE)) && parent != null) {
            Files.deleteIfExists(parent);
        }
    }

    private static boolean fits(Path path) {
        return path.toString().getBytes(StandardCharsets.UTF_8).length <= PATH_BYTES_MAX;
    }
}
