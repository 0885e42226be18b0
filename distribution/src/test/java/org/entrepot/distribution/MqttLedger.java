package org.entrepot.distribution;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * What MQTT publishers published and subscribers were delivered while a broker crashed under them. Thread-safe.
 *
 * <p>Publishers number their messages from 0 and publish them again until they are acknowledged, so that in the end all must
 * have arrived, at each subscriber first in the order of their numbers. Where publisher and subscriber are both at QoS 2 each
 * must have arrived once.
 */
final class MqttLedger {
    private static final int EXAMPLES_MAX = 10;

    private final int[] publisherQos;
    private final int[] subscriberQos;
    private final int[] published;
    private final int[] acknowledged;
    /** What has arrived, by subscriber and publisher. */
    private final BitSet[][] arrived;

    private final List<String> examples = new ArrayList<>();
    private long acknowledgements;
    private long deliveries;
    private long repeated;
    private long duplicates;
    private long disordered;
    private long phantoms;

    MqttLedger(int[] publisherQos, int[] subscriberQos) {
        this.publisherQos = publisherQos.clone();
        this.subscriberQos = subscriberQos.clone();
        this.published = new int[publisherQos.length];
        this.acknowledged = new int[publisherQos.length];
        this.arrived = new BitSet[subscriberQos.length][publisherQos.length];
        for (BitSet[] bits : arrived) {
            Arrays.setAll(bits, publisher -> new BitSet());
        }
    }

    /**
     * What came of a run.
     *
     * @param acknowledged messages with a PUBACK or a PUBCOMP
     * @param deliveries messages that arrived, each time at each subscriber
     * @param repeated those that came again where that is allowed
     * @param lost messages that were acknowledged and have not arrived, at each subscriber
     * @param duplicates those that came again at QoS 2
     * @param disordered messages that came before an older one of their publisher
     * @param phantoms messages that nobody published
     * @param examples some of the latter four in words
     */
    record Result(
            long acknowledged,
            long deliveries,
            long repeated,
            long lost,
            long duplicates,
            long disordered,
            long phantoms,
            List<String> examples) {

        /** Whether every promise was kept. */
        boolean good() {
            return lost == 0 && duplicates == 0 && disordered == 0 && phantoms == 0;
        }
    }

    /** A publisher is about to publish its next message; its number. */
    synchronized int publish(int publisher) {
        return published[publisher]++;
    }

    /** The broker has taken the responsibility for a publisher's message. */
    synchronized void acknowledged(int publisher) {
        acknowledged[publisher]++;
        acknowledgements++;
        notifyAll();
    }

    /** A subscriber has a message. */
    synchronized void arrived(int subscriber, int publisher, int number) {
        deliveries++;
        if (publisher < 0 || publisher >= published.length || number < 0 || number >= published[publisher]) {
            phantoms++;
            example("subscriber " + subscriber + " has got what nobody published");
            return;
        }
        BitSet before = arrived[subscriber][publisher];
        String text = "message " + number + " of publisher " + publisher + ", at QoS " + publisherQos[publisher]
                + ", has come to subscriber " + subscriber + ", at QoS " + subscriberQos[subscriber];
        if (before.get(number)) {
            if (publisherQos[publisher] == 2 && subscriberQos[subscriber] == 2) {
                duplicates++;
                example(text + " again, after " + (before.length() - 1));
            } else {
                repeated++;
            }
        } else if (before.nextClearBit(0) != number) {
            disordered++;
            example(text + " before " + before.nextClearBit(0));
        }
        before.set(number);
        notifyAll();
    }

    /** Waits until so many messages were acknowledged since the run began, a while at most; whether they were. */
    synchronized boolean awaitAcknowledged(long count, long millisMax) throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millisMax);
        while (acknowledgements < count) {
            long left = deadline - System.nanoTime();
            if (left <= 0) {
                return false;
            }
            TimeUnit.NANOSECONDS.timedWait(this, left);
        }
        return true;
    }

    /** Waits until all that was published has been acknowledged and has arrived everywhere, a while at most. */
    synchronized boolean awaitAll(long millisMax) throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millisMax);
        while (!Arrays.equals(published, acknowledged) || missing() > 0) {
            long left = deadline - System.nanoTime();
            if (left <= 0) {
                return false;
            }
            TimeUnit.NANOSECONDS.timedWait(this, left);
        }
        return true;
    }

    synchronized long acknowledged() {
        return acknowledgements;
    }

    private long missing() {
        long missing = 0;
        for (BitSet[] bits : arrived) {
            for (int publisher = 0; publisher < published.length; publisher++) {
                missing += published[publisher] - bits[publisher].cardinality();
            }
        }
        return missing;
    }

    /** Compares, when all was published again that was not acknowledged. */
    synchronized Result result() {
        long lost = missing();
        for (int subscriber = 0; subscriber < arrived.length && lost > 0; subscriber++) {
            for (int publisher = 0; publisher < published.length; publisher++) {
                int first = arrived[subscriber][publisher].nextClearBit(0);
                if (first < published[publisher]) {
                    example("message " + first + " of " + published[publisher] + " of publisher " + publisher
                            + ", of which " + acknowledged[publisher] + " are acknowledged, is not at subscriber "
                            + subscriber);
                }
            }
        }
        return new Result(
                acknowledgements, deliveries, repeated, lost, duplicates, disordered, phantoms, List.copyOf(examples));
    }

    private void example(String text) {
        if (examples.size() < EXAMPLES_MAX) {
            examples.add(text);
        }
    }
}
