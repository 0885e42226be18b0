package org.entrepot.core.routing;

import java.util.List;
import org.entrepot.spi.topology.ExchangeType;

/** The types of exchange that come with the broker. Stateless. */
public final class BuiltInTypes {
    private BuiltInTypes() {}

    public static List<ExchangeType> all() {
        return List.of();
    }
}
