package org.entrepot.core.boot;

import ch.qos.logback.classic.AsyncAppender;
import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.Configurator;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.spi.ContextAwareBase;
import org.slf4j.LoggerFactory;

/**
 * Sets the log up in code, because searching for and parsing logback's XML takes a tenth of a second of every start.
 * Logback finds it as a service and calls it once, on whatever thread logs first.
 *
 * <p>It does so only for the product started by its script. Where the core is a library in somebody's test, that
 * project's own logback configuration is left to work.
 */
public final class LogSetup extends ContextAwareBase implements Configurator {
    private static final String PRODUCT_PROPERTY = "entrepot.home";

    /** Lines that may wait to be written; further ones are dropped rather than let a full pipe stop the broker. */
    private static final int LINES_MAX = 8192;

    /** Logs at INFO whatever the level is: for the line that says the broker is ready, which tools wait for. */
    static final String READY_LOGGER = "org.entrepot.ready";

    private static final String CONSOLE = "console";

    @Override
    public ExecutionStatus configure(LoggerContext context) {
        if (System.getProperty(PRODUCT_PROPERTY) == null) {
            return ExecutionStatus.INVOKE_NEXT_IF_ANY;
        }
        configure(context, new TextLine(), Level.INFO);
        return ExecutionStatus.DO_NOT_INVOKE_NEXT_IF_ANY;
    }

    /** Applies the keys {@code log.format} and {@code log.level} to the product's log. */
    static void apply(String format, String level) {
        if (System.getProperty(PRODUCT_PROPERTY) != null
                && LoggerFactory.getILoggerFactory() instanceof LoggerContext context) {
            context.reset();
            configure(context, format.equals("json") ? new JsonLine() : new TextLine(), Level.toLevel(level));
        }
    }

    /** Writes what still waits, and ends the log. */
    static void end() {
        if (LoggerFactory.getILoggerFactory() instanceof LoggerContext context) {
            context.stop();
        }
    }

    private static void configure(LoggerContext context, LogLine line, Level level) {
        line.setContext(context);
        line.start();
        ConsoleAppender<ILoggingEvent> console = new ConsoleAppender<>();
        console.setContext(context);
        console.setEncoder(line);
        console.start();
        AsyncAppender queue = new AsyncAppender();
        queue.setName(CONSOLE);
        queue.setContext(context);
        queue.setQueueSize(LINES_MAX);
        queue.setDiscardingThreshold(0);
        queue.setNeverBlock(true);
        queue.addAppender(console);
        queue.start();
        Logger root = context.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
        root.setLevel(Level.WARN);
        root.addAppender(queue);
        context.getLogger("org.entrepot").setLevel(level);
        context.getLogger(READY_LOGGER).setLevel(Level.INFO);
        // Our own account of plugins is complete; PF4J's would repeat it in other words.
        context.getLogger("org.pf4j").setLevel(Level.OFF);
    }
}
