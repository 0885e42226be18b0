package org.entrepot.distribution;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * What clients were told of their messages while a broker crashed under them, and what was found in the end. Thread-safe.
 *
 * <p>A message goes to one queue or to several, eight at most, and has a bit for each: to be there, to have been settled, to
 * be settled for sure. A settle counts as sure when a message that the same connection published to the same queue later was
 * confirmed: the broker writes both in this order.
 *
 * <p>What was published and not confirmed may be there or not. What was settled, but not for sure, may come back.
 */
final class ConfirmLedger {
    private static final int MESSAGES_FIRST = 1 << 12;
    private static final int EXAMPLES_MAX = 10;

    private final long run;
    private final Account[] accounts;
    private final List<String> examples = new ArrayList<>();
    private long confirmed;
    private long settledForSure;
    private long lost;
    private long phantoms;
    private long back;
    private long queuesGone;

    /** A ledger of a run, whose number is in all bodies, for so many publishers. */
    ConfirmLedger(long run, int publishers) {
        this.run = run;
        this.accounts = new Account[publishers];
        Arrays.setAll(accounts, publisher -> new Account());
    }

    /** The messages of one publisher, by number. Guarded by the ledger. */
    private static final class Account {
        private byte[] queues = new byte[MESSAGES_FIRST];
        private boolean[] confirmed = new boolean[MESSAGES_FIRST];
        private byte[] settled = new byte[MESSAGES_FIRST];
        private byte[] settledForSure = new byte[MESSAGES_FIRST];
        /** Where it was found in the end. */
        private byte[] found = new byte[MESSAGES_FIRST];

        private int size;

        int add(int queuesOfIt) {
            if (size == queues.length) {
                int grown = 2 * size;
                queues = Arrays.copyOf(queues, grown);
                confirmed = Arrays.copyOf(confirmed, grown);
                settled = Arrays.copyOf(settled, grown);
                settledForSure = Arrays.copyOf(settledForSure, grown);
                found = Arrays.copyOf(found, grown);
            }
            queues[size] = (byte) queuesOfIt;
            return size++;
        }
    }

    /**
     * What came of a run: zeros are what a broker promises.
     *
     * @param confirmed messages that were confirmed
     * @param settledForSure entries that were settled for sure
     * @param lost entries of confirmed messages that nobody has settled and that are not there
     * @param phantoms entries that nobody published, or not to this queue, and such that are there twice
     * @param back entries that came again after they were settled for sure
     * @param queuesGone durable queues that were not there after a crash
     * @param examples some of them in words
     */
    record Result(
            long confirmed,
            long settledForSure,
            long lost,
            long phantoms,
            long back,
            long queuesGone,
            List<String> examples) {

        /** Whether every promise was kept. */
        boolean good() {
            return lost == 0 && phantoms == 0 && back == 0 && queuesGone == 0;
        }
    }

    /** A new message for these queues, a bit for each; its body. */
    synchronized LedgerBody published(int publisher, int queues) {
        return new LedgerBody(run, publisher, accounts[publisher].add(queues));
    }

    synchronized void confirmed(LedgerBody message) {
        accounts[message.publisher()].confirmed[message.number()] = true;
        confirmed++;
        notifyAll();
    }

    /** Waits until so many messages were confirmed, a while at most; whether they were. */
    synchronized boolean awaitConfirmed(long count, long millisMax) throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millisMax);
        while (confirmed < count) {
            long left = deadline - System.nanoTime();
            if (left <= 0) {
                return false;
            }
            TimeUnit.NANOSECONDS.timedWait(this, left);
        }
        return true;
    }

    synchronized long confirmed() {
        return confirmed;
    }

    /** A consumer has got a message; throws where nobody can have published it. */
    synchronized LedgerBody delivered(int queue, byte[] body) {
        LedgerBody message;
        try {
            message = LedgerBody.decoded(body);
        } catch (IllegalArgumentException unknown) {
            phantoms++;
            example("queue " + queue + " has delivered " + unknown.getMessage());
            throw unknown;
        }
        boolean known = message.run() == run
                && message.publisher() >= 0
                && message.publisher() < accounts.length
                && message.number() >= 0
                && message.number() < accounts[message.publisher()].size
                && has(accounts[message.publisher()].queues, message, queue);
        if (!known) {
            phantoms++;
            example("queue " + queue + " has delivered " + message + ", which was never published to it");
            throw new IllegalArgumentException(message.toString());
        }
        if (has(accounts[message.publisher()].settledForSure, message, queue)) {
            back++;
            example(message + " was settled in queue " + queue + " for sure, and delivered again");
        }
        return message;
    }

    synchronized void settled(LedgerBody message, int queue) {
        accounts[message.publisher()].settled[message.number()] |= (byte) (1 << queue);
    }

    synchronized void settledForSure(LedgerBody message, int queue) {
        accounts[message.publisher()].settledForSure[message.number()] |= (byte) (1 << queue);
        settledForSure++;
    }

    /** A durable queue was not there after a crash. */
    synchronized void queueGone(int queue) {
        queuesGone++;
        example("queue " + queue + " is gone");
    }

    /** A message was found in a queue in the end. */
    synchronized void found(int queue, byte[] body) {
        LedgerBody message;
        try {
            message = delivered(queue, body);
        } catch (IllegalArgumentException counted) {
            return;
        }
        Account account = accounts[message.publisher()];
        if (has(account.found, message, queue)) {
            phantoms++;
            example(message + " is twice in queue " + queue);
        }
        account.found[message.number()] |= (byte) (1 << queue);
    }

    /** Compares, when everything that is in the queues was {@link #found}. */
    synchronized Result result() {
        for (int publisher = 0; publisher < accounts.length; publisher++) {
            Account account = accounts[publisher];
            for (int number = 0; number < account.size; number++) {
                int missing = account.queues[number] & ~(account.settled[number] | account.found[number]) & 0xFF;
                if (account.confirmed[number] && missing != 0) {
                    lost += Integer.bitCount(missing);
                    example(new LedgerBody(run, publisher, number)
                            + " was confirmed and is missing in the queues of bits " + Integer.toBinaryString(missing));
                }
            }
        }
        return new Result(confirmed, settledForSure, lost, phantoms, back, queuesGone, List.copyOf(examples));
    }

    private static boolean has(byte[] bits, LedgerBody message, int queue) {
        return (bits[message.number()] >> queue & 1) != 0;
    }

    private void example(String text) {
        if (examples.size() < EXAMPLES_MAX) {
            examples.add(text);
        }
    }
}
