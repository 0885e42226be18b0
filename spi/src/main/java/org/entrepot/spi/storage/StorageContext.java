package org.entrepot.spi.storage;

import java.util.Map;
import org.entrepot.spi.message.MessageFormat;

/**
 * What the broker gives a storage engine when it starts. Immutable.
 *
 * @param formats the formats of messages, by name
 * @param listener hears how the engine fares
 */
public record StorageContext(Map<String, MessageFormat> formats, StorageListener listener) {
    public StorageContext {
        formats = Map.copyOf(formats);
    }
}
