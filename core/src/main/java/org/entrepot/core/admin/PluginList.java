package org.entrepot.core.admin;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Locale;
import org.entrepot.core.plugin.PluginInfo;

/** What {@code entrepot plugins list} prints. Stateless. */
public final class PluginList {
    private static final String[] HEADINGS = {"id", "version", "state", "requires", "provider", "file"};

    private PluginList() {}

    public static String of(List<PluginInfo> plugins, boolean json) {
        return json ? json(plugins) : text(plugins);
    }

    private static String text(List<PluginInfo> plugins) {
        if (plugins.isEmpty()) {
            return "no plugins\n";
        }
        int[] widths = new int[HEADINGS.length];
        widen(widths, HEADINGS);
        for (PluginInfo plugin : plugins) {
            widen(widths, columns(plugin));
        }
        StringBuilder out = new StringBuilder();
        row(widths, HEADINGS, out);
        for (PluginInfo plugin : plugins) {
            row(widths, columns(plugin), out);
            if (!plugin.reason().isEmpty()) {
                out.append("  ").append(plugin.reason()).append('\n');
            }
        }
        return out.toString();
    }

    private static String[] columns(PluginInfo plugin) {
        return new String[] {
            plugin.id(), plugin.version(), state(plugin), plugin.requires(), plugin.provider(), plugin.file()
        };
    }

    private static String state(PluginInfo plugin) {
        return plugin.state().name().toLowerCase(Locale.ROOT);
    }

    private static void widen(int[] widths, String[] columns) {
        for (int i = 0; i < widths.length; i++) {
            widths[i] = Math.max(widths[i], columns[i].length());
        }
    }

    private static void row(int[] widths, String[] columns, StringBuilder out) {
        StringBuilder line = new StringBuilder();
        for (int i = 0; i < widths.length; i++) {
            line.append(columns[i]).append(" ".repeat(widths[i] - columns[i].length() + 2));
        }
        out.append(line.toString().stripTrailing()).append('\n');
    }

    private static String json(List<PluginInfo> plugins) {
        StringWriter text = new StringWriter();
        try (JsonGenerator json = new JsonFactory().createGenerator(text).useDefaultPrettyPrinter()) {
            json.writeStartArray();
            for (PluginInfo plugin : plugins) {
                json.writeStartObject();
                json.writeStringField("id", plugin.id());
                json.writeStringField("version", plugin.version());
                json.writeStringField("state", state(plugin));
                json.writeStringField("requires", plugin.requires());
                json.writeStringField("provider", plugin.provider());
                json.writeStringField("file", plugin.file());
                json.writeStringField("reason", plugin.reason());
                json.writeEndObject();
            }
            json.writeEndArray();
        } catch (IOException e) {
            throw new UncheckedIOException("writing into memory", e);
        }
        return text + "\n";
    }
}
