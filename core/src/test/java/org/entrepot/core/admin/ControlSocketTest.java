package org.entrepot.core.admin;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(20)
class ControlSocketTest {
    private static final Map<String, ControlCommand> COMMANDS = Map.of(
            "echo", arguments -> String.join("|", arguments),
            "fail",
                    arguments -> {
                        throw new IllegalStateException("no \"moon\"");
                    });

    @TempDir
    Path directory;

    private ControlServer server;

    @AfterEach
    void close() throws IOException {
        if (server != null) {
            server.close();
        }
    }

    @Test
    void anAnswerIsWhatTheCommandSays() throws IOException {
        open(directory);
        ControlAnswer answer = ask("echo", "a\nb", "\u00fc");

        assertThat(answer.exitCode()).isZero();
        assertThat(answer.text()).isEqualTo("a\nb|\u00fc");
        assertThat(answer.processId()).isEqualTo(ProcessHandle.current().pid());
    }

    @Test
    void aFailureIsAnsweredWithItsReason() throws IOException {
        open(directory);
        ControlAnswer answer = ask("fail");

        assertThat(answer.exitCode()).isEqualTo(70);
        assertThat(answer.text()).isEqualTo("fail failed: no \"moon\"\n");
    }

    @Test
    void aCommandThatTheBrokerDoesNotKnowIsRefused() throws IOException {
        open(directory);
        assertThat(ask("dance").exitCode()).isEqualTo(64);
    }

    @Test
    void nonsenseCostsOnlyItsOwnConnection() throws IOException {
        open(directory);
        for (int i = 0; i < 20; i++) {
            try (SocketChannel socket = SocketChannel.open(StandardProtocolFamily.UNIX)) {
                socket.connect(UnixDomainSocketAddress.of(directory.resolve("control.socket")));
                ControlLines.write(socket, "GET / HTTP/1.1");
            }
        }
        assertThat(ask("echo", "still there").text()).isEqualTo("still there");
    }

    @Test
    void onlyTheOwnerMayOpenTheSocket() throws IOException {
        open(directory);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(directory.resolve("control.socket"))))
                .isEqualTo("rw-------");
        assertThat(directory.resolve(".c")).doesNotExist();
    }

    @Test
    void nobodyAnswersWhereNoBrokerRuns() throws IOException {
        assertThat(ControlClient.ask(directory, new ControlRequest("echo", List.of())))
                .isEmpty();
    }

    @Test
    void aSocketThatAKilledBrokerLeftIsNobodysAndIsReplaced() throws IOException {
        try (ServerSocketChannel killed = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            killed.bind(UnixDomainSocketAddress.of(directory.resolve("control.socket")));
        }
        assertThat(directory.resolve("control.socket")).exists();

        assertThat(ControlClient.ask(directory, new ControlRequest("echo", List.of())))
                .isEmpty();
        open(directory);
        assertThat(ask("echo", "new").text()).isEqualTo("new");
    }

    @Test
    void nothingIsLeftWhenTheSocketIsClosed() throws IOException {
        ControlServer.open(directory, COMMANDS).close();

        assertThat(directory).isEmptyDirectory();
    }

    @Test
    void aPathTooLongForASocketIsReplacedByAShortOne() throws IOException {
        Path deep = Files.createDirectories(directory.resolve("d".repeat(60)).resolve("e".repeat(60)));
        open(deep);
        Path elsewhere = Path.of(Files.readString(deep.resolve("control.path")));

        Optional<ControlAnswer> answer = ControlClient.ask(deep, new ControlRequest("echo", List.of("far")));

        assertThat(answer).hasValueSatisfying(far -> assertThat(far.text()).isEqualTo("far"));
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(elsewhere.getParent())))
                .isEqualTo("rwx------");
        server.close();
        assertThat(elsewhere.getParent()).doesNotExist();
        assertThat(deep).isEmptyDirectory();
    }

    private void open(Path dataDirectory) throws IOException {
        server = ControlServer.open(dataDirectory, COMMANDS);
    }

    private ControlAnswer ask(String command, String... arguments) throws IOException {
        return ControlClient.ask(directory, new ControlRequest(command, List.of(arguments)))
                .orElseThrow();
    }
}
