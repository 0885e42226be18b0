package org.entrepot.mqtt.wire;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HexFormat;

/** Bytes for tests. Stateless. */
public final class Wire {
    private Wire() {}

    /**
     * Bytes of a pattern: pairs of hexadecimal digits, {@code 'text'}, {@code `string with its length`} and {@code [what a
     * length stands before]}, as short as it can be; spaces do not count.
     */
    public static byte[] bytes(String pattern) {
        Deque<ByteBuf> open = new ArrayDeque<>();
        ByteBuf out = Unpooled.buffer();
        for (int i = 0; i < pattern.length(); i++) {
            char c = pattern.charAt(i);
            if (c == '\'' || c == '`') {
                int end = pattern.indexOf(c, i + 1);
                byte[] text = pattern.substring(i + 1, end).getBytes(StandardCharsets.UTF_8);
                if (c == '`') {
                    out.writeShort(text.length);
                }
                out.writeBytes(text);
                i = end;
            } else if (c == '[') {
                open.push(out);
                out = Unpooled.buffer();
            } else if (c == ']') {
                ByteBuf inner = out;
                out = open.pop();
                writeVariable(out, inner.readableBytes());
                out.writeBytes(inner);
            } else if (!Character.isWhitespace(c)) {
                out.writeByte(HexFormat.fromHexDigits(pattern, i, i + 2));
                i++;
            }
        }
        return bytes(out);
    }

    public static ByteBuf buffer(String pattern) {
        return Unpooled.wrappedBuffer(bytes(pattern));
    }

    /** The readable bytes of a buffer that nobody needs any more. */
    public static byte[] bytes(ByteBuf buffer) {
        byte[] bytes = new byte[buffer.readableBytes()];
        buffer.readBytes(bytes).release();
        return bytes;
    }

    public static String hex(byte[] bytes) {
        return HexFormat.of().formatHex(bytes);
    }

    /** Appends a variable byte integer (specification 1.5.5). */
    public static void writeVariable(ByteBuf out, int value) {
        int rest = value;
        while (rest >= 0x80) {
            out.writeByte((rest & 0x7F) | 0x80);
            rest >>>= 7;
        }
        out.writeByte(rest);
    }

    /** A pattern's bytes, given to a check as the framer would. */
    static Packet packet(String pattern) {
        byte[][] cut = new byte[1][];
        int[] place = new int[3];
        new PacketFramer(Integer.MAX_VALUE, bytes -> {}).read(buffer(pattern), (head, buffer, start, index, length) -> {
            cut[0] = new byte[index + length];
            buffer.getBytes(0, cut[0]);
            place[0] = head;
            place[1] = index;
            place[2] = length;
        });
        if (cut[0] == null) {
            throw new IllegalArgumentException("no packet: " + pattern);
        }
        return new Packet(place[0], Unpooled.wrappedBuffer(cut[0]), place[1], place[2]);
    }

    /** What {@link PacketFramer.Sink#packet} is given. */
    record Packet(int head, ByteBuf buffer, int index, int length) {}
}
