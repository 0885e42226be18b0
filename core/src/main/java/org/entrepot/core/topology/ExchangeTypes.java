package org.entrepot.core.topology;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import org.entrepot.spi.topology.ExchangeType;
import org.jspecify.annotations.Nullable;

/** The types of exchange there are, by name. Immutable. */
public final class ExchangeTypes {
    private final Map<String, ExchangeType> types;

    /** Throws {@link IllegalArgumentException} where two have one name. */
    public ExchangeTypes(Collection<ExchangeType> types) {
        Map<String, ExchangeType> byName = new LinkedHashMap<>();
        for (ExchangeType type : types) {
            if (byName.put(type.name(), type) != null) {
                throw new IllegalArgumentException("two exchange types are named '" + type.name() + "'");
            }
        }
        this.types = Map.copyOf(byName);
    }

    public @Nullable ExchangeType type(String name) {
        return types.get(name);
    }
}
