package org.entrepot.spi.message;

import java.util.List;

/**
 * What the broker adds to a message's place in a queue. Immutable. A protocol renders it into the properties it delivers
 * (AMQP 0-9-1: x-death and its companions).
 *
 * @param deaths how the message was dead-lettered so far, most recent event first
 * @param first the event that dead-lettered it first; the same object stays through all later ones
 */
public record Annotations(
        List<Death> deaths,
        @org.jspecify.annotations.Nullable Death first) {

    /** Nothing to say. */
    public static final Annotations NONE = new Annotations(List.of(), null);
}
