package org.entrepot.core.plugin;

import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.regex.Pattern;
import org.entrepot.core.plugin.PluginInfo.State;
import org.jspecify.annotations.Nullable;
import org.pf4j.PluginDependency;
import org.pf4j.PluginDescriptor;

/**
 * Something found in {@code plugins/} on its way to being loaded or refused. Used by the thread that starts the broker.
 */
final class Candidate {
    /** An id begins configuration keys and names a directory. */
    private static final Pattern ID = Pattern.compile("[a-z][a-z0-9]{0,30}(-[a-z0-9]{1,30}){0,3}");

    private static final Pattern VERSION = Pattern.compile("\\d+\\.\\d+\\.\\d+(-[0-9A-Za-z.-]+)?(\\+[0-9A-Za-z.-]+)?");

    /** What PF4J gives where a descriptor requires nothing. */
    private static final String REQUIRES_ANYTHING = "*";

    private final String file;
    private @Nullable Path folder;
    private @Nullable PluginDescriptor descriptor;
    private @Nullable State state;
    private String reason = "";

    Candidate(String file) {
        this.file = file;
    }

    /** Takes what the plugin says of itself; fails where that makes no sense. */
    void describe(Path folder, PluginDescriptor descriptor) {
        String id = Objects.requireNonNullElse(descriptor.getPluginId(), "");
        String version = Objects.requireNonNullElse(descriptor.getVersion(), "");
        if (!ID.matcher(id).matches()) {
            fail("plugin.id '" + id + "' is not made of lower-case letters, digits and hyphens");
        } else if (!VERSION.matcher(version).matches()) {
            fail("plugin.version '" + version + "' is not a version such as 1.2.3");
        } else {
            this.folder = folder;
            this.descriptor = descriptor;
        }
    }

    void fail(String reason) {
        this.state = State.FAILED;
        this.reason = reason;
    }

    void disable() {
        state = State.DISABLED;
    }

    void loaded() {
        state = State.LOADED;
    }

    boolean failed() {
        return state == State.FAILED;
    }

    /** Whether nothing speaks against loading it so far. */
    boolean undecided() {
        return state == null;
    }

    /** Its id; the file's name where it has no valid one. */
    String id() {
        return descriptor == null ? file : descriptor.getPluginId();
    }

    String version() {
        return descriptor == null ? "" : descriptor.getVersion();
    }

    /** The versions of the SPI it says it works with; empty where it does not say. */
    String requires() {
        String requires = descriptor == null ? "" : Objects.requireNonNullElse(descriptor.getRequires(), "");
        return requires.equals(REQUIRES_ANYTHING) ? "" : requires.trim();
    }

    List<PluginDependency> dependencies() {
        return descriptor == null ? List.of() : descriptor.getDependencies();
    }

    Path folder() {
        return Objects.requireNonNull(folder, "only plugins that were described have a folder");
    }

    PluginInfo info() {
        String provider = descriptor == null ? "" : Objects.requireNonNullElse(descriptor.getProvider(), "");
        return new PluginInfo(
                id(), version(), requires(), provider, file, Objects.requireNonNull(state, "undecided"), reason);
    }
}
