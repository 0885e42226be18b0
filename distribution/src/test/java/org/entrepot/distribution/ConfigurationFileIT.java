package org.entrepot.distribution;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.entrepot.core.config.ConfigurationTemplate;
import org.entrepot.core.config.CoreKeys;
import org.entrepot.core.config.KeyGroup;
import org.entrepot.core.plugin.LoadedPlugin;
import org.entrepot.core.plugin.Plugins;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ConfigurationFileIT {
    @TempDir
    Path directory;

    @Test
    void theShippedFileListsEveryKeyOfTheCoreAndOfTheShippedPlugins() throws Exception {
        List<KeyGroup> groups = new ArrayList<>(CoreKeys.groups());
        try (Plugins plugins =
                Plugins.open(ProductProcess.home().resolve("plugins"), directory.resolve("unpacked"), Set.of())) {
            plugins.requireSound();
            for (LoadedPlugin loaded : plugins.loaded()) {
                groups.add(KeyGroup.plugin(
                        loaded.info().id(), true, loaded.plugin().configuration()));
            }
        }
        Path right = ProductProcess.home().resolveSibling("entrepot.conf");
        Files.writeString(right, ConfigurationTemplate.render(groups));

        String shipped = Files.readString(ProductProcess.home().resolve("conf/entrepot.conf"));

        assertThat(ConfigurationTemplate.firstDifference(shipped, groups))
                .as("conf/entrepot.conf; %s is what src/main/conf/entrepot.conf ought to be", right)
                .isEmpty();
    }
}
