package org.entrepot.core.topology;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Random;
import org.entrepot.spi.message.RoutingKey;
import org.entrepot.spi.topology.BindingSpec;
import org.entrepot.spi.topology.BindingSpec.Destination;
import org.entrepot.spi.topology.DeadLetter;
import org.entrepot.spi.topology.ExchangeSpec;
import org.entrepot.spi.topology.QueueLimits;
import org.entrepot.spi.topology.QueueSpec;
import org.entrepot.spi.topology.Retention;
import org.entrepot.spi.topology.TopologyChange;

/** Makes up changes from a few names, so that they meet each other. The same for the same seed. */
final class RandomChanges {
    private static final String[] HOSTS = {"/", "v"};
    private static final String[] QUEUES = {"a", "b", "c", "d"};
    private static final String[] EXCHANGES = {"x", "y", "z", "amq.direct", "amq.topic"};
    private static final String[] TYPES = {"direct", "fanout", "topic", "headers", "x-random", "x-modulus-hash"};
    private static final String[] KEYS = {"", "k", "k.#", "*.k"};
    private static final String[] USERS = {"ada", "bob"};

    private final Random random;

    RandomChanges(long seed) {
        random = new Random(seed);
    }

    /** Has a machine decide something, or be refused; gives the decision it took over, if any. */
    void makeOne(TopologyMachine machine, List<TopologyRecord> log) {
        Decision decision;
        try {
            decision = switch (random.nextInt(10)) {
                case 0 -> machine.dropOwner(owner(), 1 + random.nextInt(3));
                case 1 -> machine.administer(List.of(adminChange()));
                case 2 -> machine.deleteQueue(random.nextInt(40));
                default -> machine.decide(pick(HOSTS), owner(), random.nextInt(8) == 0, clientChanges());
            };
        } catch (org.entrepot.spi.BrokerException refused) {
            return;
        }
        machine.apply(decision);
        decision.records().stream().filter(TopologyRecord::logged).forEach(log::add);
    }

    private List<TopologyChange> clientChanges() {
        List<TopologyChange> changes = new ArrayList<>();
        for (int i = 0; i <= random.nextInt(3); i++) {
            changes.add(clientChange());
        }
        return changes;
    }

    TopologyChange clientChange() {
        return switch (random.nextInt(9)) {
            case 0, 1 -> new TopologyChange.DeclareQueue(queue());
            case 2 -> new TopologyChange.DeleteQueue(pick(QUEUES), false, false);
            case 3, 4 -> new TopologyChange.DeclareExchange(exchange());
            case 5 -> new TopologyChange.DeleteExchange(pick(EXCHANGES), random.nextBoolean());
            case 6 -> new TopologyChange.Unbind(binding());
            case 7 -> new TopologyChange.ChangeLimits(pick(QUEUES), limits());
            default -> new TopologyChange.Bind(binding());
        };
    }

    AdminChange adminChange() {
        return switch (random.nextInt(10)) {
            case 0 -> new AdminChange.DeleteVirtualHost("v");
            case 1 ->
                new AdminChange.SetVirtualHostLimits(
                        pick(HOSTS), new VirtualHostLimits(number(), OptionalLong.of(random.nextInt(5))));
            case 2 -> new AdminChange.PutUser(Stage.user(pick(USERS)));
            case 3 -> new AdminChange.DeleteUser(pick(USERS));
            case 4 ->
                new AdminChange.SetPermissions(
                        pick(USERS), pick(HOSTS), new PermissionPatterns(pick(KEYS), "", pick(QUEUES)));
            case 5 ->
                new AdminChange.SetTopicPermissions(
                        pick(USERS), pick(HOSTS), pick(EXCHANGES), new TopicPatterns(pick(QUEUES), "^a"));
            case 6 -> new AdminChange.ClearPolicy(pick(HOSTS), pick(USERS), random.nextBoolean());
            case 7 ->
                new AdminChange.SetPolicy(
                        pick(HOSTS),
                        new Policy(
                                pick(USERS),
                                pick(QUEUES) + "|" + pick(EXCHANGES),
                                Policy.ApplyTo.ALL,
                                random.nextInt(3),
                                Map.of("max-length", (long) random.nextInt(9)),
                                random.nextBoolean()));
            default -> Stage.virtualHost(pick(HOSTS));
        };
    }

    private QueueSpec queue() {
        return new QueueSpec(
                pick(QUEUES),
                random.nextBoolean(),
                random.nextInt(4) == 0,
                random.nextBoolean(),
                random.nextInt(4) == 0,
                limits(),
                random.nextBoolean() ? null : new DeadLetter("x", RoutingKey.of(pick(KEYS)), random.nextBoolean()),
                1 + random.nextInt(256),
                random.nextInt(2),
                random.nextBoolean(),
                random.nextBoolean() ? OptionalInt.empty() : OptionalInt.of(random.nextInt(30)),
                number(),
                Retention.SETTLED,
                Map.of("x-from", (long) random.nextInt()));
    }

    private QueueLimits limits() {
        return new QueueLimits(number(), number(), pick(QueueLimits.Overflow.values()), number(), number());
    }

    private ExchangeSpec exchange() {
        return new ExchangeSpec(
                pick(EXCHANGES),
                pick(TYPES),
                random.nextBoolean(),
                random.nextBoolean(),
                random.nextBoolean(),
                random.nextBoolean() ? null : pick(EXCHANGES),
                Map.of());
    }

    private BindingSpec binding() {
        return new BindingSpec(
                pick(EXCHANGES),
                random.nextInt(3) == 0 ? Destination.exchange(pick(EXCHANGES)) : Destination.queue(pick(QUEUES)),
                RoutingKey.of(pick(KEYS)),
                random.nextBoolean() ? Map.of() : Map.of("x-match", "any"));
    }

    private long owner() {
        return 1L + random.nextInt(3);
    }

    private OptionalLong number() {
        return random.nextBoolean() ? OptionalLong.empty() : OptionalLong.of(random.nextInt(1000));
    }

    private <T> T pick(T[] words) {
        return words[random.nextInt(words.length)];
    }
}
