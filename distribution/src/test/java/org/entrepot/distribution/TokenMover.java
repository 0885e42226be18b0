package org.entrepot.distribution;

import com.rabbitmq.client.AlreadyClosedException;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.GetResponse;
import com.rabbitmq.client.MessageProperties;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.Semaphore;

/**
 * A client that moves tokens, numbers as text, from one queue to several, some at a time in one transaction: takes them,
 * publishes them, and acknowledges or rejects them. Used by its thread; who has joined that may ask what became of the tokens.
 */
final class TokenMover {
    private static final int AT_ONCE_MAX = 4;

    private final Connection connection;
    private final String from;
    private final List<String> to;
    private final SplittableRandom random;
    private final Semaphore commits;
    private final Thread thread;
    private final Set<Integer> committed = new HashSet<>();
    /** Those of which it is not known whether they were committed. */
    private final Set<Integer> committing = new HashSet<>();

    private final Set<Integer> rejected = new HashSet<>();

    /** Moves from a queue to others, and gives one for each commit that was answered. */
    TokenMover(Connection connection, String from, List<String> to, Semaphore commits, long seed) {
        this.connection = connection;
        this.from = from;
        this.to = to;
        this.commits = commits;
        this.random = new SplittableRandom(seed);
        this.thread = new Thread(this::move, "mover of " + from);
    }

    void start() {
        thread.start();
    }

    void join(long millisMax) throws InterruptedException {
        connection.abort((int) millisMax);
        thread.join(millisMax);
        if (thread.isAlive()) {
            throw new AssertionError(thread.getName() + " has not ended");
        }
    }

    /** Tokens whose commit was answered. */
    Set<Integer> committed() {
        return committed;
    }

    /** Tokens whose commit was asked for and not answered. */
    Set<Integer> committing() {
        return committing;
    }

    /** Of both, those that were rejected where they came from. */
    Set<Integer> rejected() {
        return rejected;
    }

    private void move() {
        try {
            Channel channel = connection.createChannel();
            channel.txSelect();
            while (moveSome(channel)) {
                commits.release();
            }
        } catch (IOException | AlreadyClosedException crashed) {
            // What was not answered may have been committed or not.
        }
    }

    /** Moves some tokens; whether there were any. */
    private boolean moveSome(Channel channel) throws IOException {
        List<Integer> tokens = new ArrayList<>();
        for (int left = 1 + random.nextInt(AT_ONCE_MAX); left > 0; left--) {
            GetResponse got = channel.basicGet(from, false);
            if (got == null) {
                break;
            }
            int token = token(got);
            tokens.add(token);
            for (String queue : to) {
                channel.basicPublish("", queue, MessageProperties.PERSISTENT_BASIC, got.getBody());
            }
            long tag = got.getEnvelope().getDeliveryTag();
            if (random.nextInt(4) == 0) {
                rejected.add(token);
                channel.basicReject(tag, false);
            } else {
                channel.basicAck(tag, false);
            }
        }
        if (tokens.isEmpty()) {
            return false;
        }
        committing.addAll(tokens);
        channel.txCommit();
        committing.removeAll(tokens);
        committed.addAll(tokens);
        return true;
    }

    static int token(GetResponse got) {
        return Integer.parseInt(new String(got.getBody(), StandardCharsets.US_ASCII).trim());
    }
}
