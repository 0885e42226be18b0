package org.entrepot.core.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.netty.buffer.ByteBuf;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.entrepot.core.admin.StatusReport;
import org.entrepot.core.config.ConfigurationLoader;
import org.entrepot.core.config.ConfigurationSources;
import org.entrepot.core.config.CoreKeys;
import org.entrepot.core.storage.KeepingStorage;
import org.entrepot.core.storage.PlainMessages;
import org.entrepot.spi.BrokerIdentity;
import org.entrepot.spi.BrokerPlugin;
import org.entrepot.spi.message.Annotations;
import org.entrepot.spi.message.Envelope;
import org.entrepot.spi.message.RoutingKey;
import org.entrepot.spi.storage.Log;
import org.entrepot.spi.storage.LogListener;
import org.entrepot.spi.storage.LogReplay;
import org.entrepot.spi.storage.StorageEngine;
import org.entrepot.spi.topology.DefinedArguments;
import org.entrepot.spi.topology.ExchangeSpec;
import org.entrepot.spi.topology.QueueSpec;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A broker and its storage engine: when it is started and closed, and what becomes of what it says. */
@Timeout(60)
class BrokerStorageTest {
    @TempDir
    private Path directory;

    @Test
    void theEngineIsStartedFirstAndClosedWhenNothingUsesIt() throws Exception {
        KeepingStorage storage = KeepingStorage.prompt();
        Broker broker = start(storage);
        broker.stop();

        assertThat(storage.history).containsExactly("started", "opened 0", "closed 0", "stopped");
    }

    @Test
    void whatWasDeclaredAndStoredIsThereAfterARestart() throws Exception {
        KeepingStorage storage = KeepingStorage.prompt();
        Broker first = start(storage, "definitions.file=" + definitions());
        assertThat(queues(first)).containsExactly("kept 0");
        first.stop();
        KeepingStorage second = storage.restarted();
        long id = second.stored()[second.stored().length - 1];
        assertThat(id).as("nobody has used the queue").isZero();

        Broker again = start(second);
        assertThat(queues(again)).containsExactly("kept 0");
        again.stop();
    }

    @Test
    void whatNoQueueOwnsIsForgotten() throws Exception {
        KeepingStorage storage = KeepingStorage.prompt();
        start(storage).stop();
        KeepingStorage second = storage.restarted();
        keepOneMessage(second, 4_711);
        KeepingStorage third = second.restarted();
        start(third).stop();

        assertThat(third.stored()).containsExactly(0);
    }

    @Test
    void aBrokerWhoseTopologyIsLostDoesNotStartAndForgetsNothing() throws Exception {
        KeepingStorage storage = KeepingStorage.prompt();
        keepOneMessage(storage, 4_711);
        KeepingStorage second = storage.restarted();

        StartException refusal = catchThrowableOfType(StartException.class, () -> start(second));
        assertThat(refusal).hasMessageContaining("messages of 1 queues");
        assertThat(refusal.exitCode()).isEqualTo(ExitCode.DATA);
        assertThat(second.stored()).contains(4_711);
    }

    @Test
    void whatTheEngineSaysIsAnAlarm() throws Exception {
        KeepingStorage storage = KeepingStorage.prompt();
        Broker broker = start(storage);
        storage.listener().full("no room for a segment");
        assertThat(alarms(broker)).containsExactly("storage: no room for a segment");
        storage.listener().hasRoom();
        assertThat(alarms(broker)).isEmpty();
        storage.listener().alarm("segment 7 is damaged");
        storage.listener().failed("a sync has failed");
        assertThat(alarms(broker))
                .containsExactly("storage: has failed: a sync has failed", "storage: segment 7 is damaged");
        broker.stop();
    }

    @Test
    void anEngineThatCannotUseItsStoreKeepsTheBrokerFromStarting() {
        KeepingStorage storage = KeepingStorage.prompt();
        storage.refuseToStart("the store is of a later version");

        StartException refusal = catchThrowableOfType(StartException.class, () -> start(storage));
        assertThat(refusal).hasMessage("the store is of a later version");
        assertThat(refusal.exitCode()).isEqualTo(ExitCode.DATA);
    }

    @Test
    void aTopologyThatCannotBeReadKeepsTheBrokerFromStarting() throws Exception {
        KeepingStorage storage = KeepingStorage.prompt();
        start(storage).stop();
        storage.unreadable(0);
        KeepingStorage second = storage.restarted();

        StartException refusal = catchThrowableOfType(StartException.class, () -> start(second));
        assertThat(refusal).hasMessageContaining("topology").hasMessageContaining("unreadable");
        assertThat(refusal.exitCode()).isEqualTo(ExitCode.DATA);
        assertThat(second.history).last().isEqualTo("stopped");
    }

    @Test
    void nothingIsForgottenWhereSomethingIsDamaged() throws Exception {
        KeepingStorage storage = KeepingStorage.prompt();
        start(storage).stop();
        KeepingStorage second = storage.restarted();
        keepOneMessage(second, 4_711);
        KeepingStorage third = second.restarted();
        third.findDamage("segment 7 is damaged");
        Broker broker = start(third);

        assertThat(alarms(broker)).containsExactly("storage: segment 7 is damaged");
        broker.stop();
        assertThat(third.stored()).contains(4_711);
    }

    @Test
    void damageIsToldOnceHoweverOftenItIsMet() throws Exception {
        KeepingStorage storage = KeepingStorage.prompt();
        Broker broker = start(storage);
        storage.listener().alarm("segment 7 is damaged");
        storage.listener().alarm("segment 7 is damaged");
        storage.listener().alarm("segment 8 is damaged");

        assertThat(alarms(broker)).containsExactly("storage: segment 7 is damaged", "storage: segment 8 is damaged");
        broker.stop();
    }

    /** An empty topology must not take the place of one that is damaged, even where there is no message. */
    @Test
    void aBrokerWhoseTopologyIsDamagedDoesNotStartEmpty() {
        KeepingStorage storage = KeepingStorage.prompt();
        storage.findDamage("segment 7 is damaged");

        StartException refusal = catchThrowableOfType(StartException.class, () -> start(storage));
        assertThat(refusal).hasMessageContaining("segment 7 is damaged").hasMessageContaining("lost");
        assertThat(refusal.exitCode()).isEqualTo(ExitCode.DATA);
    }

    private static void keepOneMessage(KeepingStorage storage, long id) {
        Log log = storage.open(id, true, new Deaf(), Runnable::run);
        log.replay(new Deaf());
        log.append(0, 1, PlainMessages.of("m"), Envelope.of("", RoutingKey.of("k"), true), Annotations.NONE, true);
        log.close();
    }

    private static List<String> queues(Broker broker) {
        return broker.status().queues().stream()
                .map(queue -> queue.name() + " " + queue.ready())
                .toList();
    }

    private static List<String> alarms(Broker broker) {
        List<String> alarms = new ArrayList<>();
        for (StatusReport.Alarm alarm : broker.status().alarms()) {
            alarms.add(alarm.name() + ": " + alarm.reason());
        }
        return alarms;
    }

    private String definitions() throws Exception {
        Path file = directory.resolve("definitions.json");
        Files.writeString(file, """
                {"vhosts": [{"name": "/"}],
                 "queues": [
                   {"name": "kept", "vhost": "/", "durable": true, "auto_delete": false, "arguments": {}}]}
                """);
        return file.toString();
    }

    private Broker start(KeepingStorage storage, String... settings) throws Exception {
        List<String> all = new ArrayList<>(List.of("storage.engine=keeping", "loops=2", "shutdown.grace=1 s"));
        all.addAll(List.of(settings));
        return Broker.start(new BrokerSetup(
                new BrokerIdentity("Entrepot", "0", "test", "entrepot"),
                new ConfigurationLoader(ConfigurationSources.none(directory).withOverrides(all, directory))
                        .load(CoreKeys.groups()),
                List.of(new BrokerSetup.Part("keeping", new Plugin(storage))),
                directory,
                Clock.systemUTC()));
    }

    /** Brings the engine, and reads definitions of plain queues. */
    private record Plugin(KeepingStorage storage) implements BrokerPlugin, DefinedArguments {
        @Override
        public Optional<StorageEngine> storageEngine() {
            return Optional.of(storage);
        }

        @Override
        public Optional<DefinedArguments> definedArguments() {
            return Optional.of(this);
        }

        @Override
        public QueueSpec queue(
                String virtualHost,
                Optional<String> defaultType,
                String name,
                boolean durable,
                boolean autoDelete,
                boolean exclusive,
                Map<String, Object> arguments) {
            return QueueSpec.plain(name, durable, exclusive, autoDelete);
        }

        @Override
        public ExchangeSpec exchange(
                String virtualHost,
                String name,
                String type,
                boolean durable,
                boolean autoDelete,
                boolean internal,
                Map<String, Object> arguments) {
            return ExchangeSpec.plain(name, type, durable);
        }
    }

    /** Hears of a log and does nothing about it. */
    private static final class Deaf implements LogListener, LogReplay {
        @Override
        public void durable(long index) {}

        @Override
        public void loaded(long from, long to) {}

        @Override
        public void lost(long from, long to) {}

        @Override
        public void checkpointWanted() {}

        @Override
        public void checkpoint(ByteBuf state) {}

        @Override
        public void entry(long position, long stamp, Envelope envelope, int bytes) {}

        @Override
        public void released(long from, long to) {}

        @Override
        public void fact(ByteBuf fact) {}

        @Override
        public void ended(long position) {}

        @Override
        public void failed(String reason) {}
    }
}
