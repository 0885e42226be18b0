package org.entrepot.core.boot;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.entrepot.core.admin.ControlAnswer;
import org.entrepot.core.admin.ControlClient;
import org.entrepot.core.admin.ControlRequest;
import org.entrepot.core.admin.PluginList;
import org.entrepot.core.config.Configuration;
import org.entrepot.core.config.ConfigurationException;
import org.entrepot.core.config.CoreKeys;
import org.entrepot.core.plugin.PluginException;
import org.entrepot.core.plugin.Plugins;
import org.entrepot.spi.storage.StorageException;
import org.entrepot.spi.storage.StoreInUseException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The commands of {@code bin/entrepot}, by picocli. Used by the process's main thread. */
final class Commands {
    /** What a broker may take to stop beyond what its clients are granted. */
    private static final Duration STOP_MARGIN = Duration.ofSeconds(30);

    private static final String NO_BROKER = "entrepot: no broker is running with the data directory ";

    private Commands() {}

    /** Runs a command and gives what the process is to end with. */
    static int run(String[] arguments) {
        CommandLine line = new CommandLine(new Root());
        describe(line);
        line.setExecutionExceptionHandler((fault, command, parsed) -> {
            if (fault instanceof ConfigurationException || fault instanceof PluginException) {
                command.getErr().println("entrepot: " + fault.getMessage());
                return ExitCode.USAGE;
            }
            if (fault instanceof StorageException) {
                command.getErr().println("entrepot: " + fault.getMessage());
                return fault instanceof StoreInUseException ? ExitCode.UNAVAILABLE : ExitCode.DATA;
            }
            if (fault instanceof IOException) {
                command.getErr().println("entrepot: " + fault.getClass().getSimpleName() + ": " + fault.getMessage());
                return ExitCode.UNAVAILABLE;
            }
            command.getErr().println("entrepot: a fault of the broker's own; please report it with what follows");
            fault.printStackTrace(command.getErr());
            return ExitCode.INTERNAL;
        });
        return line.execute(arguments);
    }

    /** Gives a command and those below it what all have. */
    private static void describe(CommandLine line) {
        line.getCommandSpec()
                .mixinStandardHelpOptions(true)
                .exitCodeOnInvalidInput(ExitCode.USAGE)
                .version(Version.text());
        line.getSubcommands().values().forEach(Commands::describe);
    }

    /** A command that is only the first word of others. */
    abstract static class Group implements Callable<Integer> {
        @Spec
        private @Nullable CommandSpec spec;

        @Override
        public Integer call() {
            CommandLine line = Objects.requireNonNull(spec).commandLine();
            line.usage(line.getErr());
            return ExitCode.USAGE;
        }
    }

    @Command(
            name = "entrepot",
            description = "Starts and looks after an Entrepot message broker.",
            synopsisSubcommandLabel = "COMMAND",
            subcommands = {
                Start.class,
                Stop.class,
                Status.class,
                PluginsCommand.class,
                StoreCommands.class,
                Version.class,
                CommandLine.HelpCommand.class
            })
    static final class Root extends Group {}

    /** Says which broker is meant. */
    static final class Target {
        @Option(
                names = "--conf",
                paramLabel = "FILE",
                description = "The configuration file, instead of conf/entrepot.conf.")
        private @Nullable Path conf;

        @Option(names = "--data", paramLabel = "DIR", description = "The data directory; sets data.directory.")
        private @Nullable Path data;

        @Option(
                names = "--set",
                paramLabel = "KEY=VALUE",
                description = "Sets a key of the configuration; may be given several times.")
        private List<String> sets = new ArrayList<>();

        StartOptions options() {
            return StartOptions.of(Optional.ofNullable(conf), Optional.ofNullable(data), sets);
        }

        Configuration preview() throws ConfigurationException {
            return Installation.ofThisProcess()
                    .configuration(options(), System.getenv())
                    .preview(CoreKeys.groups());
        }
    }

    /** A command with options that say which broker is meant, and a place to print to. */
    abstract static class BrokerCommand implements Callable<Integer> {
        @Mixin
        final Target target = new Target();

        @Spec
        private @Nullable CommandSpec spec;

        final PrintWriter out() {
            return Objects.requireNonNull(spec).commandLine().getOut();
        }

        final PrintWriter err() {
            return Objects.requireNonNull(spec).commandLine().getErr();
        }

        /** Prints what the broker answers and gives what to end with. */
        final int print(ControlAnswer answer) {
            PrintWriter to = answer.exitCode() == ExitCode.OK ? out() : err();
            to.print(answer.text());
            to.flush();
            return answer.exitCode();
        }
    }

    @Command(
            name = "start",
            description = "Starts a broker in the foreground; it logs to standard output and ends on SIGTERM.")
    static final class Start extends BrokerCommand {
        @Override
        public Integer call() throws InterruptedException {
            Main.serve(target.options());
            return ExitCode.OK;
        }
    }

    @Command(name = "stop", description = "Stops the running broker in good order and waits until it has ended.")
    static final class Stop extends BrokerCommand {
        @Override
        public Integer call() throws ConfigurationException, IOException, InterruptedException, ExecutionException {
            Configuration preview = target.preview();
            Path data = Installation.dataDirectory(preview);
            Optional<ControlAnswer> answer = ControlClient.ask(data, new ControlRequest("stop", List.of()));
            if (answer.isEmpty()) {
                err().println(NO_BROKER + data);
                return ExitCode.UNAVAILABLE;
            }
            if (answer.get().exitCode() != ExitCode.OK) {
                return print(answer.get());
            }
            return await(
                    answer.get().processId(),
                    preview.duration(CoreKeys.SHUTDOWN_GRACE).plus(STOP_MARGIN));
        }

        private int await(long process, Duration patience) throws InterruptedException, ExecutionException {
            Optional<ProcessHandle> broker = ProcessHandle.of(process);
            if (broker.isPresent()) {
                try {
                    broker.get().onExit().get(patience.toMillis(), TimeUnit.MILLISECONDS);
                } catch (TimeoutException e) {
                    err().println("entrepot: the broker, process " + process + ", has not ended within "
                            + patience.toSeconds() + " s");
                    return ExitCode.UNAVAILABLE;
                }
            }
            return ExitCode.OK;
        }
    }

    @Command(
            name = "status",
            description = "Shows the running broker's listeners, connections, queues, alarms and memory.")
    static final class Status extends BrokerCommand {
        @Option(names = "--json", description = "Prints one JSON object.")
        private boolean json;

        @Override
        public Integer call() throws ConfigurationException, IOException {
            Path data = Installation.dataDirectory(target.preview());
            Optional<ControlAnswer> answer =
                    ControlClient.ask(data, new ControlRequest("status", json ? List.of("--json") : List.of()));
            if (answer.isEmpty()) {
                err().println(NO_BROKER + data);
                return ExitCode.UNAVAILABLE;
            }
            return print(answer.get());
        }
    }

    @Command(
            name = "plugins",
            description = "Looks after plugins.",
            synopsisSubcommandLabel = "COMMAND",
            subcommands = PluginsListCommand.class)
    static final class PluginsCommand extends Group {}

    @Command(
            name = "list",
            description = "Lists what is in the plugins folder: as the running broker has it, or as one would find it.")
    static final class PluginsListCommand extends BrokerCommand {
        @Option(names = "--json", description = "Prints a JSON array.")
        private boolean json;

        @Override
        public Integer call() throws ConfigurationException, IOException {
            Configuration preview = target.preview();
            Optional<ControlAnswer> answer = ControlClient.ask(
                    Installation.dataDirectory(preview),
                    new ControlRequest("plugins", json ? List.of("--json") : List.of()));
            if (answer.isPresent()) {
                return print(answer.get());
            }
            // Nothing is left behind by looking: a stopped broker's data directory may not even be ours to write.
            Path unpacked = Files.createTempDirectory("entrepot-plugins-");
            try (Plugins plugins = Installation.plugins(preview, unpacked)) {
                out().print(PluginList.of(plugins.infos(), json));
                out().flush();
                return ExitCode.OK;
            } finally {
                Plugins.delete(unpacked);
            }
        }
    }

    @Command(name = "version", description = "Shows the product's version, and Java's.")
    static final class Version implements Callable<Integer> {
        @Spec
        private @Nullable CommandSpec spec;

        @Override
        public Integer call() {
            Objects.requireNonNull(spec).commandLine().getOut().println(text());
            return ExitCode.OK;
        }

        static String text() {
            return Installation.PRODUCT + " " + Installation.version() + " on Java "
                    + System.getProperty("java.version");
        }
    }
}
