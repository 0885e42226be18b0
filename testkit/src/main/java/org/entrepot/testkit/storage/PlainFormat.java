package org.entrepot.testkit.storage;

import java.util.Map;
import org.entrepot.spi.message.Bytes;
import org.entrepot.spi.message.MessageFormat;
import org.jspecify.annotations.Nullable;

/** The format of messages whose headers nobody reads, for tests. Immutable. */
public enum PlainFormat implements MessageFormat {
    INSTANCE;

    @Override
    public Map<String, Object> headers(Bytes header) {
        return Map.of();
    }

    @Override
    public @Nullable Object property(Bytes header, String name) {
        return null;
    }
}
