package org.entrepot.core.listener;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.Appender;
import ch.qos.logback.core.AppenderBase;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.util.ResourceLeakDetector;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.slf4j.LoggerFactory;

/**
 * Finds buffers that were lost since it was made. To know that the collector has come by, it loses one itself and waits
 * for that to be reported.
 */
final class LeakWatch implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final Logger logger = (Logger) LoggerFactory.getLogger(ResourceLeakDetector.class);
    private final List<String> reported = new CopyOnWriteArrayList<>();
    private final Appender<ILoggingEvent> reports = new AppenderBase<>() {
        @Override
        protected void append(ILoggingEvent event) {
            reported.add(event.getFormattedMessage());
        }
    };
    private final ResourceLeakDetector.Level level = ResourceLeakDetector.getLevel();

    LeakWatch() {
        ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.PARANOID);
        reports.start();
        logger.addAppender(reports);
        logger.setAdditive(false);
    }

    @Override
    public void close() {
        String canary = "canary " + UUID.randomUUID();
        lose(canary);
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (reported.stream().noneMatch(report -> report.contains(canary))) {
            assertThat(System.nanoTime()).as("the canary is reported in time").isLessThan(end);
            System.gc();
            PooledByteBufAllocator.DEFAULT.buffer(16).release();
        }
        logger.detachAppender(reports);
        logger.setAdditive(true);
        ResourceLeakDetector.setLevel(level);
        assertThat(reported)
                .as("buffers that were not released")
                .filteredOn(report -> !report.contains("canary "))
                .isEmpty();
    }

    private static void lose(String canary) {
        ByteBuf lost = PooledByteBufAllocator.DEFAULT.buffer(16);
        lost.touch(canary);
    }
}
