package org.entrepot.amqp.v091;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.entrepot.amqp.AmqpPlugin;
import org.entrepot.amqp.v091.wire.FieldTable;
import org.entrepot.amqp.v091.wire.Method;
import org.entrepot.spi.message.Bytes;
import org.entrepot.testkit.BrokerExtension;
import org.entrepot.testkit.EmbeddedBroker;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Clients that say anything in any order, well formed and not. Whatever they say, the broker answers with a clean error
 * or goes on, never with a fault of its own, and a neighbour notices nothing.
 */
class RandomConversationTest {
    private static final int SEEDS = 100;
    private static final int SAYINGS = 60;

    @RegisterExtension
    static final BrokerExtension broker =
            new BrokerExtension(EmbeddedBroker.with("amqp", new AmqpPlugin()).set("amqp.refusal-delay=0 ms"));

    private static final List<String> QUEUES = List.of("", "a", "b", "c", "amq.rabbitmq.reply-to", "amq.x");
    private static final List<String> EXCHANGES = List.of("", "amq.direct", "amq.topic", "e", "f");

    @Test
    void nothingThatAClientSaysIsAFaultOfTheBroker() {
        try (Client neighbour = Client.withChannel(broker)) {
            neighbour.declareOwn(1, "neighbour");
            for (long seed = 1; seed <= SEEDS; seed++) {
                converse(seed);
                neighbour.publish(1, "", "neighbour", "still there");
                assertThat(neighbour.get(1, "neighbour", true).text()).isEqualTo("still there");
            }
        }
    }

    private static void converse(long seed) {
        Random random = new Random(seed);
        List<String> said = new ArrayList<>();
        ByteBuf all = Unpooled.buffer();
        for (int i = 0; i < SAYINGS; i++) {
            int channel = random.nextInt(20) == 0 ? random.nextInt(4) : 1 + random.nextInt(2);
            if (random.nextInt(100) == 0) {
                byte[] garbage = new byte[1 + random.nextInt(40)];
                random.nextBytes(garbage);
                int type = 1 + random.nextInt(3);
                said.add("garbage in a frame of type " + type + " on " + channel);
                all.writeBytes(Client.frame(type, channel, garbage));
            } else if (random.nextInt(4) == 0) {
                said.add("publish on " + channel);
                all.writeBytes(publish(random, channel));
            } else {
                Method method = method(random);
                said.add(method + " on " + channel);
                all.writeBytes(Client.bytes(channel, method));
            }
        }
        all.writeBytes(Client.bytes(0, new Method.ConnectionClose(200, "bye", 0, 0)));
        try (Client client = Client.open(broker)) {
            client.openChannel(1).openChannel(2);
            client.raw(Client.array(all));
            while (true) {
                Client.Frame frame = client.next();
                assertThat(frame.type).isBetween(1, 3);
                if (frame.type != Client.METHOD) {
                    continue;
                }
                Method answer = Client.method(frame);
                assertThat(answer.toString())
                        .as("seed %d, after %s", seed, said)
                        .doesNotContain("the broker failed");
                if (answer instanceof Method.ChannelClose) {
                    client.send(frame.channel, new Method.ChannelCloseOk());
                } else if (answer instanceof Method.ConnectionClose) {
                    client.send(0, new Method.ConnectionCloseOk());
                } else if (answer instanceof Method.ConnectionCloseOk) {
                    return;
                }
            }
        } catch (UncheckedIOException ended) {
            // The broker hung up.
            assertThat(ended).as("seed %d, after %s", seed, said).hasMessageNotContaining("timed out");
        }
    }

    private static byte[] publish(Random random, int channel) {
        Props properties = new Props();
        if (random.nextInt(8) == 0) {
            properties.replyTo("amq.rabbitmq.reply-to");
        }
        if (random.nextInt(8) == 0) {
            properties.expiration(pick(random, List.of("0", "100", "x")));
        }
        if (random.nextInt(8) == 0) {
            properties.userId(pick(random, List.of("guest", "other")));
        }
        if (random.nextInt(8) == 0) {
            properties.headers(java.util.Map.of("CC", List.of("a", "b")));
        }
        byte[] whole = Client.publishBytes(
                channel,
                pick(random, EXCHANGES),
                Bytes.utf8(pick(random, QUEUES)),
                random.nextBoolean(),
                properties,
                new byte[random.nextInt(3) == 0 ? 0 : random.nextInt(40_000)],
                131_072);
        // Now and then some of it is missing.
        return random.nextInt(40) == 0 ? java.util.Arrays.copyOf(whole, whole.length - 9) : whole;
    }

    private static Method method(Random random) {
        String queue = pick(random, QUEUES);
        String exchange = pick(random, EXCHANGES);
        boolean flag = random.nextBoolean();
        boolean noWait = random.nextInt(4) == 0;
        FieldTable none = FieldTable.EMPTY;
        return switch (random.nextInt(26)) {
            case 0 -> new Method.ChannelOpen();
            case 1 -> new Method.ChannelClose(200, "bye", 0, 0);
            case 2 -> new Method.ChannelFlow(random.nextInt(20) > 0);
            case 3 ->
                new Method.ExchangeDeclare(
                        exchange,
                        pick(random, List.of("direct", "topic", "fanout", "headers", "no")),
                        flag,
                        false,
                        false,
                        false,
                        noWait,
                        none);
            case 4 -> new Method.ExchangeDelete(exchange, flag, noWait);
            case 5 -> new Method.ExchangeBind(exchange, pick(random, EXCHANGES), Bytes.utf8("k"), noWait, none);
            case 6 -> new Method.ExchangeUnbind(exchange, pick(random, EXCHANGES), Bytes.utf8("k"), noWait, none);
            case 7, 8, 9 ->
                new Method.QueueDeclare(
                        queue,
                        random.nextInt(4) == 0,
                        flag,
                        random.nextInt(3) > 0,
                        random.nextBoolean(),
                        noWait,
                        arguments(random));
            case 10 -> new Method.QueueBind(queue, exchange, Bytes.utf8("k"), noWait, none);
            case 11 -> new Method.QueueUnbind(queue, exchange, Bytes.utf8("k"), none);
            case 12 -> new Method.QueuePurge(queue, noWait);
            case 13 -> new Method.QueueDelete(queue, flag, random.nextBoolean(), noWait);
            case 14 -> new Method.BasicQos(0, random.nextInt(5), flag);
            case 15, 16 ->
                new Method.BasicConsume(
                        queue,
                        pick(random, List.of("", "t", "u", "v")),
                        false,
                        flag,
                        random.nextInt(5) == 0,
                        noWait,
                        none);
            case 17 -> new Method.BasicCancel(pick(random, List.of("t", "u", "v")), noWait);
            case 18, 19 -> new Method.BasicGet(queue, flag);
            case 20 -> new Method.BasicAck(random.nextInt(4), flag);
            case 21 -> new Method.BasicNack(random.nextInt(4), flag, random.nextBoolean());
            case 22 -> new Method.BasicReject(random.nextInt(4), flag);
            case 23 -> new Method.BasicRecover(random.nextInt(20) > 0);
            case 24 -> new Method.ConfirmSelect(noWait);
            default ->
                switch (random.nextInt(3)) {
                    case 0 -> new Method.TxSelect();
                    case 1 -> new Method.TxCommit();
                    default -> new Method.TxRollback();
                };
        };
    }

    private static FieldTable arguments(Random random) {
        return switch (random.nextInt(8)) {
            case 0 -> Client.table("x-message-ttl", 100L);
            case 1 -> Client.table("x-max-length", 2L, "x-overflow", "reject-publish");
            case 2 -> Client.table("x-max-priority", 5L);
            case 3 -> Client.table("x-queue-type", "quorum");
            case 4 -> Client.table("x-dead-letter-exchange", "amq.topic", "x-max-length", 1L);
            default -> FieldTable.EMPTY;
        };
    }

    private static <T> T pick(Random random, List<T> choices) {
        return choices.get(random.nextInt(choices.size()));
    }
}
