package org.entrepot.core.plugin;

import org.entrepot.spi.BrokerPlugin;

/** A plugin that is loaded, not yet started. Immutable; {@code plugin} is the broker's only instance of it. */
public record LoadedPlugin(PluginInfo info, BrokerPlugin plugin) {}
