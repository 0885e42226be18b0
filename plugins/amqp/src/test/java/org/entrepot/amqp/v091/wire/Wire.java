package org.entrepot.amqp.v091.wire;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HexFormat;
import java.util.List;

/** Bytes for tests, and what became of them as text that can be compared. */
final class Wire {
    private Wire() {}

    /**
     * Bytes of a pattern: pairs of hexadecimal digits, {@code 'text'}, {@code `short string`} and {@code [what a length of
     * four bytes stands before]}; spaces do not count.
     */
    static byte[] bytes(String pattern) {
        ByteBuf out = Unpooled.buffer();
        Deque<Integer> open = new ArrayDeque<>();
        for (int i = 0; i < pattern.length(); i++) {
            char c = pattern.charAt(i);
            if (c == '\'' || c == '`') {
                int end = pattern.indexOf(c, i + 1);
                byte[] text = pattern.substring(i + 1, end).getBytes(StandardCharsets.UTF_8);
                if (c == '`') {
                    out.writeByte(text.length);
                }
                out.writeBytes(text);
                i = end;
            } else if (c == '[') {
                out.writeInt(0);
                open.push(out.writerIndex());
            } else if (c == ']') {
                int start = open.pop();
                out.setInt(start - 4, out.writerIndex() - start);
            } else if (!Character.isWhitespace(c)) {
                out.writeByte(HexFormat.fromHexDigits(pattern, i, i + 2));
                i++;
            }
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
