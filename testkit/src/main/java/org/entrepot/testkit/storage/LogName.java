package org.entrepot.testkit.storage;

import java.util.List;

/** A log of a {@link Scenario}, and whether it is to last. Immutable. */
record LogName(long id, boolean durable) {

    /** All of them; one is not to last. */
    static final List<LogName> ALL =
            List.of(new LogName(1, true), new LogName(2, true), new LogName(70_000, true), new LogName(9, false));

    @Override
    public String toString() {
        return "log " + id;
    }
}
