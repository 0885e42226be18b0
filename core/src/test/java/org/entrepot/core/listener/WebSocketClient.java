package org.entrepot.core.listener;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** A client that makes each frame of WebSocket by hand. */
final class WebSocketClient implements AutoCloseable {
    static final int CONTINUATION = 0;
    static final int TEXT = 1;
    static final int BINARY = 2;
    static final int CLOSE = 8;
    static final int PING = 9;
    static final int PONG = 10;

    /** The key and its acceptance are those of RFC 6455 section 1.3. */
    static final String KEY = "dGhlIHNhbXBsZSBub25jZQ==";

    static final String ACCEPTANCE = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=";

    private static final byte[] MASK = {(byte) 0xa1, 0x5b, (byte) 0xc3, 0x7f};

    final Client client;

    WebSocketClient(Client client) {
        this.client = client;
    }

    /** What a frame from the broker is. */
    record Frame(int opcode, byte[] payload) {
        String text() {
            return new String(payload, StandardCharsets.UTF_8);
        }

        /** Of a close frame; 0 for none. */
        int status() {
            assertThat(opcode).as("the opcode of a close frame").isEqualTo(CLOSE);
            return payload.length < 2 ? 0 : ((payload[0] & 0xff) << 8) | (payload[1] & 0xff);
        }
    }

    /** A request for /ws with further header lines. */
    static String request(String... lines) {
        StringBuilder request = new StringBuilder("GET /ws HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\n"
                + "Connection: keep-alive, Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: " + KEY + "\r\n");
        for (String line : lines) {
            request.append(line).append("\r\n");
        }
        return request.append("\r\n").toString();
    }

    /** Asks for WebSocket and gets it. */
    WebSocketClient open(String... lines) throws IOException {
        client.say(request(lines));
        assertThat(hearHead()).startsWith("HTTP/1.1 101 ").contains("\r\nSec-WebSocket-Accept: " + ACCEPTANCE + "\r\n");
        return this;
    }

    /** The head of a response. */
    String hearHead() throws IOException {
        StringBuilder head = new StringBuilder();
        while (head.indexOf("\r\n\r\n") < 0) {
            String next = client.hear(1);
            assertThat(next).as("the end of the head after " + head).isNotEmpty();
            head.append(next);
        }
        return head.toString();
    }

    WebSocketClient say(int opcode, String text) throws IOException {
        client.say(frame(true, opcode, text.getBytes(StandardCharsets.UTF_8)));
        return this;
    }

    WebSocketClient say(byte[] bytes) throws IOException {
        client.say(bytes);
        return this;
    }

    Frame hear() throws IOException {
        DataInputStream in = new DataInputStream(client.socket.getInputStream());
        int first = in.readUnsignedByte();
        assertThat(first & 0xf0).as("final, without extensions").isEqualTo(0x80);
        int length = in.readUnsignedByte();
        assertThat(length).as("without a mask").isLessThan(0x80);
        long bytes = length == 127 ? in.readLong() : length == 126 ? in.readUnsignedShort() : length;
        return new Frame(first & 0x0f, in.readNBytes(Math.toIntExact(bytes)));
    }

    /** The payloads of data frames until there are so many bytes. */
    String hearText(int bytes) throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        while (all.size() < bytes) {
            Frame frame = hear();
            assertThat(frame.opcode()).isIn(TEXT, BINARY);
            all.writeBytes(frame.payload());
        }
        return all.toString(StandardCharsets.UTF_8);
    }

    static byte[] frame(boolean isFinal, int opcode, byte[] payload) {
        return join(header((isFinal ? 0x80 : 0) | opcode, payload.length), masked(payload));
    }

    static byte[] frame(int opcode, String text) {
        return frame(true, opcode, text.getBytes(StandardCharsets.UTF_8));
    }

    /** With a mask, and the length written as short as it can be. */
    static byte[] header(int first, long length) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.write(first);
        int lengthBytes = length >= 0 && length < 126 ? 0 : length >= 0 && length < 65_536 ? 2 : 8;
        out.write(0x80 | (lengthBytes == 0 ? (int) length : lengthBytes == 2 ? 126 : 127));
        for (int i = lengthBytes - 1; i >= 0; i--) {
            out.write((int) (length >> (8 * i)));
        }
        out.writeBytes(MASK);
        return out.toByteArray();
    }

    static byte[] masked(byte[] payload) {
        byte[] masked = payload.clone();
        for (int i = 0; i < masked.length; i++) {
            masked[i] ^= MASK[i & 3];
        }
        return masked;
    }

    static byte[] join(byte[]... pieces) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (byte[] piece : pieces) {
            all.writeBytes(piece);
        }
        return all.toByteArray();
    }

    @Override
    public void close() throws IOException {
        client.close();
    }
}
