package org.entrepot.testkit.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.entrepot.spi.message.Annotations;
import org.entrepot.spi.message.Bytes;
import org.entrepot.spi.message.Envelope;
import org.entrepot.spi.message.Message;
import org.entrepot.spi.message.RoutingKey;
import org.entrepot.spi.storage.LogReplay;
import org.entrepot.spi.storage.StorageContext;
import org.entrepot.spi.storage.StorageEngine;
import org.entrepot.spi.storage.StorageException;
import org.entrepot.spi.storage.StorageListener;
import org.entrepot.spi.storage.StoreInUseException;
import org.entrepot.spi.storage.StoreInspector;
import org.entrepot.spi.storage.StoreReport;
import org.entrepot.spi.storage.StoreReport.StoredLog;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * What every {@link StoreInspector} promises of stores that are whole, as tests. Extend it and say how inspector and engine
 * are made. What an engine's damage looks like only its own tests know.
 */
@Timeout(120)
public abstract class StoreInspectorContract {
    private static final Envelope ENVELOPE = Envelope.of("exchange", RoutingKey.of("a.key"), true);

    /** The inspector to be tested. */
    protected abstract StoreInspector inspector();

    /** An engine with its store in a directory, not started. */
    protected abstract StorageEngine open(Path directory);

    private StorageEngine start(Path directory) throws StorageException {
        StorageEngine engine = open(directory);
        engine.start(new StorageContext(Map.of(PlainFormat.INSTANCE.name(), PlainFormat.INSTANCE), new Deaf()));
        return engine;
    }

    private Path store(Path directory) {
        return inspector().find(directory).orElseThrow(() -> new AssertionError("no store is found in " + directory));
    }

    @Test
    public void itIsNamedLikeItsEngine(@TempDir Path directory) {
        assertThat(inspector().engine()).isEqualTo(open(directory).name());
    }

    @Test
    public void thereIsNoStoreWhereNoEngineWas(@TempDir Path directory) throws IOException {
        assertThat(inspector().find(directory)).isEmpty();
        assertThat(inspector().find(directory.resolve("nowhere"))).isEmpty();
        Files.writeString(directory.resolve("something.txt"), "else");
        assertThat(inspector().find(directory)).isEmpty();
    }

    @Test
    public void aStoppedStoreIsReportedAsItIsAndNotChanged(@TempDir Path directory) throws Exception {
        StorageEngine engine = start(directory);
        try (ContractLog log = new ContractLog(engine, 1, true);
                ContractLog other = new ContractLog(engine, 7, true)) {
            for (int i = 10; i < 60; i++) {
                log.append(i, i, message("m" + i), ENVELOPE, Annotations.NONE, true);
            }
            log.release(10, 19);
            log.release(30, 30);
            log.append(Unpooled.wrappedBuffer(new byte[] {1, 2, 3}));
            other.append(5, 5, message("other"), ENVELOPE, Annotations.NONE, true);
        }
        engine.close();
        Map<String, ByteBuffer> before = contents(directory);
        Told told = new Told();

        StoreReport report = inspector().inspect(store(directory), 1, told);

        assertThat(report.isSound()).as(report.findings().toString()).isTrue();
        assertThat(report.identity()).isNotBlank();
        assertThat(report.files()).isNotEmpty();
        assertThat(report.logs()).extracting(StoredLog::id).containsExactly(1L, 7L);
        StoredLog first = report.logs().get(0);
        assertThat(first.entries()).isEqualTo(39);
        assertThat(first.oldest()).isEqualTo(20);
        assertThat(first.newest()).isEqualTo(59);
        assertThat(first.bytes()).isPositive();
        assertThat(told.entries).hasSize(39).startsWith(20L).endsWith(59L).doesNotContain(30L);
        assertThat(told.others).containsExactly("fact 010203", "ended 60");
        assertThat(contents(directory)).isEqualTo(before);
    }

    @Test
    public void nothingIsToldOfALogThatIsNotThere(@TempDir Path directory) throws Exception {
        start(directory).close();
        Told told = new Told();

        StoreReport report = inspector().inspect(store(directory), 4_711, told);

        assertThat(report.logs()).isEmpty();
        assertThat(report.isSound()).isTrue();
        assertThat(told.entries).isEmpty();
    }

    @Test
    public void aWholeStoreIsNotMended(@TempDir Path directory) throws Exception {
        StorageEngine engine = start(directory);
        try (ContractLog log = new ContractLog(engine, 1, true)) {
            log.append(0, 1, message("kept"), ENVELOPE, Annotations.NONE, true);
        }
        engine.close();
        Map<String, ByteBuffer> before = contents(directory);

        assertThat(inspector().repair(store(directory), true)).isEmpty();
        assertThat(inspector().repair(store(directory), false)).isEmpty();

        assertThat(contents(directory)).isEqualTo(before);
        StorageEngine again = start(directory);
        assertThat(again.entries(1)).isEqualTo(1);
        again.close();
    }

    @Test
    public void aStoreInUseIsRefused(@TempDir Path directory) throws Exception {
        StorageEngine engine = start(directory);
        Path store = store(directory);

        assertThatThrownBy(() -> inspector().inspect(store, 0, new Told())).isInstanceOf(StoreInUseException.class);
        assertThatThrownBy(() -> inspector().repair(store, true)).isInstanceOf(StoreInUseException.class);
        assertThatThrownBy(() -> inspector().repair(store, false)).isInstanceOf(StoreInUseException.class);

        engine.close();
        assertThat(inspector().inspect(store, 0, new Told()).isSound()).isTrue();
    }

    private static Map<String, ByteBuffer> contents(Path directory) throws IOException {
        Map<String, ByteBuffer> contents = new TreeMap<>();
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                contents.put(directory.relativize(file).toString(), ByteBuffer.wrap(Files.readAllBytes(file)));
            }
        }
        return contents;
    }

    private static Message message(String text) {
        return new Message(PlainFormat.INSTANCE, Bytes.utf8(text), Bytes.EMPTY);
    }

    /** What a log is told to hold. */
    private static final class Told implements LogReplay {
        private final List<Long> entries = new CopyOnWriteArrayList<>();
        private final List<String> others = new CopyOnWriteArrayList<>();

        @Override
        public void checkpoint(ByteBuf state) {
            others.add("checkpoint");
        }

        @Override
        public void entry(long position, long stamp, Envelope envelope, int bytes) {
            entries.add(position);
        }

        @Override
        public void released(long from, long to) {
            entries.removeIf(position -> position >= from && position <= to);
        }

        @Override
        public void fact(ByteBuf fact) {
            others.add("fact " + ByteBufUtil.hexDump(fact));
        }

        @Override
        public void ended(long position) {
            others.add("ended " + position);
        }

        @Override
        public void failed(String reason) {
            others.add("failed: " + reason);
        }
    }

    /** Has no use for what an engine says of itself. */
    private static final class Deaf implements StorageListener {
        @Override
        public void full(String reason) {}

        @Override
        public void hasRoom() {}

        @Override
        public void failed(String reason) {}

        @Override
        public void checkpointWanted(long log) {}

        @Override
        public void alarm(String text) {}
    }
}
