package org.entrepot.core.topology;

import org.jspecify.annotations.Nullable;

/** What came of one change. Immutable. */
public sealed interface TopologyOutcome {

    /** An exchange is there, {@code created} by the change or before it. */
    record ExchangeIs(Exchange exchange, boolean created) implements TopologyOutcome {}

    /** A queue is there, {@code created} by the change or before it. */
    record QueueIs(QueueNode queue, boolean created) implements TopologyOutcome {}

    /** A queue or exchange is gone: the one given, or none where there was none. */
    record Gone(@Nullable QueueNode queue, @Nullable Exchange exchange) implements TopologyOutcome {
        static final Gone NOTHING = new Gone(null, null);

        public boolean existed() {
            return queue != null || exchange != null;
        }
    }

    /** A binding is there, or is gone; {@code changed} where it was otherwise before. */
    record Bound(boolean changed) implements TopologyOutcome {}

    /** An operator's change is made; {@code changed} where things were otherwise before. */
    record Done(boolean changed) implements TopologyOutcome {}
}
