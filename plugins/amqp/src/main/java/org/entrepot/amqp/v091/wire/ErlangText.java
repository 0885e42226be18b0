package org.entrepot.amqp.v091.wire;

import io.netty.buffer.ByteBuf;

/** Writes bytes as RabbitMQ's texts show them, which clients match on and people look up. */
final class ErlangText {

    /** Bytes shown of a binary: more would not fit into a reply text. */
    private static final int BYTES_SHOWN_MAX = 128;

    private ErlangText() {}

    /** A binary as numbers: {@code <<1,2,3>>}. */
    static String numbers(ByteBuf buffer, int index, int length) {
        int shown = Math.min(length, BYTES_SHOWN_MAX);
        StringBuilder text = new StringBuilder(4 + 4 * shown).append("<<");
        for (int i = 0; i < shown; i++) {
            if (i > 0) {
                text.append(',');
            }
            text.append(buffer.getUnsignedByte(index + i));
        }
        return text.append(shown < length ? ",...>>" : ">>").toString();
    }

    /** A binary as text where all of it is ASCII, else as numbers. */
    static String binary(ByteBuf buffer, int index, int length) {
        StringBuilder text = new StringBuilder(6 + length).append("<<\"");
        for (int i = 0; i < length; i++) {
            int c = buffer.getUnsignedByte(index + i);
            if (c < ' ' || c > '~') {
                return numbers(buffer, index, length);
            }
            appendEscaped(text, c);
        }
        return length == 0 ? "<<>>" : text.append("\">>").toString();
    }

    /** A list of characters as text where all are Latin-1 that prints, else as numbers. */
    static String characters(ByteBuf buffer, int index, int length) {
        StringBuilder text = new StringBuilder(2 + length).append('"');
        for (int i = 0; i < length; i++) {
            int c = buffer.getUnsignedByte(index + i);
            if (!prints(c)) {
                String numbers = numbers(buffer, index, length);
                return '[' + numbers.substring(2, numbers.length() - 2) + ']';
            }
            appendEscaped(text, c);
        }
        return text.append('"').toString();
    }

    private static boolean prints(int c) {
        return (c >= ' ' && c <= '~') || c >= 0xA0 || (c >= '\b' && c <= '\r') || c == 0x1B;
    }

    private static void appendEscaped(StringBuilder text, int c) {
        switch (c) {
            case '"' -> text.append("\\\"");
            case '\\' -> text.append("\\\\");
            case '\b' -> text.append("\\b");
            case '\t' -> text.append("\\t");
            case '\n' -> text.append("\\n");
            case 0x0B -> text.append("\\v");
            case '\f' -> text.append("\\f");
            case '\r' -> text.append("\\r");
            case 0x1B -> text.append("\\e");
            default -> text.append((char) c);
        }
    }
}
