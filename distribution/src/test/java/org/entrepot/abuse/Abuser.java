package org.entrepot.abuse;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.LongString;
import com.rabbitmq.client.impl.AMQImpl;
import com.rabbitmq.client.impl.Frame;
import com.rabbitmq.client.impl.LongStringHelper;
import com.rabbitmq.client.impl.Method;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;

/**
 * A socket over which anything may be said, from an address of its own, by which the broker's log can be searched. Used by
 * one thread.
 */
final class Abuser implements AutoCloseable {
    static final int METHOD = 1;
    static final int BODY = 3;
    static final int FRAME_MAX = 128 << 10;
    static final byte[] PROTOCOL_HEADER = {'A', 'M', 'Q', 'P', 0, 0, 9, 1};

    private static final int FRAME_END = 0xCE;

    /** Longer than the broker keeps those waiting whom it refuses. */
    private static final int PATIENCE_MILLIS = (int) TimeUnit.SECONDS.toMillis(20);

    private final Socket socket = new Socket();
    private final DataOutputStream out;
    private final DataInputStream in;

    /** Connects from an address of 127.0.0.0/8. */
    Abuser(String from, int port) throws IOException {
        this(from, port, 0);
    }

    /** With a receive buffer of so many bytes, or for 0 as many as the system likes. */
    Abuser(String from, int port, int receiveBytes) throws IOException {
        if (receiveBytes > 0) {
            socket.setReceiveBufferSize(receiveBytes);
        }
        socket.bind(new InetSocketAddress(from, 0));
        socket.connect(new InetSocketAddress(AbusedProduct.HOST, port), PATIENCE_MILLIS);
        socket.setSoTimeout(PATIENCE_MILLIS);
        socket.setTcpNoDelay(true);
        out = new DataOutputStream(socket.getOutputStream());
        in = new DataInputStream(new BufferedInputStream(socket.getInputStream(), 1 << 16));
    }

    Abuser say(byte[] bytes) throws IOException {
        out.write(bytes);
        return this;
    }

    /** Tries to shake hands for TLS. */
    void startTls() throws IOException {
        ((SSLSocket) ((SSLSocketFactory) SSLSocketFactory.getDefault())
                        .createSocket(socket, AbusedProduct.HOST, socket.getPort(), true))
                .startHandshake();
    }

    /** One byte in a packet of its own. */
    void sayByte(int b) throws IOException {
        out.write(b);
    }

    Abuser say(int channel, Method... methods) throws IOException {
        return say(bytes(channel, methods));
    }

    /** Methods as the frames that they are on the wire. */
    static byte[] bytes(int channel, Method... methods) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream frames = new DataOutputStream(bytes);
        for (Method method : methods) {
            method.toFrame(channel).writeTo(frames);
        }
        return bytes.toByteArray();
    }

    /** A frame with any payload, its length and end included. */
    static byte[] frame(int type, int channel, byte[] payload) {
        return ByteBuffer.allocate(7 + payload.length + 1)
                .put((byte) type)
                .putShort((short) channel)
                .putInt(payload.length)
                .put(payload)
                .put((byte) FRAME_END)
                .array();
    }

    /** A publish to a queue, with a body that fits a frame. */
    static byte[] publish(int channel, String queue, boolean mandatory, byte[] body) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        bytes.writeBytes(bytes(channel, basicPublish(queue, mandatory)));
        bytes.writeBytes(header(channel, body.length));
        bytes.writeBytes(frame(BODY, channel, body));
        return bytes.toByteArray();
    }

    static Method basicPublish(String queue, boolean mandatory) {
        return method(new AMQP.Basic.Publish.Builder()
                .routingKey(queue)
                .mandatory(mandatory)
                .build());
    }

    /** A content header without properties. */
    static byte[] header(int channel, long bodyBytes) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        new BasicProperties().toFrame(channel, bodyBytes).writeTo(new DataOutputStream(bytes));
        return bytes.toByteArray();
    }

    /** The client's builders give interfaces; what they build can be written. */
    static Method method(com.rabbitmq.client.Method built) {
        return (Method) built;
    }

    /** All that a client says to be in the virtual host /, up to and without opening a channel. */
    static byte[] login(String user, String password) throws IOException {
        LongString response =
                LongStringHelper.asLongString(("\0" + user + "\0" + password).getBytes(StandardCharsets.UTF_8));
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        bytes.writeBytes(PROTOCOL_HEADER);
        bytes.writeBytes(bytes(
                0,
                new AMQImpl.Connection.StartOk(Map.of(), "PLAIN", response, "en_US"),
                new AMQImpl.Connection.TuneOk(2_047, FRAME_MAX, 0),
                new AMQImpl.Connection.Open("/", "", false)));
        return bytes.toByteArray();
    }

    /** Logs in as guest and waits until that is done. */
    Abuser loggedIn() throws IOException {
        say(login("guest", "guest"));
        await(AMQP.Connection.OpenOk.class);
        return this;
    }

    Abuser withChannel(int channel) throws IOException {
        say(channel, new AMQImpl.Channel.Open(""));
        await(AMQP.Channel.OpenOk.class);
        return this;
    }

    /** Reads until such a method comes, and throws when the connection or a channel is closed instead. */
    <M extends com.rabbitmq.client.Method> M await(Class<M> type) throws IOException {
        while (true) {
            Frame frame = Frame.readFrom(in, () -> Integer.MAX_VALUE);
            if (frame == null || frame.getType() != METHOD) {
                continue;
            }
            Method method = AMQImpl.readMethodFrom(frame.getInputStream());
            if (type.isInstance(method)) {
                return type.cast(method);
            }
            if (method instanceof AMQP.Connection.Close || method instanceof AMQP.Channel.Close) {
                throw new IOException("the broker said " + method);
            }
        }
    }

    /** Reads and drops whatever comes until the broker closes, politely. */
    void awaitEnd() throws IOException {
        byte[] dropped = new byte[1 << 16];
        while (in.read(dropped) >= 0) {
            // What it says does not matter.
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
