package org.entrepot.core.admin;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;

/** Lines of UTF-8 on a control socket. Stateless. */
final class ControlLines {
    private static final int READ_BYTES = 8 << 10;

    private ControlLines() {}

    static void write(SocketChannel socket, String line) throws IOException {
        ByteBuffer bytes = ByteBuffer.wrap((line + "\n").getBytes(StandardCharsets.UTF_8));
        while (bytes.hasRemaining()) {
            socket.write(bytes);
        }
    }

    /** Reads up to the end of the first line. */
    static String read(SocketChannel socket, int bytesMax) throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        ByteBuffer buffer = ByteBuffer.allocate(READ_BYTES);
        while (socket.read(buffer) >= 0) {
            for (int i = 0; i < buffer.position(); i++) {
                if (buffer.get(i) == '\n') {
                    line.write(buffer.array(), 0, i);
                    return line.toString(StandardCharsets.UTF_8);
                }
            }
            line.write(buffer.array(), 0, buffer.position());
            if (line.size() > bytesMax) {
                throw new IOException("a line of more than " + bytesMax + " bytes");
            }
            buffer.clear();
        }
        throw new EOFException("closed in the middle of a line");
    }
}
