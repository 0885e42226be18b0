package org.entrepot.core.boot;

import ch.qos.logback.classic.AsyncAppender;
import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.util.LogbackMDCAdapter;
import ch.qos.logback.core.ConsoleAppender;
import org.slf4j.ILoggerFactory;
import org.slf4j.IMarkerFactory;
import org.slf4j.LoggerFactory;
import org.slf4j.helpers.BasicMarkerFactory;
import org.slf4j.spi.MDCAdapter;
import org.slf4j.spi.SLF4JServiceProvider;

/**
 * Gives slf4j a logback that is set up in code. The start script names this class to slf4j; logback's own way, which
 * searches for files, parses XML and formats dates, takes a sixth of a start.
 *
 * <p>Where the core is a library in somebody's test nobody names it, and that project's own logback is left to work.
 */
public final class LogSetup implements SLF4JServiceProvider {
    /** Logs at INFO whatever the level is: for the line that says the broker is ready, which tools wait for. */
    static final String READY_LOGGER = "org.entrepot.ready";

    /** The highest version of slf4j's API that this was written for. */
    private static final String API_VERSION = "2.0.99";

    /** Lines that may wait to be written; further ones are dropped rather than let a full pipe stop the broker. */
    private static final int LINES_MAX = 8192;

    private final ProductContext context = new ProductContext();
    private final IMarkerFactory markers = new BasicMarkerFactory();
    private final LogbackMDCAdapter diagnostics = new LogbackMDCAdapter();

    /** Marks the log as the product's, which alone is changed and ended. */
    private static final class ProductContext extends LoggerContext {}

    @Override
    public void initialize() {
        context.setMDCAdapter(diagnostics);
        context.start();
        configure(context, new TextLine(), Level.INFO);
    }

    @Override
    public ILoggerFactory getLoggerFactory() {
        return context;
    }

    @Override
    public IMarkerFactory getMarkerFactory() {
        return markers;
    }

    @Override
    public MDCAdapter getMDCAdapter() {
        return diagnostics;
    }

    @Override
    public String getRequestedApiVersion() {
        return API_VERSION;
    }

    /** Applies the keys {@code log.format} and {@code log.level} to the product's log. */
    static void apply(String format, String level) {
        if (LoggerFactory.getILoggerFactory() instanceof ProductContext context) {
            context.reset();
            configure(context, format.equals("json") ? new JsonLine() : new TextLine(), Level.toLevel(level));
        }
    }

    /** Writes what still waits, and ends the log. */
    static void end() {
        if (LoggerFactory.getILoggerFactory() instanceof ProductContext context) {
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
