package org.entrepot.amqp.v091;

import java.util.AbstractMap;
import java.util.Map;
import java.util.Set;
import org.entrepot.amqp.v091.wire.FieldTable;

/**
 * What a client says of itself, for display: decoded when somebody looks, because the decoded form of what hardly anybody
 * looks at would be the greater part of an idle connection. Immutable.
 */
final class ClientProperties extends AbstractMap<String, Object> {
    private final FieldTable table;

    ClientProperties(FieldTable table) {
        this.table = table;
    }

    @Override
    public Set<Map.Entry<String, Object>> entrySet() {
        return table.values().entrySet();
    }
}
