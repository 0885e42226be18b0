package org.entrepot.spi.session;

/** How a delivery ends. The four outcomes of AMQP 1.0 (section 3.4). */
public enum Outcome {
    /** Done: the message leaves the queue. */
    ACCEPTED,
    /** Not wanted, by anybody: it is dead-lettered or dropped. */
    REJECTED,
    /** Not wanted now: it returns to its place in the queue, and this does not count against a delivery limit. */
    RELEASED,
    /** Failed: it returns to its place in the queue, and this counts against a delivery limit. */
    MODIFIED
}
