package org.entrepot.core.queue;

import java.util.Arrays;
import java.util.stream.Collectors;
import org.entrepot.spi.message.DeathReason;
import org.entrepot.spi.message.Message;
import org.jspecify.annotations.Nullable;

/**
 * Something that is always so. Hears what a machine does before the model of its queue follows, and looks at both after
 * each pass of the queue's loop.
 */
abstract class QueueInvariant {

    void appended(ModelQueue queue, ModelQueue.Entry entry) {}

    /** An entry goes to a consumer, or with null to a session that pulls. */
    void delivering(ModelQueue queue, ModelQueue.Entry entry, @Nullable QueueConsumer consumer, int returns) {}

    void returning(ModelQueue queue, ModelQueue.Entry entry, int failures) {}

    void dying(ModelQueue queue, ModelQueue.Entry entry, DeathReason reason) {}

    void leaving(ModelQueue queue, ModelQueue.Entry entry) {}

    /** A full queue does not take a message in. */
    void refusing(ModelQueue queue, Message message) {}

    void answered(SimulatedQueue queue, Publisher publisher, long number, boolean stored) {}

    /** A command other than a dispatch is done. */
    void commanded(ModelQueue queue) {}

    /** The pass is over, the last thing in it was a dispatch. */
    void passed(SimulatedQueue queue) {}

    /** Everything has arrived, everybody has had what there was, and nothing more happens. */
    void ended(Simulation simulation) {}

    /** What is said of a violation are words and things, in order. */
    final void mustBe(boolean so, Object... otherwise) {
        if (!so) {
            throw new AssertionError(getClass().getSimpleName() + ": "
                    + Arrays.stream(otherwise).map(String::valueOf).collect(Collectors.joining(" ")));
        }
    }
}
