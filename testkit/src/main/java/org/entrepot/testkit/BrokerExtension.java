package org.entrepot.testkit;

import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Starts a broker before a class's tests and stops it after them: a static field with {@code @RegisterExtension}. Used by
 * the thread that runs the tests.
 */
public final class BrokerExtension implements BeforeAllCallback, AfterAllCallback {
    private final EmbeddedBroker.Builder builder;
    private @Nullable EmbeddedBroker broker;

    public BrokerExtension(EmbeddedBroker.Builder builder) {
        this.builder = builder;
    }

    /** The broker; throws before the first test of the class. */
    public EmbeddedBroker broker() {
        return Objects.requireNonNull(broker, "the broker runs while tests do");
    }

    @Override
    public void beforeAll(ExtensionContext context) {
        broker = builder.start();
    }

    @Override
    public void afterAll(ExtensionContext context) {
        broker().close();
    }
}
