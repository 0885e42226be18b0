package org.entrepot.storage.file;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Readers are there when there is something to read. */
@Timeout(30)
final class LoaderTest {
    private final AtomicInteger started = new AtomicInteger();
    private final AtomicInteger done = new AtomicInteger();
    private final Loader loader = new Loader((name, task) -> {
        started.incrementAndGet();
        Threads.NEW.start(name, task);
    });

    @Test
    void nobodyIsStartedBeforeThereIsSomethingToRead() throws Exception {
        loader.close();
        assertThat(started).hasValue(0);
    }

    @Test
    void twoReadWhateverThereIs() throws Exception {
        CountDownLatch bothRead = new CountDownLatch(2);
        for (int i = 0; i < 2; i++) {
            loader.execute(() -> {
                bothRead.countDown();
                await(bothRead);
            });
        }
        bothRead.await();
        for (int i = 0; i < 20; i++) {
            CountDownLatch read = new CountDownLatch(1);
            loader.execute(read::countDown);
            read.await();
        }
        assertThat(started).hasValue(2);
        loader.close();
    }

    @Test
    void whatWasBegunIsEndedAndNothingIsBegunAfterwards() throws Exception {
        for (int i = 0; i < 50; i++) {
            loader.execute(done::incrementAndGet);
        }
        loader.close();
        assertThat(done).hasValue(50);
        loader.execute(done::incrementAndGet);
        assertThat(done).hasValue(50);
    }

    @Test
    void aFaultEndsNoReader() throws Exception {
        for (int i = 0; i < 5; i++) {
            loader.execute(() -> {
                throw new IllegalStateException("a fault that this test wants");
            });
        }
        loader.execute(done::incrementAndGet);
        loader.close();
        assertThat(done).hasValue(1);
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
