package org.entrepot.core.plugin;

import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.pf4j.AbstractPluginManager;
import org.pf4j.DefaultExtensionFactory;
import org.pf4j.DefaultPluginFactory;
import org.pf4j.DefaultVersionManager;
import org.pf4j.ExtensionFactory;
import org.pf4j.ExtensionFinder;
import org.pf4j.ManifestPluginDescriptorFinder;
import org.pf4j.PluginDependency;
import org.pf4j.PluginDescriptor;
import org.pf4j.PluginDescriptorFinder;
import org.pf4j.PluginFactory;
import org.pf4j.PluginLoader;
import org.pf4j.PluginRepository;
import org.pf4j.PluginRuntimeException;
import org.pf4j.PluginStatusProvider;
import org.pf4j.PluginWrapper;
import org.pf4j.PropertiesPluginDescriptorFinder;
import org.pf4j.RuntimeMode;
import org.pf4j.ServiceProviderExtensionFinder;
import org.pf4j.VersionManager;

/**
 * PF4J as far as we use it: descriptors, versions, dependencies and their order, class loaders of plugins. Used by the
 * thread that starts the broker.
 *
 * <p>What it would do on its own account is taken from it. It unpacks nothing and reads no list of disabled plugins;
 * failures come to the caller instead of the log; plugins are found as services and never see a type of PF4J's.
 */
final class Pf4j extends AbstractPluginManager {
    private static final String DESCRIPTOR = "plugin.properties";
    private static final List<String> MANIFESTS = List.of("META-INF/MANIFEST.MF", "classes/META-INF/MANIFEST.MF");

    private final ClassLoader host;

    /**
     * PF4J for one broker.
     *
     * @param folder where plugins are; PF4J wants to know, and does not look
     * @param spiVersion what plugins' requirements are measured by; PF4J would let all pass at its default of 0.0.0
     * @param host the loader of the classes that plugins share with the broker
     */
    Pf4j(Path folder, String spiVersion, ClassLoader host) {
        super(folder);
        this.host = host;
        setSystemVersion(spiVersion);
    }

    /** What a plugin in a folder says of itself. */
    PluginDescriptor describe(Path folder) {
        return getPluginDescriptorFinder().find(folder);
    }

    /** Loads a plugin, without looking at its dependencies yet. */
    void load(Path folder) {
        loadPluginFromPath(folder);
    }

    /** Puts the plugins loaded into an order in which each comes after those it depends on. */
    List<PluginWrapper> inOrder() {
        resolvePlugins();
        return List.copyOf(getResolvedPlugins());
    }

    /** Closes the jars of all plugins; classes loaded so far stay usable. */
    void closeLoaders() throws IOException {
        for (ClassLoader loader : getPluginClassLoaders().values()) {
            ((PluginClassLoader) loader).close();
        }
    }

    @Override
    protected PluginDescriptorFinder createPluginDescriptorFinder() {
        return new Descriptors();
    }

    @Override
    protected PluginLoader createPluginLoader() {
        return new PluginLoader() {
            @Override
            public boolean isApplicable(Path pluginPath) {
                return Files.isDirectory(pluginPath);
            }

            @Override
            public ClassLoader loadPlugin(Path pluginPath, PluginDescriptor descriptor) {
                return new PluginClassLoader(
                        "plugin-" + descriptor.getPluginId(),
                        classPath(pluginPath),
                        host,
                        () -> loadersOf(descriptor.getDependencies()));
            }
        };
    }

    private List<ClassLoader> loadersOf(List<PluginDependency> dependencies) {
        List<ClassLoader> loaders = new ArrayList<>(dependencies.size());
        for (PluginDependency dependency : dependencies) {
            ClassLoader loader = getPluginClassLoaders().get(dependency.getPluginId());
            if (loader != null) {
                loaders.add(loader);
            }
        }
        return loaders;
    }

    /** {@code classes/} and every jar in {@code lib/}, by name, whatever the file system's order. */
    private static URL[] classPath(Path folder) {
        List<Path> found = new ArrayList<>();
        Path classes = folder.resolve("classes");
        if (Files.isDirectory(classes)) {
            found.add(classes);
        }
        Path lib = folder.resolve("lib");
        if (Files.isDirectory(lib)) {
            try (Stream<Path> files = Files.list(lib)) {
                files.filter(file -> file.toString().endsWith(".jar")).sorted().forEach(found::add);
            } catch (IOException e) {
                throw new PluginRuntimeException(e, "its lib folder cannot be read");
            }
        }
        URL[] urls = new URL[found.size()];
        for (int i = 0; i < urls.length; i++) {
            try {
                urls[i] = found.get(i).toUri().toURL();
            } catch (MalformedURLException e) {
                throw new IllegalStateException("paths have URLs", e);
            }
        }
        return urls;
    }

    /** Reads {@code plugin.properties}, or else a manifest that has {@code Plugin-Id}. */
    private static final class Descriptors implements PluginDescriptorFinder {
        @Override
        public boolean isApplicable(Path pluginPath) {
            return Files.isDirectory(pluginPath);
        }

        @Override
        public PluginDescriptor find(Path pluginPath) {
            if (Files.exists(pluginPath.resolve(DESCRIPTOR))) {
                return new PropertiesPluginDescriptorFinder(DESCRIPTOR).find(pluginPath);
            }
            for (String manifest : MANIFESTS) {
                if (Files.exists(pluginPath.resolve(manifest))) {
                    return new ManifestPluginDescriptorFinder().find(pluginPath);
                }
            }
            throw new PluginRuntimeException("it has no plugin.properties at its root");
        }
    }

    @Override
    public RuntimeMode getRuntimeMode() {
        return RuntimeMode.DEPLOYMENT;
    }

    @Override
    protected VersionManager createVersionManager() {
        return new DefaultVersionManager();
    }

    /** The caller names the folders to load. */
    @Override
    protected PluginRepository createPluginRepository() {
        return new PluginRepository() {
            @Override
            public List<Path> getPluginPaths() {
                return List.of();
            }

            @Override
            public boolean deletePluginPath(Path pluginPath) {
                return false;
            }
        };
    }

    /** The caller leaves disabled plugins out. */
    @Override
    protected PluginStatusProvider createPluginStatusProvider() {
        return new PluginStatusProvider() {
            @Override
            public boolean isPluginDisabled(String pluginId) {
                return false;
            }

            @Override
            public void disablePlugin(String pluginId) {
                throw new UnsupportedOperationException("plugins are disabled by configuration");
            }

            @Override
            public void enablePlugin(String pluginId) {
                throw new UnsupportedOperationException("plugins are enabled by configuration");
            }
        };
    }

    /** Never asked: plugins are not PF4J's kind of plugin but a service of ours. */
    @Override
    protected PluginFactory createPluginFactory() {
        return new DefaultPluginFactory();
    }

    @Override
    protected ExtensionFactory createExtensionFactory() {
        return new DefaultExtensionFactory();
    }

    @Override
    protected ExtensionFinder createExtensionFinder() {
        return new ServiceProviderExtensionFinder(this);
    }
}
