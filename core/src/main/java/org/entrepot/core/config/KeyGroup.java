package org.entrepot.core.config;

import java.util.List;
import java.util.Optional;
import org.entrepot.spi.ConfigurationKey;

/**
 * Configuration keys that belong together: a section of {@code conf/entrepot.conf}. Immutable.
 *
 * @param title heads the section
 * @param plugin the id of the plugin that declares the keys; empty for the core's own
 * @param enabled whether anybody reads them; those of a disabled plugin are accepted and ignored
 * @param keys in the order of the file
 * @param requirements which keys must be set beside others
 */
public record KeyGroup(
        String title,
        Optional<String> plugin,
        boolean enabled,
        List<ConfigurationKey> keys,
        List<Requirement> requirements) {

    public KeyGroup {
        keys = List.copyOf(keys);
        requirements = List.copyOf(requirements);
    }

    /** Keys of the core. */
    public static KeyGroup core(String title, List<ConfigurationKey> keys) {
        return new KeyGroup(title, Optional.empty(), true, keys, List.of());
    }

    /** Keys that an installed plugin declares. */
    public static KeyGroup plugin(String id, boolean enabled, List<ConfigurationKey> keys) {
        return new KeyGroup("Plugin " + id, Optional.of(id), enabled, keys, List.of());
    }

    /**
     * A plugin that is installed but disabled, and therefore not loaded: which keys it declares nobody knows, so any that
     * could be its own counts as one.
     */
    public static KeyGroup disabledPlugin(String id) {
        return plugin(id, false, List.of());
    }

    /** The same group with requirements. */
    public KeyGroup requiring(List<Requirement> rules) {
        return new KeyGroup(title, plugin, enabled, keys, rules);
    }

    /** Who declares the keys, for errors. */
    String owner() {
        return plugin.map(id -> "plugin " + id).orElse("core");
    }

    /** Whether a key that nobody declares may well be one of this group's, which is of a plugin that is not loaded. */
    boolean couldDeclare(String key) {
        // A variable's name does not tell dots from hyphens, and needs not here.
        String dotted = key.replace('-', '.');
        return !enabled
                && plugin.map(id -> id.replace('-', '.'))
                        .filter(id -> dotted.startsWith(id + ".") || dotted.startsWith("listener." + id + "."))
                        .isPresent();
    }

    /** Whether the group may declare a key of this name. */
    boolean mayDeclare(String key) {
        return plugin.map(id -> key.startsWith(id + ".") || key.startsWith("listener."))
                .orElse(true);
    }

    /**
     * A key that must be set when another is.
     *
     * @param key the one that asks for it; a {@code *} stands for one word
     * @param exceptValue the value of {@code key} that asks for nothing; empty where any value does
     * @param required the one asked for
     */
    public record Requirement(String key, String exceptValue, String required) {

        boolean asks(String name) {
            int star = key.indexOf('*');
            if (star < 0) {
                return key.equals(name);
            }
            String before = key.substring(0, star);
            String after = key.substring(star + 1);
            return name.length() > before.length() + after.length()
                    && name.startsWith(before)
                    && name.endsWith(after)
                    && name.indexOf('.', star) == name.length() - after.length();
        }
    }
}
