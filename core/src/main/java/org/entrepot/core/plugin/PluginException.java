package org.entrepot.core.plugin;

/** Plugins that cannot be used; the message names each with its reason, for operators. */
public final class PluginException extends Exception {
    private static final long serialVersionUID = 1;

    PluginException(String message) {
        super(message);
    }
}
