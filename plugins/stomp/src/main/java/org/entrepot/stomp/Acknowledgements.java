package org.entrepot.stomp;

import org.entrepot.spi.session.Outcome;
import org.entrepot.spi.session.Session;
import org.entrepot.stomp.wire.Command;
import org.entrepot.stomp.wire.FrameHead;
import org.entrepot.stomp.wire.Header;

/** How a client settles what it was delivered: ACK and NACK. Owned by the session's loop. */
final class Acknowledgements {
    private final Header named;
    private final boolean nackRequeues;
    private final UnsettledDeliveries unsettled;
    private final Settlement settlement;

    Acknowledgements(Session session, StompVersion version, boolean nackRequeues, UnsettledDeliveries unsettled) {
        this.named = version.acknowledgement();
        this.nackRequeues = nackRequeues;
        this.unsettled = unsettled;
        this.settlement = new Settlement(session::settle);
    }

    /** The number of the delivery that an ACK or NACK names; throws a refusal where that is none of those unsettled. */
    long delivery(FrameHead head) {
        if (!head.has(named)) {
            throw new Refusal(
                    "Missing header",
                    '"' + head.command().name() + "\" must include the \"" + named.text() + "\" header\n");
        }
        long number = head.deliveryNumber(named);
        if (number < 0) {
            throw new Refusal(
                    "Invalid header",
                    '"' + head.command().name() + "\" must include a valid \"" + named.text() + "\" header\n");
        }
        Subscription subscription = unsettled.find(number);
        if (subscription == null || !isOf(head, subscription)) {
            throw new Refusal("Message not found", "unknown delivery tag " + number + "\n");
        }
        return number;
    }

    private boolean isOf(FrameHead head, Subscription subscription) {
        return head.isOfTag(named, subscription.rawTag())
                || head.text(named, "").startsWith(subscription.name().tag() + "@@");
    }

    Outcome outcome(FrameHead head) {
        if (head.command() == Command.ACK) {
            return Outcome.ACCEPTED;
        }
        return head.flag(Header.REQUEUE, nackRequeues) ? Outcome.RELEASED : Outcome.REJECTED;
    }

    /** Performs an ACK or NACK. */
    void settle(FrameHead head) {
        take(delivery(head), settlement.with(outcome(head)));
        settlement.end();
    }

    /** Has a delivery taken, with all before it where its subscription wants that; passes over what is not there any more. */
    void take(long number, UnsettledDeliveries.Taker taker) {
        Subscription subscription = unsettled.find(number);
        if (subscription == null) {
            return;
        }
        if (subscription.ackMode() == AckMode.CLIENT) {
            unsettled.takeUpTo(number, taker);
        } else {
            unsettled.take(number, taker);
        }
    }
}
