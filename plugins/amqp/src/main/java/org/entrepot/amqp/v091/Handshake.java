package org.entrepot.amqp.v091;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.entrepot.amqp.v091.wire.FieldTable;
import org.entrepot.amqp.v091.wire.Method;
import org.entrepot.amqp.v091.wire.Method.ConnectionOpen;
import org.entrepot.amqp.v091.wire.Method.ConnectionSecureOk;
import org.entrepot.amqp.v091.wire.Method.ConnectionStartOk;
import org.entrepot.amqp.v091.wire.Method.ConnectionTuneOk;
import org.entrepot.amqp.v091.wire.MethodReader;
import org.entrepot.amqp.v091.wire.Methods;
import org.entrepot.amqp.v091.wire.ReplyCode;
import org.entrepot.amqp.v091.wire.TypedValue;
import org.entrepot.amqp.v091.wire.WireException;
import org.entrepot.spi.message.Bytes;
import org.entrepot.spi.protocol.Connection;
import org.entrepot.spi.security.Login;
import org.jspecify.annotations.Nullable;

/**
 * How a connection comes to be open: start, login, tune, open (specification 1.4.2.2 and 2.2.4). Owned by the
 * connection's loop, and forgotten once the connection is open.
 *
 * <p>A client may send the whole handshake at once; what follows a login or an open is held until these are answered. A
 * client that breaks the protocol before it has logged in is not told why, and waits: that is what slows down guessing,
 * and what RabbitMQ does.
 */
final class Handshake {
    private static final Bytes LOCALES = Bytes.utf8("en_US");

    private final AmqpConnection connection;
    private final Outbound outbound;
    private final Connection broker;
    private final AmqpSettings settings;
    private Awaited awaited = Awaited.START_OK;
    private boolean answering;
    private String mechanism = "";
    private @Nullable Login login;
    /** Whether the client has logged in, and is only to say that it has heard the mechanism's last word. */
    private boolean lastWordSaid;

    private Capabilities capabilities = Capabilities.NONE;

    private enum Awaited {
        START_OK("starting"),
        SECURE_OK("securing"),
        TUNE_OK("tuning"),
        OPEN("opening");

        private final String state;

        Awaited(String state) {
            this.state = state;
        }
    }

    Handshake(AmqpConnection connection, Outbound outbound, Connection broker, AmqpSettings settings) {
        this.connection = connection;
        this.outbound = outbound;
        this.broker = broker;
        this.settings = settings;
    }

    /** Speaks first. */
    void start(FieldTable serverProperties) {
        outbound.send(new Method.ConnectionStart(
                0,
                9,
                serverProperties,
                Bytes.wrap(String.join(" ", offered()).getBytes(StandardCharsets.UTF_8)),
                LOCALES));
    }

    private List<String> offered() {
        List<String> mechanisms = new ArrayList<>(broker.mechanisms());
        int plain = mechanisms.indexOf(Amqplain.PLAIN);
        if (plain >= 0) {
            mechanisms.add(plain + 1, Amqplain.NAME);
        }
        return mechanisms;
    }

    /** A method frame. */
    void method(int channel, int number, ByteBuf buffer, int index, int length) {
        assert !answering : "frames are held while a login is answered";
        try {
            if (channel != 0) {
                throw new WireException(ReplyCode.UNEXPECTED_FRAME, "a channel before the connection is open", number);
            }
            step(MethodReader.read(number, buffer, index, length));
        } catch (WireException fault) {
            violation(AmqpError.of(fault, number));
        }
    }

    private void step(Method method) {
        if (awaited == Awaited.START_OK && method instanceof ConnectionStartOk startOk) {
            startOk(startOk);
        } else if (awaited == Awaited.SECURE_OK && method instanceof ConnectionSecureOk secureOk) {
            if (lastWordSaid) {
                tune();
            } else {
                respond(secureOk.response());
            }
        } else if (awaited == Awaited.TUNE_OK && method instanceof ConnectionTuneOk tuneOk) {
            tuneOk(tuneOk);
        } else if (awaited == Awaited.OPEN && method instanceof ConnectionOpen open) {
            open(open);
        } else {
            throw new WireException(
                    ReplyCode.CHANNEL_ERROR, "unexpected method in connection state " + awaited.state, method.number());
        }
    }

    /** Whatever breaks the protocol. */
    void violation(AmqpError error) {
        switch (awaited) {
            case START_OK, SECURE_OK, TUNE_OK -> connection.refuse("while " + awaited.state + ", " + error);
            case OPEN -> connection.fail(error);
        }
    }

    private void startOk(ConnectionStartOk method) {
        capabilities = Capabilities.of(method.clientProperties());
        TypedValue name = method.clientProperties().get("connection_name");
        broker.describe(
                "AMQP 0-9-1",
                name != null && name.value() instanceof String text ? text : "",
                new ClientProperties(method.clientProperties()));
        mechanism = method.mechanism();
        if (!offered().contains(mechanism)) {
            connection.refuse("unknown authentication mechanism '" + mechanism + "'");
            return;
        }
        Bytes response = method.response();
        if (mechanism.equals(Amqplain.NAME)) {
            Optional<Bytes> plain = Amqplain.toPlain(response);
            if (plain.isEmpty()) {
                connection.refuse("AMQPLAIN auth info is missing LOGIN or PASSWORD field");
                return;
            }
            response = plain.get();
        }
        login = broker.login(mechanism.equals(Amqplain.NAME) ? Amqplain.PLAIN : mechanism);
        respond(response);
    }

    private void respond(Bytes response) {
        answer(Objects.requireNonNull(login).step(response), this::stepped, Methods.CONNECTION_START_OK);
    }

    private void stepped(Login.Step step) {
        if (step instanceof Login.Step.Challenge challenge) {
            awaited = Awaited.SECURE_OK;
            outbound.send(new Method.ConnectionSecure(challenge.bytes()));
        } else if (step instanceof Login.Step.Failure) {
            refused();
        } else if (step instanceof Login.Step.Success success) {
            login = null;
            if (success.bytes().length() == 0) {
                tune();
            } else {
                // No method says both that all is well and what the mechanism has to say: RFC 4422 section 3.6.
                lastWordSaid = true;
                awaited = Awaited.SECURE_OK;
                outbound.send(new Method.ConnectionSecure(success.bytes()));
            }
        }
    }

    private void tune() {
        awaited = Awaited.TUNE_OK;
        outbound.send(new Method.ConnectionTune(channelMax(), settings.frameMax(), settings.heartbeatSeconds()));
    }

    /** Why is for the log, where whoever refused it has put it. */
    private void refused() {
        if (capabilities.authenticationFailureClose()) {
            connection.sendClose(AmqpError.of(
                    ReplyCode.ACCESS_REFUSED,
                    "Login was refused using authentication mechanism " + mechanism
                            + ". For details see the broker logfile.",
                    Methods.NONE));
        }
        connection.keepWaiting();
    }

    private int channelMax() {
        return Math.min(settings.channelMax(), broker.sessionsMax());
    }

    private void tuneOk(ConnectionTuneOk method) {
        Agreement agreed;
        try {
            agreed = Agreement.of(method, channelMax(), settings.frameMax());
        } catch (WireException refusal) {
            connection.fail(AmqpError.of(refusal, Methods.CONNECTION_TUNE));
            return;
        }
        awaited = Awaited.OPEN;
        connection.tuned(agreed);
    }

    private void open(ConnectionOpen method) {
        answer(broker.enter(method.virtualHost()), entered -> connection.opened(capabilities), Methods.CONNECTION_OPEN);
    }

    /** Holds what the client sends until the stage completes, and goes on then. */
    private <T> void answer(CompletionStage<T> stage, Consumer<? super T> then, int method) {
        answering = true;
        connection.hold();
        stage.whenComplete((value, fault) -> {
            answering = false;
            if (connection.shakesHands()) {
                try {
                    answered(value, fault, then, method);
                    connection.resume();
                } catch (RuntimeException | AssertionError failure) {
                    // Thrown on, it would vanish in the stage.
                    connection.fail(AmqpError.of(failure, method));
                }
            }
        });
    }

    private <T> void answered(T value, @Nullable Throwable fault, Consumer<? super T> then, int method) {
        if (fault == null) {
            then.accept(value);
            return;
        }
        AmqpError error = AmqpError.of(fault, method);
        if (awaited == Awaited.OPEN) {
            connection.fail(error);
        } else {
            refused();
        }
    }
}
