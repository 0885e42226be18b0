package org.entrepot.mqtt;

import io.netty.handler.codec.mqtt.MqttConnAckMessage;
import io.netty.handler.codec.mqtt.MqttConnAckVariableHeader;
import io.netty.handler.codec.mqtt.MqttConnectMessage;
import io.netty.handler.codec.mqtt.MqttConnectPayload;
import io.netty.handler.codec.mqtt.MqttConnectReturnCode;
import io.netty.handler.codec.mqtt.MqttConnectVariableHeader;
import io.netty.handler.codec.mqtt.MqttFixedHeader;
import io.netty.handler.codec.mqtt.MqttMessage;
import io.netty.handler.codec.mqtt.MqttMessageType;
import io.netty.handler.codec.mqtt.MqttProperties;
import io.netty.handler.codec.mqtt.MqttQoS;
import io.netty.handler.codec.mqtt.MqttReasonCodeAndPropertiesVariableHeader;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.entrepot.mqtt.wire.PacketException;
import org.entrepot.mqtt.wire.Reason;
import org.entrepot.mqtt.wire.Topics;
import org.entrepot.spi.BrokerException;
import org.entrepot.spi.ErrorKind;
import org.entrepot.spi.message.Bytes;
import org.entrepot.spi.protocol.Connection;
import org.entrepot.spi.security.Login;
import org.jspecify.annotations.Nullable;

/**
 * How a client comes to be let in: its CONNECT is judged, it logs in, enters a virtual host, takes its client identifier
 * over from whoever has it, and gets its session (specification 3.1.4). Owned by the connection's loop, and forgotten once
 * the connection is open.
 */
final class Handshake {
    private static final String PLAIN = "PLAIN";
    private static final String EXTERNAL = "EXTERNAL";

    /** What a claim to a client identifier begins with, so that it is no other protocol's. */
    private static final String CLAIM = "mqtt ";

    private final MqttConnection connection;
    private final Outbound outbound;
    private final Connection broker;
    private final MqttShared shared;
    private final MqttSettings settings;
    private final MqttConnectVariableHeader header;
    private final MqttConnectPayload payload;
    private final int level;
    private final MqttProperties connack = new MqttProperties();
    private String method = "";
    private @Nullable Login login;
    private String virtualHost;
    private boolean gone;

    Handshake(
            MqttConnection connection,
            Outbound outbound,
            Connection broker,
            MqttShared shared,
            MqttConnectMessage connect,
            int level) {
        this.connection = connection;
        this.outbound = outbound;
        this.broker = broker;
        this.shared = shared;
        this.settings = shared.settings();
        this.header = connect.variableHeader();
        this.payload = connect.payload();
        this.level = level;
        this.virtualHost = settings.virtualHost();
    }

    private boolean version5() {
        return level == 5;
    }

    private MqttProperties properties() {
        return version5() ? header.properties() : MqttProperties.NO_PROPERTIES;
    }

    /** Begins with the login. */
    void begin() {
        connection.hold();
        MqttProperties.@Nullable MqttProperty<?> wanted =
                properties().getProperty(MqttProperties.AUTHENTICATION_METHOD);
        if (wanted != null) {
            method = (String) wanted.value();
            if (!broker.mechanisms().contains(method) || method.equals(EXTERNAL)) {
                refuse(Reason.BAD_AUTHENTICATION_METHOD, "authentication method " + method + " is not offered");
                return;
            }
            step(method, data(properties()));
            return;
        }
        if (payload.userName() != null) {
            String user = payload.userName();
            int colon = user.lastIndexOf(':');
            if (colon >= 0) {
                virtualHost = user.substring(0, colon);
                user = user.substring(colon + 1);
            }
            plain(user, payload.passwordInBytes() == null ? new byte[0] : payload.passwordInBytes());
        } else if (broker.mechanisms().contains(EXTERNAL)
                && !broker.facts().certificates().isEmpty()) {
            step(EXTERNAL, Bytes.EMPTY);
        } else if (settings.anonymousUser().isPresent()) {
            plain(settings.anonymousUser().get(), settings.anonymousPassword().getBytes(StandardCharsets.UTF_8));
        } else {
            broker.complain("named no user, and mqtt.anonymous is false");
            refuse(Reason.NOT_AUTHORIZED, "");
        }
    }

    private static Bytes data(MqttProperties properties) {
        MqttProperties.@Nullable MqttProperty<?> data = properties.getProperty(MqttProperties.AUTHENTICATION_DATA);
        return data == null ? Bytes.EMPTY : Bytes.wrap((byte[]) data.value());
    }

    private void plain(String user, byte[] password) {
        byte[] name = user.getBytes(StandardCharsets.UTF_8);
        byte[] response = new byte[name.length + password.length + 2];
        System.arraycopy(name, 0, response, 1, name.length);
        System.arraycopy(password, 0, response, name.length + 2, password.length);
        step(PLAIN, Bytes.wrap(response));
    }

    private void step(String mechanism, Bytes response) {
        try {
            Login present = login;
            if (present == null) {
                present = broker.login(mechanism);
                login = present;
            }
            then(present.step(response), this::stepped, Reason.NOT_AUTHORIZED);
        } catch (BrokerException refused) {
            refuse(Reason.NOT_AUTHORIZED, "");
        }
    }

    private void stepped(Login.Step step) {
        if (step instanceof Login.Step.Challenge challenge) {
            Replies.challenge(outbound, method, challenge.bytes().toArray());
            connection.resume();
        } else if (step instanceof Login.Step.Success success) {
            if (!method.isEmpty()) {
                connack.add(new MqttProperties.StringProperty(MqttProperties.AUTHENTICATION_METHOD, method));
                if (success.bytes().length() > 0) {
                    connack.add(new MqttProperties.BinaryProperty(
                            MqttProperties.AUTHENTICATION_DATA, success.bytes().toArray()));
                }
            }
            loggedIn();
        } else {
            // Why is for the log, where whoever refused it has put it.
            refuse(method.isEmpty() ? Reason.BAD_USER_NAME_OR_PASSWORD : Reason.NOT_AUTHORIZED, "");
        }
    }

    /** An AUTH, while the login goes on. */
    void auth(MqttMessage message) {
        MqttReasonCodeAndPropertiesVariableHeader answer =
                (MqttReasonCodeAndPropertiesVariableHeader) message.variableHeader();
        MqttProperties.@Nullable MqttProperty<?> named =
                answer.properties().getProperty(MqttProperties.AUTHENTICATION_METHOD);
        if (method.isEmpty() || named == null || !method.equals(named.value())) {
            throw PacketException.protocol("AUTH with another method than the CONNECT's");
        }
        if ((answer.reasonCode() & 0xFF) != Reason.CONTINUE_AUTHENTICATION) {
            throw PacketException.protocol("AUTH that does not continue the login");
        }
        connection.hold();
        step(method, data(answer.properties()));
    }

    private void loggedIn() {
        login = null;
        ClientOptions judged;
        try {
            judged = judge();
            promise(judged);
        } catch (PacketException fault) {
            broker.complain(fault.text());
            refuse(fault.reason(), fault.text());
            return;
        }
        broker.clientId(judged.clientId());
        broker.describe(judged.protocol(), judged.clientId(), Map.of());
        then(broker.enter(virtualHost), entered -> claim(judged), Reason.NOT_AUTHORIZED);
    }

    /** What the client wants, and what it gets of it. */
    private ClientOptions judge() {
        MqttProperties wanted = properties();
        String clientId = payload.clientIdentifier();
        boolean clean = header.isCleanSession();
        if (clientId.isEmpty()) {
            if (level == 4 && !clean) {
                throw new PacketException(Reason.CLIENT_ID_NOT_VALID, "an empty client identifier");
            }
            clientId = "auto-" + java.util.UUID.randomUUID();
            if (version5()) {
                connack.add(new MqttProperties.StringProperty(MqttProperties.ASSIGNED_CLIENT_IDENTIFIER, clientId));
            }
        }
        long expiry = version5()
                ? Replies.number(wanted, MqttProperties.SESSION_EXPIRY_INTERVAL, 0)
                : clean ? 0 : ClientOptions.NEVER;
        long most = settings.sessionExpirySeconds().orElse(ClientOptions.NEVER);
        if (expiry > most) {
            expiry = most;
            if (version5()) {
                connack.add(integer(MqttProperties.SESSION_EXPIRY_INTERVAL, expiry));
            }
        }
        return new ClientOptions(
                level,
                clientId,
                clean,
                expiry,
                (int) Math.min(
                        settings.window(), Replies.number(wanted, MqttProperties.RECEIVE_MAXIMUM, Integer.MAX_VALUE)),
                wanted.getProperty(MqttProperties.RECEIVE_MAXIMUM) != null,
                (int) Math.min(
                        Integer.MAX_VALUE,
                        Replies.number(wanted, MqttProperties.MAXIMUM_PACKET_SIZE, Integer.MAX_VALUE)),
                (int) Replies.number(wanted, MqttProperties.TOPIC_ALIAS_MAXIMUM, 0),
                Replies.number(wanted, MqttProperties.REQUEST_PROBLEM_INFORMATION, 1) == 1,
                header.isWillFlag() ? will(clientId) : null);
    }

    /** Says what MQTT 5 clients are told of it; they may want packets that are smaller (specification 3.1.2.11.4). */
    private void promise(ClientOptions judged) {
        if (!version5()) {
            return;
        }
        if (keepAlive() != header.keepAliveTimeSeconds()) {
            connack.add(integer(MqttProperties.SERVER_KEEP_ALIVE, keepAlive()));
        }
        if (settings.receiveMaximum() < 65_535) {
            connack.add(integer(MqttProperties.RECEIVE_MAXIMUM, settings.receiveMaximum()));
        }
        connack.add(integer(MqttProperties.MAXIMUM_PACKET_SIZE, settings.packetBytesMax()));
        if (settings.topicAliasMaximum() > 0) {
            connack.add(integer(MqttProperties.TOPIC_ALIAS_MAXIMUM, settings.topicAliasMaximum()));
        }
        int bytes = Replies.connAckBytes(connack);
        if (bytes > judged.packetMax()) {
            throw new PacketException(
                    Reason.PACKET_TOO_LARGE,
                    "a CONNACK of " + bytes + " bytes, where the client takes " + judged.packetMax());
        }
    }

    /** Seconds of the keep-alive interval: the client's, but in MQTT 5 not longer than is allowed. */
    private int keepAlive() {
        int wanted = header.keepAliveTimeSeconds();
        int longest = settings.keepAliveSeconds();
        return version5() && longest > 0 && (wanted == 0 || wanted > longest) ? longest : wanted;
    }

    private static MqttProperties.IntegerProperty integer(int id, long value) {
        return new MqttProperties.IntegerProperty(id, (int) value);
    }

    private Will will(String clientId) {
        if (payload.willTopic() == null) {
            throw PacketException.malformed("a will with a topic that is too long");
        }
        if (Topics.filterFault(payload.willTopic(), settings.topicLevelsMax()).length() > 0) {
            throw new PacketException(
                    Reason.TOPIC_NAME_INVALID,
                    "a will with a topic of more than " + settings.topicLevelsMax() + " levels");
        }
        MqttProperties properties = version5() ? payload.willProperties() : MqttProperties.NO_PROPERTIES;
        return new Will(
                Topics.key(payload.willTopic()),
                Messages.of(
                        header.willQos(), header.isWillRetain(), clientId, properties, payload.willMessageInBytes()),
                header.willQos(),
                header.isWillRetain(),
                Replies.number(properties, MqttProperties.PUBLICATION_EXPIRY_INTERVAL, -1),
                Replies.number(properties, MqttProperties.WILL_DELAY_INTERVAL, 0));
    }

    private void claim(ClientOptions judged) {
        MqttSession made = new MqttSession(connection, outbound, shared, broker, judged);
        then(broker.claim(CLAIM + judged.clientId(), () -> made.takenOver()), claim -> start(made), Reason.SERVER_BUSY);
    }

    private void start(MqttSession made) {
        then(made.start(), present -> accept(made, present), Reason.UNSPECIFIED);
    }

    private void accept(MqttSession made, boolean sessionPresent) {
        // MQTT 3.1 has no word for it: the byte is not used there.
        outbound.send(connAck(0, sessionPresent && level > 3, connack));
        connection.opened(made, keepAlive());
        made.accepted();
        connection.resume();
    }

    /** Says no, where the client's version has a word for it, and closes. */
    void refuse(int reason, String why) {
        if (!connection.shakesHands()) {
            return;
        }
        if (version5()) {
            long most = Replies.number(properties(), MqttProperties.MAXIMUM_PACKET_SIZE, Integer.MAX_VALUE);
            boolean wantsWhy = Replies.number(properties(), MqttProperties.REQUEST_PROBLEM_INFORMATION, 1) == 1;
            MqttProperties told = Replies.withReason(wantsWhy && most >= Replies.REASON_PACKET_MAX ? why : "");
            if (Replies.connAckBytes(told) <= most) {
                outbound.send(connAck(Replies.connectReason(reason), false, told));
            }
        } else if (Replies.returnCode(Replies.connectReason(reason)) != 0) {
            Replies.refuse3(outbound, Replies.connectReason(reason));
        }
        connection.end();
    }

    private static MqttMessage connAck(int code, boolean sessionPresent, MqttProperties properties) {
        return new MqttConnAckMessage(
                new MqttFixedHeader(MqttMessageType.CONNACK, false, MqttQoS.AT_MOST_ONCE, false, 0),
                new MqttConnAckVariableHeader(MqttConnectReturnCode.valueOf((byte) code), sessionPresent, properties));
    }

    /** Goes on when a stage completes, if the connection is still there. */
    private <T> void then(CompletionStage<T> stage, Consumer<? super T> next, int otherwise) {
        stage.whenComplete((value, failure) -> {
            if (gone || !connection.shakesHands()) {
                return;
            }
            try {
                if (failure == null) {
                    next.accept(value);
                } else {
                    BrokerException refusal = Replies.refusal(failure);
                    broker.complain(refusal.text());
                    refuse(
                            refusal.kind() == ErrorKind.ACCESS_REFUSED ? Reason.NOT_AUTHORIZED : otherwise,
                            refusal.text());
                }
            } catch (RuntimeException | AssertionError fault) {
                // Thrown on, it would vanish in the stage.
                Replies.refusal(fault);
                refuse(Reason.UNSPECIFIED, "");
            }
        });
    }

    /** The socket is closed. */
    void closed() {
        gone = true;
    }
}
