package org.entrepot.core.security;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.util.List;
import org.slf4j.LoggerFactory;

/** What a class logs while this is open. */
final class LogLines implements AutoCloseable {
    private final Logger logger;
    private final Level levelBefore;
    private final boolean additiveBefore;
    private final ListAppender<ILoggingEvent> appender = new ListAppender<>();

    LogLines(Class<?> of) {
        logger = (Logger) LoggerFactory.getLogger(of);
        levelBefore = logger.getLevel();
        additiveBefore = logger.isAdditive();
        logger.setLevel(Level.INFO);
        logger.setAdditive(false);
        appender.start();
        logger.addAppender(appender);
    }

    List<String> lines() {
        return appender.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
    }

    @Override
    public void close() {
        logger.detachAppender(appender);
        logger.setLevel(levelBefore);
        logger.setAdditive(additiveBefore);
    }
}
