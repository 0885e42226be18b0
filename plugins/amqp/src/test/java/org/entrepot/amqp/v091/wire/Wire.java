package org.entrepot.amqp.v091.wire;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/** Bytes for tests, and what became of them as text that can be compared. */
final class Wire {
    private Wire() {}

    /** Bytes of hexadecimal digits, in which spaces do not count, and of text between apostrophes. */
    static byte[] bytes(String pattern) {
        ByteBuf out = Unpooled.buffer();
        String[] parts = pattern.split("'", -1);
        for (int i = 0; i < parts.length; i++) {
            out.writeBytes(
                    i % 2 == 1
                            ? parts[i].getBytes(StandardCharsets.UTF_8)
                            : HexFormat.of().parseHex(parts[i].replaceAll("\\s", "")));
        }
        return bytes(out);
    }

    static ByteBuf buffer(String pattern) {
        return Unpooled.wrappedBuffer(bytes(pattern));
    }

    /** The readable bytes of a buffer that nobody needs any more. */
    static byte[] bytes(ByteBuf buffer) {
        byte[] bytes = new byte[buffer.readableBytes()];
        buffer.readBytes(bytes).release();
        return bytes;
    }

    static String hex(byte[] bytes) {
        return HexFormat.of().formatHex(bytes);
    }

    static String hex(ByteBuf buffer, int index, int length) {
        byte[] bytes = new byte[length];
        buffer.getBytes(index, bytes);
        return hex(bytes);
    }

    /** A frame around a payload. */
    static byte[] frame(int type, int channel, byte[] payload) {
        ByteBuf out = Unpooled.buffer();
        Frames.head(out, type, channel, payload.length);
        out.writeBytes(payload);
        out.writeByte(Frames.END);
        return bytes(out);
    }

    static byte[] frame(int channel, Method method) {
        ByteBuf out = Unpooled.buffer();
        MethodWriter.write(out, channel, method);
        return bytes(out);
    }

    static byte[] join(byte[]... parts) {
        return bytes(Unpooled.wrappedBuffer(parts));
    }

    /** Writes down what a decoder passes on; parts of one body frame are joined. */
    static class Transcript implements FrameSink {
        final List<String> lines = new ArrayList<>();
        private boolean openBody;

        @Override
        public void method(int channel, int method, ByteBuf buffer, int index, int length) {
            line("method " + channel + ' ' + Methods.name(method) + ' ' + hex(buffer, index, length));
        }

        @Override
        public void header(int channel, ByteBuf buffer, int index, int length) {
            line("header " + channel + ' ' + hex(buffer, index, length));
        }

        @Override
        public void body(int channel, ByteBuf buffer, int index, int length) {
            String start = "body " + channel + ' ';
            String part = hex(buffer, index, length);
            if (openBody && lines.get(lines.size() - 1).startsWith(start)) {
                lines.set(lines.size() - 1, lines.get(lines.size() - 1) + part);
            } else {
                lines.add(start + part);
                openBody = true;
            }
        }

        @Override
        public void heartbeat() {
            line("heartbeat");
        }

        private void line(String line) {
            openBody = false;
            lines.add(line);
        }
    }
}
