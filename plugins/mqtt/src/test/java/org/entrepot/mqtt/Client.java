package org.entrepot.mqtt;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.entrepot.mqtt.wire.Packets;
import org.entrepot.mqtt.wire.Property;
import org.entrepot.mqtt.wire.Wire;
import org.entrepot.testkit.BrokerExtension;

/**
 * A client that says what the test tells it, right or wrong, and hears packet by packet. Tests read like a conversation.
 * Waiting is bounded. Patterns are those of {@link Wire#bytes(String)}.
 */
final class Client implements AutoCloseable {
    static final int SESSION_EXPIRY = 0x11;
    static final int ASSIGNED_CLIENT_ID = 0x12;
    static final int SERVER_KEEP_ALIVE = 0x13;
    static final int REASON_STRING = 0x1F;
    static final int RECEIVE_MAXIMUM = 0x21;
    static final int TOPIC_ALIAS_MAXIMUM = 0x22;
    static final int MAXIMUM_PACKET_SIZE = 0x27;

    private static final int PATIENCE_MILLIS = 10_000;

    private final Socket socket;
    private final DataInputStream in;
    private int level = 5;
    private int nextId = 1;

    /** What a CONNECT says; of MQTT 5, with a clean start and no keep alive, where nothing else is said. */
    static final class Connect {
        private int level = 5;
        private String clientId = "";
        private boolean clean = true;
        private int keepAlive;
        private String properties = "";
        private String user;
        private String password;
        private String will;
        private int willFlags;

        Connect level(int value) {
            level = value;
            return this;
        }

        Connect id(String value) {
            clientId = value;
            return this;
        }

        Connect clean(boolean value) {
            clean = value;
            return this;
        }

        Connect keepAlive(int seconds) {
            keepAlive = seconds;
            return this;
        }

        /** Properties of MQTT 5, as a pattern. */
        Connect properties(String pattern) {
            properties += " " + pattern;
            return this;
        }

        /** The session outlives its connection by so many seconds; before MQTT 5 by as long as the broker likes. */
        Connect lasting(int seconds) {
            clean = false;
            return level == 5 ? properties(String.format("11 %08x", seconds)) : this;
        }

        Connect user(String name, String secret) {
            user = name;
            password = secret;
            return this;
        }

        Connect will(String topic, String payload, int qos, boolean retain, String willProperties) {
            willFlags = 4 | qos << 3 | (retain ? 0x20 : 0);
            will = (level == 5 ? "[ " + willProperties + " ]" : "") + " `" + topic + "` `" + payload + "`";
            return this;
        }

        byte[] bytes() {
            int flags = (clean ? 2 : 0) | willFlags | (user == null ? 0 : 0x80) | (password == null ? 0 : 0x40);
            return Wire.bytes("10 [ " + (level == 3 ? "`MQIsdp`" : "`MQTT`")
                    + String.format("%02x %02x %04x", level, flags, keepAlive)
                    + (level == 5 ? " [ " + properties + " ]" : "")
                    + " `" + clientId + "` "
                    + (will == null ? "" : will)
                    + (user == null ? "" : " `" + user + "`")
                    + (password == null ? "" : " `" + password + "`")
                    + " ]");
        }
    }

    static Connect connect() {
        return new Connect();
    }

    /** A packet as it came. */
    record Packet(int head, byte[] rest) {
        int type() {
            return Packets.type(head);
        }

        @Override
        public String toString() {
            return Packets.name(type()) + " " + Integer.toHexString(head) + " " + Wire.hex(rest);
        }
    }

    /** A property as it came: its value is a number, a text, bytes as hexadecimal digits, or "name=value". */
    record Value(int id, Object value) {}

    /** The answer to a CONNECT. */
    record Connack(boolean sessionPresent, int code, List<Value> properties) {
        Object property(int id) {
            return only(properties, id);
        }
    }

    /** What was delivered. */
    record Delivery(
            String topic,
            String text,
            int qos,
            boolean duplicate,
            boolean retain,
            int packetId,
            List<Value> properties) {
        Object property(int id) {
            return only(properties, id);
        }

        List<Object> all(int id) {
            return properties.stream()
                    .filter(each -> each.id() == id)
                    .map(Value::value)
                    .toList();
        }
    }

    private static Object only(List<Value> properties, int id) {
        List<Value> all = properties.stream().filter(each -> each.id() == id).toList();
        assertThat(all).as("property %d", id).hasSizeLessThanOrEqualTo(1);
        return all.isEmpty() ? null : all.get(0).value();
    }

    private Client(Socket socket) throws IOException {
        this.socket = socket;
        socket.setSoTimeout(PATIENCE_MILLIS);
        this.in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
    }

    // ---- connecting

    /** A connection over which nothing was said yet. */
    static Client silent(BrokerExtension broker) {
        return silent(broker.broker().port(MqttProtocol.NAME));
    }

    static Client silent(int port) {
        try {
            Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
            socket.setTcpNoDelay(true);
            return new Client(socket);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A client of MQTT 5 that is let in, with a new session that ends with its connection. */
    static Client open(BrokerExtension broker, String clientId) {
        return open(broker, connect().id(clientId));
    }

    /** A client that is let in. */
    static Client open(BrokerExtension broker, Connect connect) {
        Client client = silent(broker);
        assertThat(client.send(connect).code()).as("return code").isZero();
        return client;
    }

    /** Says a CONNECT and hears what comes of it. */
    Connack send(Connect connect) {
        level = connect.level;
        raw(connect.bytes());
        return expectConnack();
    }

    Connack expectConnack() {
        Packet packet = expect(Packets.CONNACK);
        ByteBuf rest = Unpooled.wrappedBuffer(packet.rest());
        int flags = rest.readUnsignedByte();
        assertThat(flags).isBetween(0, 1);
        int code = rest.readUnsignedByte();
        List<Value> properties = level == 5 ? properties(rest) : List.of();
        assertThat(rest.isReadable()).isFalse();
        return new Connack(flags == 1, code, properties);
    }

    // ---- saying

    Client raw(byte[] bytes) {
        try {
            socket.getOutputStream().write(bytes);
            socket.getOutputStream().flush();
            return this;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    Client raw(String pattern) {
        return raw(Wire.bytes(pattern));
    }

    /** Subscribes with options as they are on the wire, and gives the reason code. */
    int subscribe(String filter, int options) {
        return subscribe(filter, options, "");
    }

    int subscribe(String filter, int options, String properties) {
        int id = nextId++;
        raw(String.format("82 [ %04x ", id) + block(properties) + " `" + filter + "`"
                + String.format("%02x ]", options));
        int[] codes = expectSuback(id);
        assertThat(codes).hasSize(1);
        return codes[0];
    }

    int[] expectSuback(int id) {
        return codes(Packets.SUBACK, id);
    }

    private int[] codes(int type, int id) {
        ByteBuf rest = Unpooled.wrappedBuffer(expect(type).rest());
        assertThat(rest.readUnsignedShort()).as("packet identifier").isEqualTo(id);
        if (level == 5) {
            assertThat(properties(rest)).isEmpty();
        }
        int[] codes = new int[rest.readableBytes()];
        for (int i = 0; i < codes.length; i++) {
            codes[i] = rest.readUnsignedByte();
        }
        return codes;
    }

    /** Unsubscribes, and gives the reason codes. */
    int[] unsubscribe(String filter) {
        int id = nextId++;
        raw(String.format("a2 [ %04x ", id) + block("") + " `" + filter + "` ]");
        return codes(Packets.UNSUBACK, id);
    }

    private String block(String properties) {
        return level == 5 ? "[ " + properties + " ]" : "";
    }

    /** Publishes at QoS 0. */
    Client publish(String topic, String payload) {
        return publish(0x30, topic, 0, "", payload);
    }

    /** Publishes with a first byte, properties and an identifier that says nothing at QoS 0. */
    Client publish(int head, String topic, int id, String properties, String payload) {
        return raw(publishBytes(head, topic, id, properties, payload));
    }

    byte[] publishBytes(int head, String topic, int id, String properties, String payload) {
        return Wire.bytes(String.format("%02x [ `", head) + topic + "`"
                + ((head & 6) == 0 ? "" : String.format("%04x", id)) + block(properties) + "'" + payload + "' ]");
    }

    /** Publishes at QoS 1 and gives the reason code of the PUBACK. */
    int publishAnswered(String topic, String payload) {
        return publishAnswered(0x32, topic, "", payload);
    }

    int publishAnswered(int head, String topic, String properties, String payload) {
        int id = nextId;
        nextId = nextId % 0xFFFF + 1;
        publish(head, topic, id, properties, payload);
        return expectAnswer(Packets.PUBACK, id);
    }

    /** Publishes a message that is to be retained, and hears that it is. */
    Client retain(String topic, String payload) {
        return retain(topic, "", payload);
    }

    Client retain(String topic, String properties, String payload) {
        assertThat(publishAnswered(0x33, topic, properties, payload)).isIn(0x00, 0x10);
        return this;
    }

    /** Says a PUBACK, PUBREC, PUBREL or PUBCOMP. */
    Client answer(int type, int id) {
        return raw(String.format("%x%d [ %04x ]", type, type == Packets.PUBREL ? 2 : 0, id));
    }

    /** Answers a delivery to the end. */
    Client settle(Delivery delivery) {
        if (delivery.qos() == 1) {
            answer(Packets.PUBACK, delivery.packetId());
        } else if (delivery.qos() == 2) {
            answer(Packets.PUBREC, delivery.packetId());
            assertThat(expectAnswer(Packets.PUBREL, delivery.packetId())).isZero();
            answer(Packets.PUBCOMP, delivery.packetId());
        }
        return this;
    }

    /** Says no more; the socket can still be heard. */
    void shutDownOutput() {
        try {
            socket.shutdownOutput();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    // ---- hearing

    Packet next() {
        try {
            int head = in.readUnsignedByte();
            int length = 0;
            int shift = 0;
            int b;
            do {
                b = in.readUnsignedByte();
                length |= (b & 0x7F) << shift;
                shift += 7;
            } while ((b & 0x80) != 0);
            byte[] rest = new byte[length];
            in.readFully(rest);
            return new Packet(head, rest);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    Packet expect(int type) {
        Packet packet = next();
        assertThat(Packets.name(packet.type())).as("type of %s", packet).isEqualTo(Packets.name(type));
        return packet;
    }

    /** A PUBACK, PUBREC, PUBREL or PUBCOMP; gives its reason code. */
    int expectAnswer(int type, int id) {
        Packet packet = expect(type);
        assertThat(packet.head() & 15).isEqualTo(type == Packets.PUBREL ? 2 : 0);
        ByteBuf rest = Unpooled.wrappedBuffer(packet.rest());
        assertThat(rest.readUnsignedShort())
                .as("packet identifier of %s", packet)
                .isEqualTo(id);
        return rest.isReadable() ? rest.readUnsignedByte() : 0;
    }

    Delivery expectDelivery() {
        return delivery(expect(Packets.PUBLISH));
    }

    /** A delivery with this payload, whatever else it is. */
    Delivery expectDelivery(String text) {
        Delivery delivery = expectDelivery();
        assertThat(delivery.text()).isEqualTo(text);
        return delivery;
    }

    Delivery delivery(Packet packet) {
        ByteBuf rest = Unpooled.wrappedBuffer(packet.rest());
        String topic = string(rest);
        int qos = packet.head() >> 1 & 3;
        int id = qos == 0 ? 0 : rest.readUnsignedShort();
        List<Value> properties = level == 5 ? properties(rest) : List.of();
        return new Delivery(
                topic,
                rest.toString(StandardCharsets.UTF_8),
                qos,
                (packet.head() & 8) != 0,
                (packet.head() & 1) != 0,
                id,
                properties);
    }

    private static String string(ByteBuf in) {
        return in.readString(in.readUnsignedShort(), StandardCharsets.UTF_8);
    }

    private static int variable(ByteBuf in) {
        int value = 0;
        int shift = 0;
        int b;
        do {
            b = in.readByte();
            value |= (b & 0x7F) << shift;
            shift += 7;
        } while (b < 0);
        return value;
    }

    private static List<Value> properties(ByteBuf in) {
        int end = variable(in);
        ByteBuf block = in.readSlice(end);
        List<Value> properties = new ArrayList<>();
        while (block.isReadable()) {
            int id = block.readUnsignedByte();
            Object value = switch (id) {
                case Property.PAYLOAD_FORMAT, 0x24, 0x25, 0x28, 0x29, 0x2A -> (long) block.readUnsignedByte();
                case SERVER_KEEP_ALIVE, RECEIVE_MAXIMUM, TOPIC_ALIAS_MAXIMUM, Property.TOPIC_ALIAS ->
                    (long) block.readUnsignedShort();
                case Property.MESSAGE_EXPIRY, SESSION_EXPIRY, MAXIMUM_PACKET_SIZE -> block.readUnsignedInt();
                case Property.SUBSCRIPTION_ID -> (long) variable(block);
                case Property.USER_PROPERTY -> string(block) + "=" + string(block);
                case Property.CORRELATION_DATA, 0x16 -> {
                    byte[] data = new byte[block.readUnsignedShort()];
                    block.readBytes(data);
                    yield Wire.hex(data);
                }
                default -> string(block);
            };
            properties.add(new Value(id, value));
        }
        return properties;
    }

    /** The broker says goodbye with a reason, and the socket is closed. */
    void expectDisconnect(int reason) {
        Packet packet = expect(Packets.DISCONNECT);
        assertThat(packet.rest()).isNotEmpty();
        assertThat(Integer.toHexString(packet.rest()[0] & 0xFF)).isEqualTo(Integer.toHexString(reason));
        expectEnd();
    }

    /** The socket is closed without another packet. */
    void expectEnd() {
        try {
            assertThat(in.read()).as("a byte after the end").isNegative();
        } catch (SocketTimeoutException late) {
            throw new AssertionError("the socket is still open", late);
        } catch (IOException reset) {
            // As good as an end.
        }
    }

    /** Whether something has come that was not heard yet. */
    boolean hasHeardSomething() {
        try {
            return in.available() > 0;
        } catch (IOException e) {
            return true;
        }
    }

    /** All that was said has been taken in: a ping is answered. What else comes before is not expected. */
    Client ping() {
        raw("c0 []");
        expect(Packets.PINGRESP);
        return this;
    }

    /** Asks again and again until the answer is yes. */
    static void eventually(BooleanSupplier question) {
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(PATIENCE_MILLIS);
        while (!question.getAsBoolean()) {
            assertThat(System.nanoTime()).as("patience").isLessThan(end);
            assertThat(Thread.currentThread().isInterrupted()).as("interrupted").isFalse();
            Thread.onSpinWait();
        }
    }

    /** Closes the socket without a goodbye. */
    void drop() {
        close();
    }

    /** A proper goodbye, after which the socket is closed. */
    void disconnect() {
        raw("e0 []");
        expectEnd();
        close();
    }

    /** The socket is closed without a goodbye. */
    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
