package org.entrepot.core.listener;

/** Text from outside made fit for a log line: one line, nothing that steers a terminal, not too long. Stateless. */
final class SafeText {
    private static final String CUT = "...";

    private SafeText() {}

    /** The text with control, format and separator characters as escapes, cut after {@code charsMax} of them. */
    static String of(String text, int charsMax) {
        int end = Math.min(text.length(), charsMax);
        for (int i = 0; i < end; i++) {
            if (!isPlain(text.charAt(i))) {
                return escaped(text, i, charsMax);
            }
        }
        return end == text.length() ? text : text.substring(0, end) + CUT;
    }

    private static String escaped(String text, int plain, int charsMax) {
        StringBuilder safe = new StringBuilder(Math.min(text.length() + 16, charsMax + CUT.length()));
        safe.append(text, 0, plain);
        for (int i = plain; i < text.length(); i++) {
            if (safe.length() >= charsMax) {
                return safe.append(CUT).toString();
            }
            char c = text.charAt(i);
            if (isPlain(c)) {
                safe.append(c);
            } else {
                safe.append("\\u");
                for (int shift = 12; shift >= 0; shift -= 4) {
                    safe.append(Character.forDigit((c >> shift) & 0xf, 16));
                }
            }
        }
        return safe.toString();
    }

    private static boolean isPlain(char c) {
        if (c >= ' ' && c < 0x7f) {
            return true;
        }
        // Surrogates are let through: what they encode is drawn, and lone ones are replaced by the log's encoder.
        return switch (Character.getType(c)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR,
                    Character.PRIVATE_USE,
                    Character.UNASSIGNED -> false;
            default -> true;
        };
    }
}
