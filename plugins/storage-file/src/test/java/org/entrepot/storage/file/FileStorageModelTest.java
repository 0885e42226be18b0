package org.entrepot.storage.file;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.entrepot.spi.storage.StorageContext;
import org.entrepot.testkit.storage.PlainFormat;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Seeded runs of the engine against a model, with restarts, small segments and a small journal. */
@Timeout(120)
final class FileStorageModelTest {
    private static final int SEGMENT_BYTES = 1 << 15;
    private static final int JOURNAL_BYTES = 4 * SEGMENT_BYTES;

    private final Owner owner = new Owner();
    private final Told told = new Told();

    @TempDir
    private Path directory;

    @AfterEach
    void end() {
        owner.close();
    }

    private FileStorage start() throws Exception {
        FileStorage engine = new FileStorage(
                () -> NioDisk.open(directory),
                new FileSettings(FileSettings.Sync.ALWAYS, 200, 0, SEGMENT_BYTES, JOURNAL_BYTES, Integer.MAX_VALUE),
                new StoreMeters(new SimpleMeterRegistry()));
        engine.start(new StorageContext(Map.of(PlainFormat.INSTANCE.name(), PlainFormat.INSTANCE), told));
        return engine;
    }

    private int tables() {
        String[] names = directory.toFile().list((in, name) -> Table.number(name) >= 0);
        return names == null ? 0 : names.length;
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void whatIsLiveIsThereAfterWhateverHappens(long seed) throws Exception {
        SplittableRandom random = new SplittableRandom(seed);
        List<ModelLog> logs = new ArrayList<>();
        for (int id = 1; id <= 4; id++) {
            logs.add(new ModelLog(id, owner));
        }
        for (int start = 0; start < 4; start++) {
            FileStorage engine = start();
            for (ModelLog log : logs) {
                log.open(engine);
                log.checkAll();
            }
            for (int step = 0; step < 1_500; step++) {
                if (random.nextInt(10) == 0) {
                    ModelLog.transact(engine, logs, random);
                } else {
                    step(logs.get(random.nextInt(logs.size())), logs, random);
                }
            }
            for (ModelLog log : logs) {
                log.close();
            }
            engine.close();
            assertThat(told.lines).isEmpty();
        }
    }

    private static void step(ModelLog log, List<ModelLog> logs, SplittableRandom random) throws InterruptedException {
        switch (random.nextInt(12)) {
            case 0, 1, 2, 3, 4 -> log.append(random.nextInt(5) > 0);
            case 5 -> ModelLog.appendShared(logs);
            case 6 -> log.fact(random.nextLong());
            case 7, 8 -> {
                long from = log.position(random.nextDouble() * random.nextDouble());
                log.release(from, from + random.nextInt(4));
            }
            case 9 -> log.unload(0, Long.MAX_VALUE >>> 8);
            case 10 -> log.check(log.position(random.nextDouble()), 3);
            default -> {
                if (random.nextInt(50) == 0) {
                    log.release(0, log.position(random.nextDouble()));
                }
            }
        }
    }

    @Test
    void aLongBacklogLeavesTheJournal() throws Exception {
        FileStorage engine = start();
        ModelLog log = new ModelLog(7, owner);
        log.open(engine);
        for (int i = 0; i < 5_000; i++) {
            log.append(true);
            if (i % 100 == 0) {
                log.unload(0, Long.MAX_VALUE >>> 8);
            }
        }
        log.checkAll();
        Waiting.until(() -> tables() > 0);
        log.checkAll();
        log.close();
        engine.close();

        FileStorage again = start();
        log.open(again);
        log.checkAll();
        log.release(0, 10_000);
        log.close();
        again.close();
        assertThat(told.lines).isEmpty();
    }
}
