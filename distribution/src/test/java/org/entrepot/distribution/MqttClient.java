package org.entrepot.distribution;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * One connection of an MQTT client that does what it is told and nothing by itself: answers are the test's to give, late,
 * or never. Used by one thread.
 */
final class MqttClient implements AutoCloseable {
    static final int PUBLISH = 3;
    static final int PUBACK = 4;
    static final int PUBREC = 5;
    static final int PUBREL = 6;
    static final int PUBCOMP = 7;

    private static final int CONNECT = 1;
    private static final int CONNACK = 2;
    private static final int SUBSCRIBE = 8;
    private static final int SUBACK = 9;
    private static final int PINGREQ = 12;
    private static final int PINGRESP = 13;
    private static final int DISCONNECT = 14;

    private static final int MILLIS_MAX = 20_000;
    private static final int READ_BYTES = 8 << 10;

    private static final int SESSION_EXPIRY = 0x11;
    private static final int WILL_DELAY = 0x18;

    private final Socket socket;
    private final DataInputStream in;
    private final OutputStream out;
    private final int level;
    private final ByteArrayOutputStream gathered = new ByteArrayOutputStream();
    private boolean sessionPresent;

    /**
     * What a client says of itself.
     *
     * @param level 4 for MQTT 3.1.1, 5 for MQTT 5
     * @param clean whether an older session is thrown away
     * @param expirySeconds how long an MQTT 5 session outlives its connection
     */
    record Options(int level, String clientId, boolean clean, int expirySeconds, Will will) {
        Options(int level, String clientId, boolean clean, int expirySeconds) {
            this(level, clientId, clean, expirySeconds, Will.NONE);
        }
    }

    /** A will of MQTT 5 at QoS 1; one without a topic is none. */
    record Will(String topic, String text, int delaySeconds) {
        static final Will NONE = new Will("", "", 0);
    }

    /**
     * A packet from the broker.
     *
     * @param reason of MQTT 5 answers; 0 where it says none
     * @param topic of a PUBLISH; empty otherwise
     */
    record Packet(int type, int flags, int id, int reason, String topic, byte[] payload) {
        int qos() {
            return (flags >> 1) & 3;
        }

        boolean duplicate() {
            return (flags & 8) != 0;
        }

        boolean retained() {
            return (flags & 1) != 0;
        }

        String text() {
            return new String(payload, StandardCharsets.UTF_8);
        }
    }

    private MqttClient(Socket socket, int level) throws IOException {
        this.socket = socket;
        this.in = new DataInputStream(new BufferedInputStream(socket.getInputStream(), READ_BYTES));
        this.out = socket.getOutputStream();
        this.level = level;
    }

    /** Connects and logs in. */
    static MqttClient connect(int port, Options options) throws IOException {
        Socket socket = new Socket();
        try {
            socket.setTcpNoDelay(true);
            socket.setSoTimeout(MILLIS_MAX);
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), MILLIS_MAX);
            MqttClient client = new MqttClient(socket, options.level());
            client.begin(options);
            return client;
        } catch (IOException | RuntimeException | AssertionError failure) {
            socket.close();
            throw failure;
        }
    }

    private void begin(Options options) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream body = new DataOutputStream(bytes);
        boolean hasWill = !options.will().topic().isEmpty();
        string(body, "MQTT");
        body.writeByte(level);
        body.writeByte((options.clean() ? 0x02 : 0) | (hasWill ? 0x0C : 0) | 0xC0);
        body.writeShort(0);
        if (level == 5) {
            body.writeByte(5);
            body.writeByte(SESSION_EXPIRY);
            body.writeInt(options.expirySeconds());
        }
        string(body, options.clientId());
        if (hasWill) {
            body.writeByte(5);
            body.writeByte(WILL_DELAY);
            body.writeInt(options.will().delaySeconds());
            string(body, options.will().topic());
            string(body, options.will().text());
        }
        string(body, "guest");
        string(body, "guest");
        gather(CONNECT, 0, bytes.toByteArray());
        flush();
        int head = in.readUnsignedByte();
        byte[] answer = new byte[length()];
        in.readFully(answer);
        if (head >> 4 != CONNACK || answer[1] != 0) {
            throw new AssertionError("refused with code " + (answer[1] & 0xFF));
        }
        sessionPresent = answer[0] == 1;
    }

    /** Whether the broker had the client's session. */
    boolean sessionPresent() {
        return sessionPresent;
    }

    /** Subscribes and waits until that is effective; what was delivered before is lost to the test. */
    void subscribe(String filter, int qos) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream body = new DataOutputStream(bytes);
        body.writeShort(1);
        if (level == 5) {
            body.writeByte(0);
        }
        string(body, filter);
        body.writeByte(qos);
        gather(SUBSCRIBE, 2, bytes.toByteArray());
        flush();
        Packet answer;
        do {
            answer = read();
        } while (answer.type() != SUBACK);
        int code = answer.payload()[answer.payload().length - 1] & 0xFF;
        if (code != qos) {
            throw new AssertionError("subscribing to " + filter + " at QoS " + qos + " was answered with " + code);
        }
    }

    /** Appends a PUBLISH to what the next {@link #flush} sends. */
    void publish(String topic, byte[] payload, int qos, int id, boolean retain, boolean duplicate) {
        try {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            DataOutputStream body = new DataOutputStream(bytes);
            string(body, topic);
            if (qos > 0) {
                body.writeShort(id);
            }
            if (level == 5) {
                body.writeByte(0);
            }
            body.write(payload);
            gather(PUBLISH, (duplicate ? 8 : 0) | (qos << 1) | (retain ? 1 : 0), bytes.toByteArray());
        } catch (IOException impossible) {
            throw new AssertionError(impossible);
        }
    }

    /** Publishes at QoS 1 and waits for the PUBACK. */
    void publishAndWait(String topic, String text, boolean retain) throws IOException {
        publish(topic, text.getBytes(StandardCharsets.UTF_8), 1, 1, retain, false);
        flush();
        Packet answer = read();
        if (answer.type() != PUBACK || answer.reason() >= 0x80) {
            throw new AssertionError("a publish was answered with " + answer);
        }
    }

    /** Appends a PUBACK, PUBREC, PUBREL or PUBCOMP to what the next {@link #flush} sends. */
    void answer(int type, int id) {
        gather(type, type == PUBREL ? 2 : 0, new byte[] {(byte) (id >> 8), (byte) id});
    }

    /** Asks for a PINGRESP, which comes behind everything that is sent before it. */
    void ping() {
        gather(PINGREQ, 0, new byte[0]);
    }

    static boolean isPong(Packet packet) {
        return packet.type() == PINGRESP;
    }

    private void gather(int type, int flags, byte[] body) {
        gathered.write((type << 4) | flags);
        int length = body.length;
        do {
            gathered.write(length > 127 ? (length & 127) | 128 : length);
            length >>= 7;
        } while (length > 0);
        gathered.writeBytes(body);
    }

    void flush() throws IOException {
        gathered.writeTo(out);
        gathered.reset();
    }

    /** Whether a packet, or the beginning of one, can be read at once. */
    boolean hasMore() throws IOException {
        return in.available() > 0;
    }

    /** The next packet; fails when none comes in a while. */
    Packet read() throws IOException {
        int head = in.readUnsignedByte();
        byte[] body = new byte[length()];
        in.readFully(body);
        ByteBuffer at = ByteBuffer.wrap(body);
        int type = head >> 4;
        int flags = head & 15;
        return switch (type) {
            case PUBLISH -> publish(flags, at);
            case PUBACK, PUBREC, PUBREL, PUBCOMP -> {
                int id = at.getShort() & 0xFFFF;
                yield new Packet(type, flags, id, at.hasRemaining() ? at.get() & 0xFF : 0, "", new byte[0]);
            }
            case DISCONNECT ->
                throw new EOFException("the broker says goodbye with "
                        + (at.hasRemaining() ? at.get() & 0xFF : 0) + ": "
                        + new String(body, StandardCharsets.UTF_8));
            default -> new Packet(type, flags, 0, 0, "", body);
        };
    }

    private Packet publish(int flags, ByteBuffer at) {
        byte[] topic = new byte[at.getShort() & 0xFFFF];
        at.get(topic);
        int id = (flags & 6) == 0 ? 0 : at.getShort() & 0xFFFF;
        if (level == 5) {
            int properties = at.get();
            at.position(at.position() + properties);
        }
        byte[] payload = new byte[at.remaining()];
        at.get(payload);
        return new Packet(PUBLISH, flags, id, 0, new String(topic, StandardCharsets.UTF_8), payload);
    }

    private int length() throws IOException {
        int length = 0;
        int shift = 0;
        int next;
        do {
            next = in.readUnsignedByte();
            length |= (next & 127) << shift;
            shift += 7;
        } while (next > 127);
        return length;
    }

    private static void string(DataOutputStream out, String text) throws IOException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        out.writeShort(bytes.length);
        out.write(bytes);
    }

    /** Says goodbye, and waits until the broker has closed the connection. */
    void disconnect() throws IOException {
        gather(DISCONNECT, 0, new byte[0]);
        flush();
        try (socket) {
            while (in.read() >= 0) {
                // What was under way is of no interest.
            }
        }
    }

    /** Cuts the connection without a word. */
    @Override
    public void close() throws IOException {
        socket.close();
    }
}
