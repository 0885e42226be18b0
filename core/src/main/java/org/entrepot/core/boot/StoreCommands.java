package org.entrepot.core.boot;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.entrepot.core.admin.StoreText;
import org.entrepot.core.config.Configuration;
import org.entrepot.core.config.ConfigurationException;
import org.entrepot.core.plugin.LoadedPlugin;
import org.entrepot.core.plugin.PluginException;
import org.entrepot.core.plugin.Plugins;
import org.entrepot.core.topology.StoredQueueNames;
import org.entrepot.core.topology.StoredTopologyLog;
import org.entrepot.spi.storage.StorageException;
import org.entrepot.spi.storage.StoreInspector;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * The commands about a store that no broker uses: what is in it is the engine's to say, which queue it belongs to the
 * topology's. Used by the process's main thread.
 */
@Command(
        name = "store",
        description = "Looks into the files of a stopped broker's storage engine, and mends them.",
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {StoreCommands.Verify.class, StoreCommands.Report.class, StoreCommands.Repair.class})
final class StoreCommands extends Commands.Group {
    /** A store, and who knows it. */
    private record Found(Path directory, StoreInspector inspector) {}

    /** A command about the store in a directory. */
    abstract static class StoreCommand extends Commands.BrokerCommand {
        @Parameters(
                paramLabel = "DIR",
                description = "A store's directory, or a data directory with a store in its usual place.")
        private @Nullable Path directory;

        @Override
        public final Integer call() throws ConfigurationException, IOException, PluginException, StorageException {
            Configuration preview = target.preview();
            // As with the list of plugins: nothing is left behind by looking.
            Path unpacked = Files.createTempDirectory("entrepot-plugins-");
            try (Plugins plugins = Installation.plugins(preview, unpacked)) {
                plugins.requireSound();
                return call(plugins);
            } finally {
                Plugins.delete(unpacked);
            }
        }

        private int call(Plugins plugins) throws IOException, StorageException {
            Path named = Objects.requireNonNull(directory).toAbsolutePath().normalize();
            List<String> engines = new ArrayList<>();
            List<Found> stores = new ArrayList<>();
            for (LoadedPlugin loaded : plugins.loaded()) {
                Optional<StoreInspector> inspector = loaded.plugin().storeInspector();
                if (inspector.isPresent()) {
                    engines.add(inspector.get().engine());
                    Path usual = named.resolve("plugins").resolve(loaded.info().id());
                    Stream.of(named, usual)
                            .flatMap(place -> inspector.get().find(place).stream())
                            .findFirst()
                            .ifPresent(store -> stores.add(new Found(store, inspector.get())));
                }
            }
            if (stores.size() != 1) {
                err().println(
                                stores.isEmpty()
                                        ? "entrepot: there is no store in " + named
                                                + " of an engine that can be looked into: "
                                                + (engines.isEmpty() ? "none" : String.join(", ", engines))
                                        : "entrepot: there are several stores in " + named + ", name one of them: "
                                                + stores.stream()
                                                        .map(store -> store.directory()
                                                                .toString())
                                                        .collect(Collectors.joining(", ")));
                return ExitCode.USAGE;
            }
            int code = call(stores.get(0).directory(), stores.get(0).inspector());
            out().flush();
            return code;
        }

        abstract int call(Path store, StoreInspector inspector) throws IOException, StorageException;
    }

    /** A command that only looks, and prints what it has seen. */
    abstract static class Looking extends StoreCommand {
        @Option(names = "--json", description = "Prints one JSON object.")
        private boolean json;

        @Override
        final int call(Path store, StoreInspector inspector) throws IOException, StorageException {
            StoredQueueNames names = new StoredQueueNames();
            StoreText text = new StoreText(
                    store, inspector.engine(), inspector.inspect(store, StoredTopologyLog.ID, names), names);
            out().print(json ? text.json() : lines(text));
            return text.report().isSound() ? ExitCode.OK : ExitCode.DATA;
        }

        abstract String lines(StoreText text);
    }

    @Command(
            name = "verify",
            description =
                    "Reads everything in a store and says what is damaged; changes nothing. Ends with 0 when nothing is,"
                            + " with 65 when something is, with 69 when a broker has the store.")
    static final class Verify extends Looking {
        @Override
        String lines(StoreText text) {
            return text.verdict();
        }
    }

    @Command(
            name = "report",
            description = "Says what is in a store, by file and by queue; changes nothing. Ends like verify.")
    static final class Report extends Looking {
        @Override
        String lines(StoreText text) {
            return text.content();
        }
    }

    @Command(
            name = "repair",
            description =
                    "Makes a damaged store whole: what can be read stays, what is taken out is moved into a folder in the"
                            + " store. Without --yes it only says what it would do, and ends with 65 where there is something to do.")
    static final class Repair extends StoreCommand {
        @Option(names = "--yes", description = "Does it.")
        private boolean yes;

        @Override
        int call(Path store, StoreInspector inspector) throws IOException, StorageException {
            List<String> lines = inspector.repair(store, !yes);
            if (lines.isEmpty()) {
                out().println("nothing is to be mended");
                return ExitCode.OK;
            }
            lines.forEach(out()::println);
            if (!yes) {
                out().println("nothing was done: with --yes it is");
                return ExitCode.DATA;
            }
            return ExitCode.OK;
        }
    }
}
