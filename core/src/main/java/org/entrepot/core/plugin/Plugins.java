package org.entrepot.core.plugin;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.regex.Pattern;
import org.entrepot.core.plugin.PluginFolder.Broken;
import org.entrepot.core.plugin.PluginFolder.Found;
import org.entrepot.core.plugin.PluginFolder.Ready;
import org.entrepot.core.plugin.PluginInfo.State;
import org.entrepot.spi.BrokerPlugin;
import org.pf4j.PluginDependency;
import org.pf4j.PluginWrapper;
import org.pf4j.VersionManager;

/**
 * The plugins of one broker: everything found in {@code plugins/}, and what became of it. Opened, read and closed by the
 * thread that starts and stops the broker.
 *
 * <p>Opening never fails because of a plugin: each failure is told by {@link #infos}, and {@link #requireSound} makes
 * one refusal of them all.
 */
public final class Plugins implements AutoCloseable {
    private static final Pattern BARE_VERSION = Pattern.compile("\\d+\\.\\d+\\.\\d+");

    private final PluginFolder folder;
    private final List<Found> found;
    private final Pf4j pf4j;
    private final String spiVersion;
    private final Set<String> disabled;
    private final List<Candidate> candidates = new ArrayList<>();
    private final List<LoadedPlugin> loaded = new ArrayList<>();

    private Plugins(PluginFolder folder, List<Found> found, Pf4j pf4j, String spiVersion, Set<String> disabled) {
        this.folder = folder;
        this.found = found;
        this.pf4j = pf4j;
        this.spiVersion = spiVersion;
        this.disabled = Set.copyOf(disabled);
    }

    /**
     * Looks at everything in a folder and loads what can be loaded.
     *
     * @param folder the folder {@code plugins/}
     * @param unpacked where its zips lie unpacked; made when needed
     * @param disabled ids of plugins to leave alone
     * @throws IOException when the folder itself cannot be read
     */
    public static Plugins open(Path folder, Path unpacked, Set<String> disabled) throws IOException {
        return open(folder, unpacked, disabled, SpiVersion.aboard());
    }

    static Plugins open(Path folder, Path unpacked, Set<String> disabled, String spiVersion) throws IOException {
        PluginFolder pluginFolder = new PluginFolder(folder, unpacked);
        Pf4j pf4j = new Pf4j(folder, spiVersion, BrokerPlugin.class.getClassLoader());
        Plugins plugins = new Plugins(pluginFolder, pluginFolder.find(), pf4j, spiVersion, disabled);
        plugins.describe();
        plugins.check();
        plugins.load();
        return plugins;
    }

    /** Everything found, by file name. */
    public List<PluginInfo> infos() {
        return candidates.stream().map(Candidate::info).toList();
    }

    /** The plugins that are loaded, each after those it depends on. */
    public List<LoadedPlugin> loaded() {
        return List.copyOf(loaded);
    }

    /** Refuses plugins of which any failed: the message has a line for each. */
    public void requireSound() throws PluginException {
        List<String> lines = new ArrayList<>();
        for (PluginInfo info : infos()) {
            if (info.state() == State.FAILED) {
                String name = info.id().equals(info.file()) ? info.file() : info.id() + " (" + info.file() + ")";
                lines.add("plugin " + name + ": " + info.reason());
            }
        }
        if (!lines.isEmpty()) {
            throw new PluginException(String.join("\n", lines));
        }
    }

    /**
     * Removes what lies unpacked from zips that are no longer in the folder. Only for the broker that owns the data
     * directory.
     */
    public void removeLeftovers() throws IOException {
        folder.removeLeftovers(found);
    }

    /** Deletes a folder that zips were unpacked into. */
    public static void delete(Path unpacked) throws IOException {
        PluginFolder.delete(unpacked);
    }

    /** Lets go of the plugins' jars. Plugins must be stopped by then. */
    @Override
    public void close() throws IOException {
        pf4j.closeLoaders();
    }

    private void describe() {
        Map<String, String> fileById = new LinkedHashMap<>();
        for (Found one : found) {
            Candidate candidate = new Candidate(one.file());
            candidates.add(candidate);
            if (one instanceof Broken broken) {
                candidate.fail(broken.reason());
            } else if (one instanceof Ready ready) {
                try {
                    candidate.describe(ready.folder(), pf4j.describe(ready.folder()));
                } catch (RuntimeException e) {
                    candidate.fail(Reason.of(e));
                }
            }
            String id = candidate.id();
            String other = candidate.failed() ? null : fileById.putIfAbsent(id, one.file());
            if (other != null) {
                candidate.fail("its id '" + id + "' is also that of " + other + "; keep one of them");
            }
        }
    }

    private void check() {
        for (Candidate candidate : candidates) {
            if (!candidate.failed()) {
                if (disabled.contains(candidate.id())) {
                    candidate.disable();
                } else {
                    checkRequires(candidate);
                }
            }
        }
        Map<String, Candidate> byId = new LinkedHashMap<>();
        for (Candidate candidate : candidates) {
            byId.putIfAbsent(candidate.id(), candidate);
        }
        // A plugin that fails takes those that depend on it along, and so on.
        boolean changed = true;
        while (changed) {
            changed = false;
            for (Candidate candidate : candidates) {
                changed |= candidate.undecided() && !checkDependencies(candidate, byId);
            }
        }
    }

    private void checkRequires(Candidate candidate) {
        String requires = candidate.requires();
        if (requires.isEmpty()) {
            candidate.fail(
                    "it does not say in plugin.requires which versions of the SPI it works with; this broker has "
                            + spiVersion);
            return;
        }
        try {
            if (!pf4j.getVersionManager().checkVersionConstraint(spiVersion, range(requires))) {
                candidate.fail(
                        "it was built for another SPI: it requires '" + requires + "', this broker has " + spiVersion);
            }
        } catch (RuntimeException e) {
            candidate.fail("plugin.requires '" + requires + "' is not a range of versions such as '>=1.2.0 & <2.0.0'");
        }
    }

    /** A bare version is taken for what its author means by it: that one, or a later one compatible with it. */
    private static String range(String requires) {
        return BARE_VERSION.matcher(requires).matches() ? "^" + requires : requires;
    }

    private boolean checkDependencies(Candidate candidate, Map<String, Candidate> byId) {
        VersionManager versions = pf4j.getVersionManager();
        for (PluginDependency dependency : candidate.dependencies()) {
            String id = dependency.getPluginId();
            Candidate other = byId.get(id);
            if (other == null || !other.undecided()) {
                if (dependency.isOptional()) {
                    continue;
                }
                candidate.fail("it needs the plugin '" + id + "', which "
                        + (other == null ? "is not there" : other.failed() ? "failed" : "is disabled"));
                return false;
            }
            String wanted = dependency.getPluginVersionSupport();
            try {
                if (!versions.checkVersionConstraint(other.version(), range(wanted))) {
                    candidate.fail("it needs the plugin '" + id + "' in version '" + wanted + "', there is "
                            + other.version());
                    return false;
                }
            } catch (RuntimeException e) {
                candidate.fail("'" + wanted + "' in plugin.dependencies is not a range of versions");
                return false;
            }
        }
        return true;
    }

    private void load() {
        Map<String, Candidate> loading = new LinkedHashMap<>();
        for (Candidate candidate : candidates) {
            if (candidate.undecided()) {
                try {
                    pf4j.load(candidate.folder());
                    loading.put(candidate.id(), candidate);
                } catch (RuntimeException e) {
                    candidate.fail(Reason.of(e));
                }
            }
        }
        List<PluginWrapper> ordered;
        try {
            ordered = pf4j.inOrder();
        } catch (RuntimeException e) {
            loading.values().forEach(candidate -> candidate.fail(Reason.of(e)));
            return;
        }
        for (PluginWrapper wrapper : ordered) {
            Candidate candidate = loading.remove(wrapper.getPluginId());
            if (candidate != null) {
                instantiate(candidate, wrapper.getPluginClassLoader());
            }
        }
        loading.values().forEach(candidate -> candidate.fail("PF4J did not load it and does not say why"));
    }

    private void instantiate(Candidate candidate, ClassLoader loader) {
        List<BrokerPlugin> found = new ArrayList<>();
        try {
            for (BrokerPlugin plugin : ServiceLoader.load(BrokerPlugin.class, loader)) {
                found.add(plugin);
            }
        } catch (ServiceConfigurationError | LinkageError | RuntimeException e) {
            candidate.fail(Reason.of(e));
            return;
        }
        if (found.size() != 1) {
            candidate.fail("META-INF/services/" + BrokerPlugin.class.getName() + " names "
                    + (found.isEmpty() ? "no class" : found.size() + " classes") + "; it must name one");
            return;
        }
        candidate.loaded();
        loaded.add(new LoadedPlugin(candidate.info(), found.get(0)));
    }
}
