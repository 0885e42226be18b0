package org.entrepot.distribution;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.BuiltinExchangeType;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.GetResponse;
import com.rabbitmq.client.ShutdownSignalException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeoutException;

/**
 * Crashes a broker under its clients, again and again, and then compares what they were told with what is there. Used by one
 * thread, once.
 */
final class CrashCycles {
    /** Puts a message into all queues. */
    static final String EXCHANGE = "ledger.all";

    private static final int QUEUES = 4;
    private static final int CLIENTS = 4;
    /** A crash comes after so many confirms of a cycle at most. */
    private static final int CONFIRMS_MAX = 4_000;

    private static final int CONFIRM_MILLIS_MAX = 60_000;
    private static final int END_MILLIS_MAX = 60_000;
    private static final int CONNECT_MILLIS_MAX = 60_000;

    private final CrashingBroker broker;
    private final SplittableRandom random;
    private final ConfirmLedger ledger;
    private final List<String> queues = new ArrayList<>();

    CrashCycles(CrashingBroker broker, long seed) {
        this.broker = broker;
        this.random = new SplittableRandom(seed);
        this.ledger = new ConfirmLedger(random.nextLong(), CLIENTS);
        for (int queue = 0; queue < QUEUES; queue++) {
            queues.add("ledger." + queue);
        }
    }

    /** Crashes the broker so often. */
    ConfirmLedger.Result run(int cycles) throws IOException, InterruptedException, TimeoutException {
        for (int cycle = 0; cycle < cycles; cycle++) {
            ConnectionFactory factory = connect(broker.start());
            declare(factory, cycle == 0);
            List<LedgerClient> clients = new ArrayList<>();
            for (int client = 0; client < CLIENTS; client++) {
                clients.add(new LedgerClient(
                        factory.newConnection("client " + client), ledger, client, queues, random.nextLong()));
            }
            for (LedgerClient client : clients) {
                client.start();
            }
            long until = ledger.confirmed() + 1 + random.nextInt(CONFIRMS_MAX);
            if (!ledger.awaitConfirmed(until, CONFIRM_MILLIS_MAX)) {
                throw new AssertionError("only " + ledger.confirmed() + " messages of " + until
                        + " were confirmed within " + CONFIRM_MILLIS_MAX + " ms in cycle " + cycle);
            }
            broker.crash();
            for (LedgerClient client : clients) {
                client.join(END_MILLIS_MAX);
            }
        }
        drain(connect(broker.start()));
        return ledger.result();
    }

    private static ConnectionFactory connect(int port) {
        ConnectionFactory factory = new ConnectionFactory();
        factory.setHost("127.0.0.1");
        factory.setPort(port);
        factory.setAutomaticRecoveryEnabled(false);
        factory.setHandshakeTimeout(CONNECT_MILLIS_MAX);
        return factory;
    }

    /** Declares queues, bindings and exchange the first time; later they must be there. */
    private void declare(ConnectionFactory factory, boolean first) throws IOException, TimeoutException {
        try (Connection connection = factory.newConnection("declare")) {
            for (int queue = 0; queue < QUEUES; queue++) {
                if (!first && !isThere(connection, queue)) {
                    ledger.queueGone(queue);
                }
            }
            Channel channel = connection.createChannel();
            channel.exchangeDeclare(EXCHANGE, BuiltinExchangeType.FANOUT, true);
            for (String queue : queues) {
                channel.queueDeclare(queue, true, false, false, null);
                channel.queueBind(queue, EXCHANGE, "");
            }
        }
    }

    private boolean isThere(Connection connection, int queue) throws IOException {
        Channel channel = connection.createChannel();
        try {
            channel.queueDeclarePassive(queues.get(queue));
            return true;
        } catch (IOException refused) {
            if (refused.getCause() instanceof ShutdownSignalException closed
                    && closed.getReason() instanceof AMQP.Channel.Close reason
                    && reason.getReplyCode() == AMQP.NOT_FOUND) {
                return false;
            }
            throw refused;
        }
    }

    /** Takes everything out of all queues. */
    private void drain(ConnectionFactory factory) throws IOException, TimeoutException {
        try (Connection connection = factory.newConnection("drain")) {
            for (int queue = 0; queue < QUEUES; queue++) {
                if (!isThere(connection, queue)) {
                    ledger.queueGone(queue);
                    continue;
                }
                Channel channel = connection.createChannel();
                for (GetResponse got = get(channel, queue); got != null; got = get(channel, queue)) {
                    ledger.found(queue, got.getBody());
                }
            }
        }
    }

    private GetResponse get(Channel channel, int queue) throws IOException {
        return channel.basicGet(queues.get(queue), true);
    }
}
