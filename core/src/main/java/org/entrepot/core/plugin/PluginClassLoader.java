package org.entrepot.core.plugin;

import java.net.URL;
import java.net.URLClassLoader;
import java.util.List;
import java.util.function.Supplier;

/**
 * A plugin's view of the world: the JDK, the SPI and the libraries it shares with the broker, the plugin's own jars, and
 * those of plugins it depends on, in this order. Of the broker itself it sees nothing. Used by any thread.
 *
 * <p>Resources are the JDK's and the plugin's own only, so that a search for services finds what this plugin declares
 * and not what lies on the broker's class path.
 */
final class PluginClassLoader extends URLClassLoader {
    static {
        registerAsParallelCapable();
    }

    private final ClassLoader host;
    private final Supplier<List<ClassLoader>> dependencies;

    /**
     * A loader for one plugin.
     *
     * @param name occurs in stack traces
     * @param jars the plugin's own jars and folders of classes
     * @param host has the SPI and the shared libraries
     * @param dependencies the loaders of plugins this one depends on, as far as they are loaded by then
     */
    PluginClassLoader(String name, URL[] jars, ClassLoader host, Supplier<List<ClassLoader>> dependencies) {
        super(name, jars, ClassLoader.getPlatformClassLoader());
        this.host = host;
        this.dependencies = dependencies;
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        if (HostClasses.isSpi(name)) {
            return host.loadClass(name);
        }
        if (HostClasses.isShared(name)) {
            try {
                return host.loadClass(name);
            } catch (ClassNotFoundException notInTheHost) {
                return ownOrFromDependency(name, resolve);
            }
        }
        return ownOrFromDependency(name, resolve);
    }

    private Class<?> ownOrFromDependency(String name, boolean resolve) throws ClassNotFoundException {
        try {
            return super.loadClass(name, resolve);
        } catch (ClassNotFoundException notHere) {
            for (ClassLoader dependency : dependencies.get()) {
                try {
                    return dependency.loadClass(name);
                } catch (ClassNotFoundException notThere) {
                    // The next one may have it; when none has, the plugin's own failure is told.
                }
            }
            throw notHere;
        }
    }
}
