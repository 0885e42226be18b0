package org.entrepot.core.queue;

import java.util.ArrayList;
import java.util.List;
import org.entrepot.core.loop.Loop;
import org.entrepot.spi.storage.LogTransaction;

/**
 * Parts of transactions that a queue has prepared, and whose sessions are told when they show. Owned by the queue's home
 * loop.
 */
final class UndecidedParts {
    private final QueueMachine machine;
    private final Handover handover;
    private final List<TransactionPart> parts = new ArrayList<>(0);

    UndecidedParts(QueueMachine machine, Handover handover) {
        this.machine = machine;
        this.handover = handover;
    }

    boolean isEmpty() {
        return parts.isEmpty();
    }

    TransactionPart.Prepared prepare(TransactionPart part, long now) {
        if (!machine.prepare(part, now)) {
            return TransactionPart.Prepared.REFUSED;
        }
        if (part.isEmpty()) {
            return TransactionPart.Prepared.NOTHING_TO_DO;
        }
        parts.add(part);
        return TransactionPart.Prepared.YES;
    }

    /** The log says that a transaction was committed; gives the part in it. */
    TransactionPart committed(LogTransaction transaction) {
        for (TransactionPart part : parts) {
            if (part.transaction() == transaction) {
                parts.remove(part);
                machine.committed(part);
                tell(part);
                return part;
            }
        }
        throw new AssertionError("a transaction was committed that this queue has no part in");
    }

    /** The transaction of a part that was prepared comes to nothing; nothing happens where the queue is deleted. */
    void giveUp(TransactionPart part) {
        if (parts.remove(part)) {
            machine.givenUp(part);
        }
    }

    /** The queue is deleted. */
    void close() {
        parts.forEach(this::tell);
        parts.clear();
    }

    private void tell(TransactionPart part) {
        Loop to = part.session().loop();
        if (to == handover.loop()) {
            part.whenShown().run();
        } else {
            handover.to(to).run(part.whenShown());
        }
    }
}
