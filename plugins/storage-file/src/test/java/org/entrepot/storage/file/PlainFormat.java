package org.entrepot.storage.file;

import java.util.Map;
import org.entrepot.spi.message.Bytes;
import org.entrepot.spi.message.MessageFormat;
import org.jspecify.annotations.Nullable;

/** The format of messages whose headers nobody reads. Immutable. */
enum PlainFormat implements MessageFormat {
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
