package org.entrepot.core.plugin;

/**
 * One thing in {@code plugins/} and what became of it. Immutable.
 *
 * @param id the plugin's id; the file's name where the plugin did not get as far as telling it
 * @param version the plugin's version; empty where unknown
 * @param requires the versions of the SPI that it was built for; empty where unknown
 * @param provider who made it; empty where unknown
 * @param file its name in {@code plugins/}
 * @param state what became of it
 * @param reason why it failed; empty otherwise
 */
public record PluginInfo(
        String id, String version, String requires, String provider, String file, State state, String reason) {

    /** What becomes of a plugin. */
    public enum State {
        LOADED,
        /** Left alone because an operator said so. */
        DISABLED,
        /** Cannot be used; the broker does not start with it. */
        FAILED
    }
}
