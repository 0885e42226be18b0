package org.entrepot.clients;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * An MQTT client that hides nothing: what it is told to send is sent, and all properties of what comes are there to be looked
 * at, in their order. It speaks as much of MQTT 3.1.1 and 5 as publishing and subscribing takes. Used by one thread.
 */
final class MqttSocket implements AutoCloseable {
    static final int PAYLOAD_FORMAT = 0x01;
    static final int MESSAGE_EXPIRY = 0x02;
    static final int CONTENT_TYPE = 0x03;
    static final int RESPONSE_TOPIC = 0x08;
    static final int CORRELATION_DATA = 0x09;
    static final int USER_PROPERTY = 0x26;

    private static final int PATIENCE_MILLIS = 20_000;

    private static final int CONNACK = 2;
    private static final int PUBLISH = 3;
    private static final int PUBACK = 4;
    private static final int PUBREC = 5;
    private static final int PUBREL = 6;
    private static final int PUBCOMP = 7;
    private static final int SUBACK = 9;

    private final Socket socket;
    private final DataInputStream in;
    private final DataOutputStream out;
    private final int level;
    private final int code;

    /** A property: its value is an Integer, a String, bytes, or an entry of two Strings. */
    record Property(int id, Object value) {
        static Property user(String name, String value) {
            return new Property(USER_PROPERTY, Map.entry(name, value));
        }
    }

    /** A PUBLISH that came. */
    record Received(String topic, int qos, boolean retain, List<Property> properties, byte[] payload) {
        /** The value of a property that may be there once; null where it is not. */
        Object property(int id) {
            List<Object> values = properties.stream()
                    .filter(one -> one.id() == id)
                    .map(Property::value)
                    .toList();
            if (values.size() > 1) {
                throw new AssertionError("property " + id + " more than once: " + values);
            }
            return values.isEmpty() ? null : values.get(0);
        }

        /** The user properties in their order. */
        List<Object> user() {
            return properties.stream()
                    .filter(one -> one.id() == USER_PROPERTY)
                    .map(Property::value)
                    .toList();
        }

        String text() {
            return new String(payload, UTF_8);
        }
    }

    private record Packet(int head, ByteBuffer body) {
        int type() {
            return head >> 4;
        }
    }

    /** Writes what may fail only where a socket does. */
    @FunctionalInterface
    private interface Content {
        void writeTo(DataOutputStream out) throws IOException;
    }

    /**
     * Connects as guest with a clean session, and is let in.
     *
     * @param level 4 for MQTT 3.1.1, or 5
     */
    MqttSocket(int port, int level, String clientId) throws IOException {
        this(port, level, clientId, "guest", "guest", true);
        if (code != 0) {
            throw new IOException("refused with " + code);
        }
    }

    /** Connects, and has the answer. */
    MqttSocket(int port, int level, String clientId, String user, String password, boolean clean) throws IOException {
        this.level = level;
        socket = new Socket(StartedProduct.HOST, port);
        socket.setSoTimeout(PATIENCE_MILLIS);
        in = new DataInputStream(socket.getInputStream());
        out = new DataOutputStream(socket.getOutputStream());
        send(0x10, content -> {
            content.writeUTF("MQTT");
            content.writeByte(level);
            content.writeByte(clean ? 0xC2 : 0xC0);
            content.writeShort(0);
            properties(content, List.of());
            content.writeUTF(clientId);
            content.writeUTF(user);
            content.writeUTF(password);
        });
        code = expect(CONNACK).get(1) & 0xFF;
    }

    /** What the CONNECT was answered with. */
    int code() {
        return code;
    }

    /** Subscribes and gives the answer, which is the QoS that was granted, or why none was. */
    int subscribe(String filter, int qos) throws IOException {
        send(0x82, content -> {
            content.writeShort(1);
            properties(content, List.of());
            content.writeUTF(filter);
            content.writeByte(qos);
        });
        ByteBuffer answer = expect(SUBACK);
        return answer.get(answer.limit() - 1) & 0xFF;
    }

    /** Publishes, and waits until the broker has it; at QoS 0 nobody says so. Fails where it is refused. */
    void publish(String topic, int qos, boolean retain, List<Property> properties, String payload) throws IOException {
        send(0x30 | qos << 1 | (retain ? 1 : 0), content -> {
            content.writeUTF(topic);
            if (qos > 0) {
                content.writeShort(1);
            }
            properties(content, properties);
            content.write(payload.getBytes(UTF_8));
        });
        if (qos == 1) {
            accepted(expect(PUBACK));
        } else if (qos == 2) {
            accepted(expect(PUBREC));
            answer(PUBREL << 4 | 2, 1);
            expect(PUBCOMP);
        }
    }

    private static void accepted(ByteBuffer answer) throws IOException {
        if (answer.limit() > 2 && answer.get(2) < 0) {
            throw new IOException("the publish was refused with " + (answer.get(2) & 0xFF));
        }
    }

    /** Waits for a PUBLISH and answers it. */
    Received receive() throws IOException {
        Packet packet = next();
        if (packet.type() != PUBLISH) {
            throw new IOException("no PUBLISH, but a packet that begins with " + packet.head());
        }
        ByteBuffer body = packet.body();
        String topic = string(body);
        int qos = packet.head() >> 1 & 3;
        int id = qos == 0 ? 0 : body.getShort() & 0xFFFF;
        List<Property> properties = properties(body);
        byte[] payload = new byte[body.remaining()];
        body.get(payload);
        if (qos == 1) {
            answer(PUBACK << 4, id);
        } else if (qos == 2) {
            answer(PUBREC << 4, id);
            expect(PUBREL);
            answer(PUBCOMP << 4, id);
        }
        return new Received(topic, qos, (packet.head() & 1) != 0, properties, payload);
    }

    private void answer(int head, int id) throws IOException {
        send(head, content -> content.writeShort(id));
    }

    private void send(int head, Content content) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        content.writeTo(new DataOutputStream(bytes));
        ByteArrayOutputStream packet = new ByteArrayOutputStream();
        packet.write(head);
        writeVariable(new DataOutputStream(packet), bytes.size());
        bytes.writeTo(packet);
        packet.writeTo(out);
        out.flush();
    }

    private ByteBuffer expect(int type) throws IOException {
        Packet packet = next();
        if (packet.type() != type) {
            throw new IOException("no packet of type " + type + ", but one that begins with " + packet.head());
        }
        return packet.body();
    }

    private Packet next() throws IOException {
        int head = in.readUnsignedByte();
        int length = 0;
        int shift = 0;
        int digit;
        do {
            digit = in.readUnsignedByte();
            length |= (digit & 0x7F) << shift;
            shift += 7;
        } while (digit >= 0x80);
        return new Packet(head, ByteBuffer.wrap(in.readNBytes(length)));
    }

    // ---- properties, which MQTT 5 has

    private void properties(DataOutputStream content, List<Property> properties) throws IOException {
        if (level < 5) {
            if (!properties.isEmpty()) {
                throw new IllegalArgumentException("properties before MQTT 5");
            }
            return;
        }
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream each = new DataOutputStream(bytes);
        for (Property property : properties) {
            each.writeByte(property.id());
            writeValue(each, property);
        }
        writeVariable(content, bytes.size());
        bytes.writeTo(content);
    }

    private static void writeValue(DataOutputStream target, Property property) throws IOException {
        if (property.value() instanceof String text) {
            target.writeUTF(text);
        } else if (property.value() instanceof byte[] data) {
            target.writeShort(data.length);
            target.write(data);
        } else if (property.value() instanceof Map.Entry<?, ?> pair) {
            target.writeUTF((String) pair.getKey());
            target.writeUTF((String) pair.getValue());
        } else if (property.id() == PAYLOAD_FORMAT) {
            target.writeByte((Integer) property.value());
        } else {
            target.writeInt((Integer) property.value());
        }
    }

    private List<Property> properties(ByteBuffer body) {
        List<Property> properties = new ArrayList<>();
        if (level < 5) {
            return properties;
        }
        int length = variable(body);
        int end = body.position() + length;
        while (body.position() < end) {
            int id = body.get();
            Object value = switch (id) {
                case PAYLOAD_FORMAT -> (int) body.get();
                case MESSAGE_EXPIRY -> body.getInt();
                case CONTENT_TYPE, RESPONSE_TOPIC -> string(body);
                case CORRELATION_DATA -> bytes(body);
                case USER_PROPERTY -> Map.entry(string(body), string(body));
                default -> throw new IllegalArgumentException("a PUBLISH with property " + id);
            };
            properties.add(new Property(id, value));
        }
        return properties;
    }

    private static void writeVariable(DataOutputStream target, int value) throws IOException {
        int rest = value;
        while (rest >= 0x80) {
            target.writeByte((rest & 0x7F) | 0x80);
            rest >>>= 7;
        }
        target.writeByte(rest);
    }

    private static int variable(ByteBuffer body) {
        int value = 0;
        int shift = 0;
        int digit;
        do {
            digit = body.get() & 0xFF;
            value |= (digit & 0x7F) << shift;
            shift += 7;
        } while (digit >= 0x80);
        return value;
    }

    private static byte[] bytes(ByteBuffer body) {
        byte[] bytes = new byte[body.getShort() & 0xFFFF];
        body.get(bytes);
        return bytes;
    }

    private static String string(ByteBuffer body) {
        return new String(bytes(body), UTF_8);
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
