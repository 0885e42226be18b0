package org.entrepot.core.config;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.entrepot.spi.ConfigurationKey;

/**
 * The text of {@code conf/entrepot.conf}: every key with its meaning and default, as comments, so that an unedited file
 * sets nothing. Stateless.
 */
public final class ConfigurationTemplate {
    private static final int COLUMNS_MAX = 100;

    private static final List<String> HEAD = List.of(
            "Configuration of Entrepot: KEY = VALUE, one a line. A line that begins with # is a comment; further on a #"
                    + " belongs to the value. Each key is shown with its default: remove the # in front of a key to"
                    + " change it.",
            "An environment variable wins over this file: ENTREPOT_LISTENER_ADDRESS is listener.address, dots and"
                    + " hyphens are underscores. The option --set KEY=VALUE wins over both. Unknown keys and values"
                    + " that are not allowed keep the broker from starting; of a variable that does not even begin like a key"
                    + " there is a warning only.",
            "A relative path is relative to the directory that the broker is installed in.");

    private ConfigurationTemplate() {}

    /** The file for these keys; lines end with a line feed. */
    public static String render(List<KeyGroup> groups) {
        StringBuilder out = new StringBuilder();
        for (int i = 0; i < HEAD.size(); i++) {
            if (i > 0) {
                out.append("#\n");
            }
            comment(HEAD.get(i), out);
        }
        for (KeyGroup group : groups) {
            if (group.keys().isEmpty()) {
                continue;
            }
            out.append("\n\n");
            heading(group.title(), out);
            for (ConfigurationKey key : group.keys()) {
                out.append('\n');
                comment(key.meaning(), out);
                comment("Allowed: " + Notation.allowed(key) + ".", out);
                String value = key.defaultValue().orElse("");
                out.append('#')
                        .append(key.name())
                        .append(value.isEmpty() ? " =" : " = ")
                        .append(value)
                        .append('\n');
            }
        }
        return out.toString();
    }

    /** Where a shipped file and the one for these keys part, for the test that keeps them together; empty if nowhere. */
    public static Optional<String> firstDifference(String shipped, List<KeyGroup> groups) {
        List<String> is = shipped.lines().toList();
        List<String> ought = render(groups).lines().toList();
        for (int i = 0; i < Math.max(is.size(), ought.size()); i++) {
            String line = i < is.size() ? is.get(i) : "(nothing)";
            String right = i < ought.size() ? ought.get(i) : "(nothing)";
            if (!line.equals(right)) {
                return Optional.of("line " + (i + 1) + " is: " + line + "\nit ought to be: " + right);
            }
        }
        return Optional.empty();
    }

    private static void heading(String title, StringBuilder out) {
        String start = "# ---- " + title + " ";
        out.append(start)
                .append("-".repeat(Math.max(4, COLUMNS_MAX - start.length())))
                .append('\n');
    }

    private static void comment(String text, StringBuilder out) {
        for (String line : wrapped(text)) {
            out.append("# ").append(line).append('\n');
        }
    }

    private static List<String> wrapped(String text) {
        List<String> lines = new ArrayList<>();
        StringBuilder line = new StringBuilder();
        for (String word : text.split(" ", -1)) {
            if (!line.isEmpty() && line.length() + 1 + word.length() > COLUMNS_MAX - 2) {
                lines.add(line.toString());
                line.setLength(0);
            }
            if (!line.isEmpty()) {
                line.append(' ');
            }
            line.append(word);
        }
        lines.add(line.toString());
        return lines;
    }
}
