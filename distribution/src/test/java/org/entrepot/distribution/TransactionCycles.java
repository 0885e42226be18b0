package org.entrepot.distribution;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.GetResponse;
import com.rabbitmq.client.MessageProperties;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Crashes a broker in the midst of transactions, again and again, and looks after each crash where every token is: where it
 * came from, or everywhere it was moved to. Used by one thread, once.
 */
final class TransactionCycles {
    private static final int MOVERS = 4;
    private static final int TOKENS = 600;
    /** A crash comes after so many commits of a cycle at most. */
    private static final int COMMITS_MAX = 400;

    private static final int MILLIS_MAX = 60_000;
    private static final int EXAMPLES_MAX = 10;

    private final CrashingBroker broker;
    private final SplittableRandom random;
    private final List<String> examples = new ArrayList<>();
    private int nextToken;
    private long committed;
    private long undecided;
    private long lost;
    private long halves;

    /**
     * What came of a run: zeros are what a broker promises.
     *
     * @param committed tokens whose commit was answered
     * @param undecided tokens whose commit was under way when the broker crashed
     * @param lost tokens whose commit was answered and did not last
     * @param halves tokens of which something was done and not all
     * @param examples some of them in words
     */
    record Result(long committed, long undecided, long lost, long halves, List<String> examples) {}

    TransactionCycles(CrashingBroker broker, long seed) {
        this.broker = broker;
        this.random = new SplittableRandom(seed);
    }

    /** Crashes the broker so often. */
    Result run(int cycles) throws IOException, InterruptedException, TimeoutException {
        ConnectionFactory factory = connect(broker.start());
        for (int cycle = 0; cycle < cycles; cycle++) {
            int first = nextToken;
            try (Connection connection = factory.newConnection("seeds")) {
                Channel channel = connection.createChannel();
                for (int mover = 0; mover < MOVERS; mover++) {
                    declare(channel, mover);
                    seed(channel, mover);
                }
            }
            List<TokenMover> movers = moveUntilItCrashes(factory);
            factory = connect(broker.start());
            try (Connection connection = factory.newConnection("looks")) {
                Channel channel = connection.createChannel();
                for (int mover = 0; mover < MOVERS; mover++) {
                    declare(channel, mover);
                    look(channel, mover, first + mover * TOKENS, movers.get(mover));
                }
            }
        }
        return new Result(committed, undecided, lost, halves, List.copyOf(examples));
    }

    private static ConnectionFactory connect(int port) {
        ConnectionFactory factory = new ConnectionFactory();
        factory.setHost("127.0.0.1");
        factory.setPort(port);
        factory.setAutomaticRecoveryEnabled(false);
        return factory;
    }

    private static String from(int mover) {
        return "tokens." + mover;
    }

    private static List<String> to(int mover) {
        return List.of("moved." + mover + ".a", "moved." + mover + ".b", "moved." + mover + ".c");
    }

    private static String dead(int mover) {
        return "rejected." + mover;
    }

    private static void declare(Channel channel, int mover) throws IOException {
        channel.queueDeclare(
                from(mover),
                true,
                false,
                false,
                Map.of("x-dead-letter-exchange", "", "x-dead-letter-routing-key", dead(mover)));
        channel.queueDeclare(dead(mover), true, false, false, null);
        for (String queue : to(mover)) {
            channel.queueDeclare(queue, true, false, false, null);
        }
    }

    private void seed(Channel channel, int mover) throws IOException, InterruptedException, TimeoutException {
        channel.confirmSelect();
        for (int i = 0; i < TOKENS; i++) {
            byte[] body = (nextToken++ + " ".repeat(random.nextInt(300))).getBytes(StandardCharsets.US_ASCII);
            channel.basicPublish("", from(mover), MessageProperties.PERSISTENT_BASIC, body);
        }
        channel.waitForConfirmsOrDie(MILLIS_MAX);
    }

    private List<TokenMover> moveUntilItCrashes(ConnectionFactory factory)
            throws IOException, InterruptedException, TimeoutException {
        Semaphore commits = new Semaphore(0);
        List<TokenMover> movers = new ArrayList<>();
        for (int mover = 0; mover < MOVERS; mover++) {
            Connection connection = factory.newConnection("mover " + mover);
            movers.add(new TokenMover(connection, from(mover), to(mover), commits, random.nextLong()));
        }
        movers.forEach(TokenMover::start);
        int until = 1 + random.nextInt(COMMITS_MAX);
        if (!commits.tryAcquire(until, MILLIS_MAX, TimeUnit.MILLISECONDS)) {
            throw new AssertionError("no " + until + " commits within " + MILLIS_MAX + " ms");
        }
        broker.crash();
        for (TokenMover mover : movers) {
            mover.join(MILLIS_MAX);
        }
        return movers;
    }

    /** Takes everything out of a mover's queues and compares. */
    private void look(Channel channel, int mover, int first, TokenMover moved) throws IOException {
        Set<Integer> left = drain(channel, from(mover));
        List<Set<Integer>> there = new ArrayList<>();
        for (String queue : to(mover)) {
            there.add(drain(channel, queue));
        }
        Set<Integer> died = new HashSet<>(moved.rejected());
        died.retainAll(there.get(0));
        Set<Integer> dead = drainUntilThere(channel, dead(mover), died);
        for (int token = first; token < first + TOKENS; token++) {
            int at = token;
            long places = there.stream().filter(tokens -> tokens.contains(at)).count();
            boolean isMoved =
                    places == there.size() && !left.contains(token) && died.contains(token) == dead.contains(token);
            boolean isNot = places == 0 && left.contains(token) && !dead.contains(token);
            String text = "token " + token + " is in " + places + " queues of " + there.size()
                    + (left.contains(token) ? ", where it was" : "") + (dead.contains(token) ? ", dead" : "")
                    + (moved.rejected().contains(token) ? ", rejected" : "");
            if (!isMoved && !isNot) {
                halves++;
                example(text);
            } else if (isNot && moved.committed().contains(token)) {
                lost++;
                example(text + ", committed");
            } else if (isMoved
                    && !moved.committed().contains(token)
                    && !moved.committing().contains(token)) {
                halves++;
                example(text + ", never committed");
            }
        }
        committed += moved.committed().size();
        undecided += moved.committing().size();
    }

    private Set<Integer> drain(Channel channel, String queue) throws IOException {
        Set<Integer> tokens = new HashSet<>();
        for (GetResponse got = channel.basicGet(queue, true); got != null; got = channel.basicGet(queue, true)) {
            if (!tokens.add(TokenMover.token(got))) {
                halves++;
                example("token " + TokenMover.token(got) + " is twice in " + queue);
            }
        }
        return tokens;
    }

    /** Dead letters may still be on their way, and may come twice. */
    private static Set<Integer> drainUntilThere(Channel channel, String queue, Set<Integer> expected)
            throws IOException {
        Set<Integer> tokens = new HashSet<>();
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(MILLIS_MAX);
        GetResponse got;
        do {
            got = channel.basicGet(queue, true);
            if (got != null) {
                tokens.add(TokenMover.token(got));
            }
        } while (got != null || (!tokens.containsAll(expected) && System.nanoTime() < deadline));
        return tokens;
    }

    private void example(String text) {
        if (examples.size() < EXAMPLES_MAX) {
            examples.add(text);
        }
    }
}
