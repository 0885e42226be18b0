package org.entrepot.amqp.v091;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.entrepot.amqp.v091.wire.FieldTable;
import org.entrepot.amqp.v091.wire.Method;
import org.entrepot.amqp.v091.wire.MethodReader;
import org.entrepot.amqp.v091.wire.MethodWriter;
import org.entrepot.amqp.v091.wire.Methods;
import org.entrepot.spi.message.Bytes;
import org.entrepot.testkit.BrokerExtension;

/**
 * A client that says what the test tells it, right or wrong, and hears frame by frame. Tests read like a conversation:
 * {@code send} and {@code expect} in turn. Waiting is bounded.
 */
final class Client implements AutoCloseable {
    static final int METHOD = 1;
    static final int HEADER = 2;
    static final int BODY = 3;
    static final int HEARTBEAT = 8;
    static final int END = 0xCE;
    static final byte[] PROTOCOL_HEADER = {'A', 'M', 'Q', 'P', 0, 0, 9, 1};

    private static final int PATIENCE_MILLIS = 10_000;

    private final Socket socket;
    private final DataInputStream in;
    int frameMax = 131_072;

    /** A frame as it came. */
    static final class Frame {
        final int type;
        final int channel;
        final byte[] payload;

        private Frame(int type, int channel, byte[] payload) {
            this.type = type;
            this.channel = channel;
            this.payload = payload;
        }

        @Override
        public String toString() {
            return "a frame of type " + type + " on channel " + channel + " of " + payload.length + " bytes";
        }
    }

    /** A method with its content. */
    static final class Content<M extends Method> {
        private final M method;
        private final byte[] header;
        private final byte[] body;

        private Content(M method, byte[] header, byte[] body) {
            this.method = method;
            this.header = header;
            this.body = body;
        }

        M method() {
            return method;
        }

        byte[] header() {
            return header;
        }

        byte[] body() {
            return body;
        }

        String text() {
            return new String(body, StandardCharsets.UTF_8);
        }

        /** The properties as {@link Props} writes them, for comparison. */
        Bytes properties() {
            return Bytes.wrap(header);
        }

        Map<String, Object> headers() {
            return new AmqpMessageFormat().headers(properties());
        }

        Object property(String name) {
            return new AmqpMessageFormat().property(properties(), name);
        }
    }

    private Client(Socket socket) throws IOException {
        this.socket = socket;
        socket.setSoTimeout(PATIENCE_MILLIS);
        this.in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
    }

    /** A connection over which nothing was said yet. */
    static Client silent(BrokerExtension broker) {
        return silent(broker.broker().port("amqp"));
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

    /** A connection that is open, of a client with all capabilities. */
    static Client open(BrokerExtension broker) {
        Client client = silent(broker).greet();
        client.send(0, startOk("PLAIN", plain("guest", "guest"), allCapabilities()));
        return client.tuneAndOpen("/");
    }

    /** The same with a channel 1. */
    static Client withChannel(BrokerExtension broker) {
        return open(broker).openChannel(1);
    }

    Client greet() {
        raw(PROTOCOL_HEADER);
        expect(0, Method.ConnectionStart.class);
        return this;
    }

    Client tuneAndOpen(String virtualHost) {
        Method.ConnectionTune tune = expect(0, Method.ConnectionTune.class);
        send(0, new Method.ConnectionTuneOk(tune.channelMax(), tune.frameMax(), 0));
        send(0, new Method.ConnectionOpen(virtualHost));
        expect(0, Method.ConnectionOpenOk.class);
        return this;
    }

    Client openChannel(int channel) {
        send(channel, new Method.ChannelOpen());
        expect(channel, Method.ChannelOpenOk.class);
        return this;
    }

    static Method.ConnectionStartOk startOk(String mechanism, Bytes response, FieldTable properties) {
        return new Method.ConnectionStartOk(properties, mechanism, response, "en_US");
    }

    static Bytes plain(String user, String password) {
        return Bytes.utf8("\0" + user + "\0" + password);
    }

    static FieldTable allCapabilities() {
        return FieldTable.of(Map.of(
                "product",
                "test",
                "capabilities",
                Map.of(
                        "authentication_failure_close",
                        true,
                        "connection.blocked",
                        true,
                        "consumer_cancel_notify",
                        true)));
    }

    // ---- saying

    /** Bytes as they are. */
    Client raw(byte[] bytes) {
        try {
            socket.getOutputStream().write(bytes);
            socket.getOutputStream().flush();
            return this;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    Client send(int channel, Method method) {
        return raw(bytes(channel, method));
    }

    static byte[] bytes(int channel, Method method) {
        ByteBuf out = Unpooled.buffer();
        MethodWriter.write(out, channel, method);
        return array(out);
    }

    static byte[] array(ByteBuf buffer) {
        byte[] bytes = new byte[buffer.readableBytes()];
        buffer.readBytes(bytes).release();
        return bytes;
    }

    static byte[] frame(int type, int channel, byte[] payload) {
        ByteBuf out = Unpooled.buffer();
        out.writeByte(type)
                .writeShort(channel)
                .writeInt(payload.length)
                .writeBytes(payload)
                .writeByte(END);
        return array(out);
    }

    /** A content header frame's payload. */
    static byte[] headerPayload(int classId, int weight, long size, byte[] properties) {
        ByteBuf out = Unpooled.buffer();
        out.writeShort(classId).writeShort(weight).writeLong(size).writeBytes(properties);
        return array(out);
    }

    Client publish(int channel, String exchange, String key, String body) {
        return publish(channel, exchange, key, false, new Props(), body.getBytes(StandardCharsets.UTF_8));
    }

    static byte[] publishBytes(int channel, String exchange, String key, String body) {
        return publishBytes(
                channel, exchange, Bytes.utf8(key), false, new Props(), body.getBytes(StandardCharsets.UTF_8), 131_072);
    }

    Client publish(int channel, String exchange, String key, boolean mandatory, Props properties, byte[] body) {
        return raw(publishBytes(channel, exchange, Bytes.utf8(key), mandatory, properties, body, frameMax));
    }

    Client publish(int channel, String exchange, Bytes key, String body) {
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        return raw(publishBytes(channel, exchange, key, false, new Props(), bytes, frameMax));
    }

    static byte[] publishBytes(
            int channel, String exchange, Bytes key, boolean mandatory, Props properties, byte[] body, int frameMax) {
        ByteBuf out = Unpooled.buffer();
        out.writeBytes(bytes(channel, new Method.BasicPublish(Bytes.utf8(exchange), key, mandatory, false)));
        out.writeBytes(frame(HEADER, channel, headerPayload(Methods.BASIC, 0, body.length, properties.bytes())));
        for (int at = 0; at < body.length; at += frameMax - 8) {
            byte[] part = java.util.Arrays.copyOfRange(body, at, Math.min(body.length, at + frameMax - 8));
            out.writeBytes(frame(BODY, channel, part));
        }
        return array(out);
    }

    // ---- hearing

    /** The next frame that is no heartbeat. */
    Frame next() {
        while (true) {
            Frame frame = nextOfAny();
            if (frame.type != HEARTBEAT) {
                return frame;
            }
        }
    }

    Frame nextOfAny() {
        try {
            int type = in.readUnsignedByte();
            int channel = in.readUnsignedShort();
            byte[] payload = new byte[in.readInt()];
            in.readFully(payload);
            assertThat(in.readUnsignedByte()).as("frame end").isEqualTo(END);
            return new Frame(type, channel, payload);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    Method nextMethod(int channel) {
        Frame frame = next();
        assertThat(frame.type).as("type of %s", frame).isEqualTo(METHOD);
        Method method = method(frame);
        assertThat(frame.channel).as("channel of %s", method).isEqualTo(channel);
        return method;
    }

    /** The next method, of whatever channel. */
    Method nextOfChannels() {
        return method(next());
    }

    /** What a method frame says. */
    static Method method(Frame frame) {
        ByteBuf payload = Unpooled.wrappedBuffer(frame.payload);
        return MethodReader.read(payload.getInt(0), payload, 4, payload.readableBytes() - 4);
    }

    /** Whether something has come that was not read yet. */
    boolean hasHeardSomething() {
        try {
            return in.available() > 0;
        } catch (IOException e) {
            return true;
        }
    }

    <M extends Method> M expect(int channel, Class<M> type) {
        Method method = nextMethod(channel);
        assertThat(method).isInstanceOf(type);
        return type.cast(method);
    }

    <M extends Method> Content<M> expectContent(int channel, Class<M> type) {
        return content(channel, expect(channel, type));
    }

    private <M extends Method> Content<M> content(int channel, M method) {
        Frame header = next();
        assertThat(header.type).isEqualTo(HEADER);
        assertThat(header.channel).isEqualTo(channel);
        ByteBuf payload = Unpooled.wrappedBuffer(header.payload);
        assertThat(payload.readUnsignedShort()).isEqualTo(Methods.BASIC);
        assertThat(payload.readUnsignedShort()).isZero();
        long size = payload.readLong();
        byte[] properties = array(payload);
        ByteBuf body = Unpooled.buffer();
        while (body.readableBytes() < size) {
            Frame part = next();
            assertThat(part.type).isEqualTo(BODY);
            assertThat(part.channel).isEqualTo(channel);
            assertThat(part.payload.length).isBetween(1, frameMax - 8);
            body.writeBytes(part.payload);
        }
        return new Content<>(method, properties, array(body));
    }

    Content<Method.BasicDeliver> expectDelivery(int channel) {
        return expectContent(channel, Method.BasicDeliver.class);
    }

    /** The server closes the channel; it is answered. */
    Client expectChannelClose(int channel, int code, String text, int offender) {
        Method.ChannelClose close = expect(channel, Method.ChannelClose.class);
        assertThat(close.replyText()).isEqualTo(text);
        assertThat(close.replyCode()).isEqualTo(code);
        assertThat(close.classId() << 16 | close.methodId()).isEqualTo(offender);
        return send(channel, new Method.ChannelCloseOk());
    }

    /** The server closes the connection; it is answered, and the socket is closed. */
    void expectConnectionClose(int code, String text, int offender) {
        Method.ConnectionClose close = expect(0, Method.ConnectionClose.class);
        assertThat(close.replyText()).isEqualTo(text);
        assertThat(close.replyCode()).isEqualTo(code);
        assertThat(close.classId() << 16 | close.methodId()).isEqualTo(offender);
        send(0, new Method.ConnectionCloseOk());
        expectEnd();
    }

    /** The socket is closed without another frame but heartbeats. */
    void expectEnd() {
        try {
            while (true) {
                int type = in.read();
                if (type < 0) {
                    return;
                }
                assertThat(type).as("type of a frame after the end").isEqualTo(HEARTBEAT);
                in.skipNBytes(7);
            }
        } catch (EOFException end) {
            return;
        } catch (IOException reset) {
            assertThat(reset).isNotInstanceOf(SocketTimeoutException.class);
        }
    }

    /** The client sends no more, and the server closes the socket. */
    void hangUp() {
        try {
            socket.shutdownOutput();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        expectEnd();
    }

    /** Asks again and again until the answer is yes. */
    void eventually(java.util.function.BooleanSupplier question) {
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(PATIENCE_MILLIS);
        while (!question.getAsBoolean()) {
            assertThat(System.nanoTime()).as("patience").isLessThan(end);
            Thread.onSpinWait();
        }
    }

    /** Nothing has come that was not expected: proven by a question whose answer is the next to come. */
    Client expectNothingElse(int channel) {
        send(channel, new Method.AccessRequest("/", false, false, true, true, true));
        expect(channel, Method.AccessRequestOk.class);
        return this;
    }

    byte[] read(int count) {
        try {
            return in.readNBytes(count);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Milliseconds that pass until something has come to its end. */
    static long millisUntil(Runnable end) {
        long start = System.nanoTime();
        end.run();
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
    }

    // ---- common requests

    /** A queue that anybody may use and that does not survive a restart. */
    Method.QueueDeclareOk declare(int channel, String queue, Object... arguments) {
        send(channel, queueDeclare(queue, false, false, false, false, arguments));
        return expect(channel, Method.QueueDeclareOk.class);
    }

    /** A queue of this connection's own. */
    Method.QueueDeclareOk declareOwn(int channel, String queue, Object... arguments) {
        send(channel, queueDeclare(queue, false, false, true, false, arguments));
        return expect(channel, Method.QueueDeclareOk.class);
    }

    static Method.QueueDeclare queueDeclare(
            String queue,
            boolean passive,
            boolean durable,
            boolean exclusive,
            boolean autoDelete,
            Object... arguments) {
        return new Method.QueueDeclare(queue, passive, durable, exclusive, autoDelete, false, table(arguments));
    }

    static FieldTable table(Object... pairs) {
        Map<String, Object> values = new java.util.LinkedHashMap<>();
        for (int i = 0; i < pairs.length; i += 2) {
            values.put((String) pairs[i], pairs[i + 1]);
        }
        return FieldTable.of(values);
    }

    Client consume(int channel, String queue, String tag, boolean noAck, Object... arguments) {
        send(channel, new Method.BasicConsume(queue, tag, false, noAck, false, false, table(arguments)));
        expect(channel, Method.BasicConsumeOk.class);
        return this;
    }

    Content<Method.BasicGetOk> get(int channel, String queue, boolean noAck) {
        send(channel, new Method.BasicGet(queue, noAck));
        return expectContent(channel, Method.BasicGetOk.class);
    }

    /** The same for a message that may still be on its way. */
    Content<Method.BasicGetOk> getEventually(int channel, String queue) {
        java.util.concurrent.atomic.AtomicReference<Content<Method.BasicGetOk>> got =
                new java.util.concurrent.atomic.AtomicReference<>();
        eventually(() -> {
            send(channel, new Method.BasicGet(queue, true));
            Method answer = nextMethod(channel);
            if (answer instanceof Method.BasicGetOk ok) {
                got.set(content(channel, ok));
            }
            return got.get() != null;
        });
        return got.get();
    }

    Client expectGetEmpty(int channel, String queue) {
        send(channel, new Method.BasicGet(queue, true));
        expect(channel, Method.BasicGetEmpty.class);
        return this;
    }

    Client confirms(int channel) {
        send(channel, new Method.ConfirmSelect(false));
        expect(channel, Method.ConfirmSelectOk.class);
        return this;
    }

    /** Hears acks until all publishes up to {@code last} are confirmed; what else comes between goes to {@code other}. */
    Client expectAcks(int channel, long last, Consumer<Method> other) {
        java.util.TreeSet<Long> missing = new java.util.TreeSet<>();
        for (long number = 1; number <= last; number++) {
            missing.add(number);
        }
        while (!missing.isEmpty()) {
            Method method = nextMethod(channel);
            if (method instanceof Method.BasicAck ack) {
                assertThat(missing).as("what %s confirms", ack).contains(ack.deliveryTag());
                if (ack.multiple()) {
                    missing.headSet(ack.deliveryTag(), true).clear();
                } else {
                    missing.remove(ack.deliveryTag());
                }
            } else {
                other.accept(method);
            }
        }
        return this;
    }

    Client ack(int channel, long tag, boolean multiple) {
        return send(channel, new Method.BasicAck(tag, multiple));
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
