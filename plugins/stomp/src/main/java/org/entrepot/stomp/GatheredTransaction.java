package org.entrepot.stomp;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.entrepot.spi.message.Envelope;
import org.entrepot.spi.message.Message;
import org.entrepot.spi.session.Address;
import org.entrepot.spi.session.Outcome;
import org.entrepot.spi.session.Session;
import org.entrepot.spi.session.Transaction;
import org.jspecify.annotations.Nullable;

/** What a client has sent and settled in one transaction: held here until COMMIT or ABORT. Owned by the session's loop. */
final class GatheredTransaction {
    private final List<Step> steps = new ArrayList<>();
    private long bytes;

    /** One frame. */
    private sealed interface Step {
        @SuppressWarnings("ArrayRecordComponent") // nobody writes to it, and nobody compares it
        record Publish(Address address, Message message, Envelope envelope, byte @Nullable [] receipt)
                implements Step {}

        record Settle(long number, Outcome outcome) implements Step {}
    }

    int size() {
        return steps.size();
    }

    /** Bytes of its messages. */
    long bytes() {
        return bytes;
    }

    void publish(Address address, Message message, Envelope envelope, byte @Nullable [] receipt) {
        bytes += message.size();
        steps.add(new Step.Publish(address, message, envelope, receipt));
    }

    void settle(long number, Outcome outcome) {
        steps.add(new Step.Settle(number, outcome));
    }

    /** Lets all of it take effect as a whole; whether it has. */
    CompletionStage<Boolean> commit(Session session, Acknowledgements acknowledgements) {
        Transaction transaction = session.begin();
        Settlement settlement = new Settlement(transaction::settle);
        for (Step step : steps) {
            if (step instanceof Step.Publish publish) {
                transaction.publish(publish.address, publish.message, publish.envelope);
            } else if (step instanceof Step.Settle settle) {
                acknowledgements.take(settle.number, settlement.with(settle.outcome));
            }
        }
        settlement.end();
        return transaction.commit();
    }

    /** The receipts that its messages were sent with. */
    void receipts(Consumer<byte[]> taker) {
        for (Step step : steps) {
            if (step instanceof Step.Publish publish && publish.receipt != null) {
                taker.accept(publish.receipt);
            }
        }
    }
}
