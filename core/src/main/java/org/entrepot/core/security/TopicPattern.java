package org.entrepot.core.security;

import java.util.Map;
import java.util.Optional;

/**
 * A regular expression of a topic permission: in it {@code {username}}, {@code {vhost}} and {@code {client_id}} stand for
 * those of whoever asks. Stateless.
 *
 * <p>Put in, they are literal text, in a character class as well: every character that could mean something is escaped.
 */
final class TopicPattern {
    static final String USERNAME = "username";
    static final String VIRTUAL_HOST = "vhost";
    static final String CLIENT_ID = "client_id";

    private static final String[] VARIABLES = {USERNAME, VIRTUAL_HOST, CLIENT_ID};

    private TopicPattern() {}

    /** The pattern with the variables put in; empty where it has one that is not known, and so must match nothing. */
    static Optional<String> with(Map<String, String> variables, String pattern) {
        StringBuilder out = new StringBuilder(pattern.length() + 32);
        int i = 0;
        while (i < pattern.length()) {
            char c = pattern.charAt(i);
            if (c == '\\' && i + 1 < pattern.length()) {
                out.append(c).append(pattern.charAt(i + 1));
                i += 2;
                continue;
            }
            String variable = c == '{' ? variableAt(pattern, i) : "";
            if (variable.isEmpty()) {
                out.append(c);
                i++;
                continue;
            }
            String value = variables.get(variable);
            if (value == null) {
                return Optional.empty();
            }
            quote(value, out);
            i += variable.length() + 2;
        }
        return Optional.of(out.toString());
    }

    private static String variableAt(String pattern, int brace) {
        for (String variable : VARIABLES) {
            if (pattern.startsWith(variable, brace + 1) && pattern.startsWith("}", brace + 1 + variable.length())) {
                return variable;
            }
        }
        return "";
    }

    private static void quote(String value, StringBuilder out) {
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            boolean plain = c >= 0x80 || (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
            if (!plain && c > ' ' && c < 0x7f) {
                out.append('\\').append(c);
            } else if (!plain) {
                out.append(String.format("\\x%02x", (int) c));
            } else {
                out.append(c);
            }
        }
    }
}
