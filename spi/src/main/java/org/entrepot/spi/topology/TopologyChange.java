package org.entrepot.spi.topology;

/** One change of a virtual host's topology, asked for with {@code Session.change}. Immutable. */
public sealed interface TopologyChange {

    /** Declares an exchange, unless one of that name is there: then the answer is that one, unchanged. */
    record DeclareExchange(ExchangeSpec spec) implements TopologyChange {}

    /** Deletes an exchange with its bindings; nothing happens where there is none. */
    record DeleteExchange(String name, boolean onlyIfUnused) implements TopologyChange {}

    /**
     * Declares a queue, unless one of that name is there: then the answer is that one, unchanged.
     *
     * @param nameMadeUp whether the name is not the client's but was made up for it, and so may begin as only the
     *     broker's own names do
     */
    record DeclareQueue(QueueSpec spec, boolean nameMadeUp) implements TopologyChange {
        /** A queue that the client names. */
        public DeclareQueue(QueueSpec spec) {
            this(spec, false);
        }
    }

    /**
     * Gives a queue other limits in place of those that it was declared with; policies count on top as ever. They have
     * effect at once, also on what is in the queue, and the time for which it may be unused begins anew, whether it is
     * another or not. Takes the right to declare the queue; fails with NOT_FOUND where there is none. The answer is a {@link
     * TopologyAnswer.Queue} that was not created.
     */
    record ChangeLimits(String queue, QueueLimits limits) implements TopologyChange {}

    /** Deletes a queue with its bindings and messages; nothing happens where there is none. */
    record DeleteQueue(String name, boolean onlyIfUnused, boolean onlyIfEmpty) implements TopologyChange {}

    /** Binds; nothing happens where the binding is there already. */
    record Bind(BindingSpec binding) implements TopologyChange {}

    /** Unbinds; nothing happens where the binding, or an end of it, is not there. */
    record Unbind(BindingSpec binding) implements TopologyChange {}
}
