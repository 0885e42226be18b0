package org.entrepot.core.config;

/**
 * Text from outside made fit for one line of a log or a terminal: what could break the line, colour it, or turn its
 * reading direction is written as an escape, and what is long is cut.
 */
public final class Printable {
    private static final String CUT = "...";

    private Printable() {}

    /** At most {@code charsMax} characters of {@code text}, all of them harmless; dots stand for what was cut. */
    public static String of(String text, int charsMax) {
        StringBuilder out = new StringBuilder(Math.min(text.length(), charsMax));
        int whole = 0;
        for (int i = 0; i < text.length(); ) {
            int point = text.codePointAt(i);
            if (harmless(point)) {
                out.appendCodePoint(point);
            } else {
                escape(point, out);
            }
            if (out.length() > charsMax) {
                out.setLength(whole);
                return out.append(CUT).toString();
            }
            if (out.length() <= charsMax - CUT.length()) {
                whole = out.length();
            }
            i += Character.charCount(point);
        }
        return out.toString();
    }

    private static boolean harmless(int point) {
        if (point >= ' ' && point < 0x7f) {
            return true;
        }
        return switch (Character.getType(point)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.SURROGATE,
                    Character.PRIVATE_USE,
                    Character.UNASSIGNED,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR -> false;
            default -> true;
        };
    }

    private static void escape(int point, StringBuilder out) {
        out.append(String.format(point > 0xffff ? "\\u{%x}" : "\\u%04x", point));
    }
}
