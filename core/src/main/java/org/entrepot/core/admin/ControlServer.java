package org.entrepot.core.admin;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The broker's end of the control socket, a Unix domain socket in the data directory that only the directory's owner can
 * open: that is the login. A connection carries one request and its answer. Has threads of its own; {@link #open} and
 * {@link #close} are for the thread that starts and stops the broker.
 */
public final class ControlServer implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(ControlServer.class);

    private static final int FAILED = 70;
    private static final int UNKNOWN = 64;
    private static final int REQUEST_BYTES_MAX = 64 << 10;

    /** Between failures to accept, which may last: out of file descriptors, for one. */
    private static final long PAUSE_NANOS = 1_000_000_000;

    /** Requests answered at once; the next one waits. */
    private static final int AT_ONCE_MAX = 8;

    private final Path dataDirectory;
    private final Path path;
    private final ServerSocketChannel server;
    private final Map<String, ControlCommand> commands;
    private final Semaphore places = new Semaphore(AT_ONCE_MAX);

    private ControlServer(
            Path dataDirectory, Path path, ServerSocketChannel server, Map<String, ControlCommand> commands) {
        this.dataDirectory = dataDirectory;
        this.path = path;
        this.server = server;
        this.commands = Map.copyOf(commands);
    }

    /** Opens the socket of a data directory that this process holds, in place of whatever an earlier one left. */
    public static ControlServer open(Path dataDirectory, Map<String, ControlCommand> commands) throws IOException {
        Path path = ControlSocketPath.choose(dataDirectory);
        ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        try {
            bindForOwner(server, path);
        } catch (IOException e) {
            server.close();
            throw new IOException("the control socket " + path + " cannot be opened: " + e.getMessage(), e);
        }
        ControlServer control = new ControlServer(dataDirectory, path, server, commands);
        control.thread("control", control::accept);
        return control;
    }

    /** Closes the socket; answers under way are still given. */
    @Override
    public void close() throws IOException {
        server.close();
        ControlSocketPath.remove(dataDirectory, path);
    }

    /**
     * Binds so that nobody else can connect at any moment: the socket gets its permissions in a directory that is the
     * owner's alone, and only then its place.
     */
    private static void bindForOwner(ServerSocketChannel server, Path path) throws IOException {
        if (!path.getFileSystem().supportedFileAttributeViews().contains("posix")) {
            Files.deleteIfExists(path);
            server.bind(UnixDomainSocketAddress.of(path));
            return;
        }
        Path directory = path.resolveSibling(".c");
        Path made = directory.resolve("s");
        Files.deleteIfExists(made);
        Files.deleteIfExists(directory);
        Files.createDirectory(
                directory, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        try {
            server.bind(UnixDomainSocketAddress.of(made));
            Files.setPosixFilePermissions(made, PosixFilePermissions.fromString("rw-------"));
            Files.move(made, path, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } finally {
            Files.deleteIfExists(made);
            Files.deleteIfExists(directory);
        }
    }

    private void accept() {
        while (true) {
            try {
                places.acquire();
                SocketChannel socket = server.accept();
                thread("control-request", () -> serve(socket));
            } catch (ClosedChannelException | InterruptedException closed) {
                return;
            } catch (IOException e) {
                places.release();
                log.warn("The control socket cannot take a request: {}", e.getMessage());
                LockSupport.parkNanos(PAUSE_NANOS);
            }
        }
    }

    private void serve(SocketChannel socket) {
        try (socket) {
            ControlRequest request = ControlRequest.ofLine(ControlLines.read(socket, REQUEST_BYTES_MAX));
            ControlLines.write(socket, answer(request).toLine());
        } catch (IOException e) {
            log.debug("A request on the control socket broke off: {}", e.getMessage());
        } finally {
            places.release();
        }
    }

    private ControlAnswer answer(ControlRequest request) {
        long process = ProcessHandle.current().pid();
        ControlCommand command = commands.get(request.command());
        if (command == null) {
            return new ControlAnswer(UNKNOWN, "this broker has no command '" + request.command() + "'\n", process);
        }
        try {
            return new ControlAnswer(0, command.run(request.arguments()), process);
        } catch (Exception e) {
            log.warn("The command {} failed", request.command(), e);
            return new ControlAnswer(FAILED, request.command() + " failed: " + e.getMessage() + "\n", process);
        }
    }

    private Thread thread(String name, Runnable work) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }
}
