package org.entrepot.core.session;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.entrepot.core.queue.LocalQueue;
import org.entrepot.core.queue.QueueReport;
import org.entrepot.core.topology.Exchange;
import org.entrepot.core.topology.QueueNode;
import org.entrepot.core.topology.TopologyOutcome;
import org.entrepot.core.topology.VirtualHost;
import org.entrepot.spi.BrokerException;
import org.entrepot.spi.ErrorKind;
import org.entrepot.spi.message.RoutingKey;
import org.entrepot.spi.security.Permission.Action;
import org.entrepot.spi.security.Permission.Kind;
import org.entrepot.spi.session.Session;
import org.entrepot.spi.topology.BindingSpec;
import org.entrepot.spi.topology.DeadLetter;
import org.entrepot.spi.topology.ExchangeSpec;
import org.entrepot.spi.topology.QueueSpec;
import org.entrepot.spi.topology.Retention;
import org.entrepot.spi.topology.TopologyAnswer;
import org.entrepot.spi.topology.TopologyChange;
import org.jspecify.annotations.Nullable;

/** What a session asks of the topology: looks things up, checks rights, makes changes. Owned by the session's loop. */
final class Declarations {
    private static final CompletionStage<Long> NOTHING_GOES = CompletableFuture.completedFuture(0L);

    private final ClientSession session;
    private final Rights rights;
    private final Services services;
    private final String virtualHost;
    private final long owner;
    private final boolean isSystem;

    Declarations(ClientSession session, Rights rights, Services services, SessionOwner owner) {
        this.session = session;
        this.rights = rights;
        this.services = services;
        this.virtualHost = owner.virtualHost();
        this.owner = owner.id();
        this.isSystem = owner.isSystem();
    }

    /** A queue that the session may read from. */
    LocalQueue queueToRead(String name) {
        rights.require(Action.READ, Kind.QUEUE, name);
        return live(mine(name));
    }

    /** A queue that the session may take messages from. */
    LocalQueue queueToConsume(String name) {
        LocalQueue queue = queueToRead(name);
        if (queue.spec().retention() == Retention.LATEST_PER_KEY) {
            throw BrokerException.session(
                    ErrorKind.PRECONDITION_FAILED,
                    "queue '" + name + "' in vhost '" + virtualHost
                            + "' keeps the latest message of each key: it can be read, but not consumed from");
        }
        return queue;
    }

    CompletionStage<TopologyAnswer.Queue> inspectQueue(String name) {
        rights.require(Action.DESCRIBE, Kind.QUEUE, name);
        return describe(mine(name), false);
    }

    ExchangeSpec inspectExchange(String name) {
        rights.require(Action.DESCRIBE, Kind.EXCHANGE, name);
        Exchange exchange = host().exchange(name);
        if (exchange == null) {
            throw BrokerException.session(
                    ErrorKind.NOT_FOUND, "no exchange '" + name + "' in vhost '" + virtualHost + "'");
        }
        return exchange.spec();
    }

    List<BindingSpec> bindingsOf(BindingSpec.Destination destination) {
        rights.require(Action.DESCRIBE, kind(destination), destination.name());
        return List.copyOf(host().bindingsTo(destination));
    }

    List<BindingSpec> bindingsFrom(String name, RoutingKey key) {
        rights.require(Action.DESCRIBE, Kind.EXCHANGE, name);
        Exchange exchange = host().exchange(name);
        return exchange == null ? List.of() : exchange.bindings(key);
    }

    /** Of the queues that may be asked about. */
    List<String> queueNames(String prefix) {
        List<String> names = new ArrayList<>();
        for (QueueNode queue : host().queues()) {
            String name = queue.name();
            if (name.startsWith(prefix) && rights.may(Action.DESCRIBE, Kind.QUEUE, name)) {
                names.add(name);
            }
        }
        return names;
    }

    /** Makes changes, all or none. */
    CompletionStage<List<TopologyAnswer>> change(List<TopologyChange> changes) {
        if (changes.size() > Session.CHANGES_MAX) {
            throw BrokerException.session(
                    ErrorKind.PRECONDITION_FAILED, "more than " + Session.CHANGES_MAX + " changes at once");
        }
        check(changes);
        return inOrder(changes, this::whatGoes)
                .thenCompose(going -> decide(changes).thenCompose(outcomes -> answers(changes, going, outcomes)));
    }

    private CompletionStage<List<TopologyOutcome>> decide(List<TopologyChange> changes) {
        return isSystem
                ? services.topology().changeAsSystem(virtualHost, owner, changes, session.loop())
                : services.topology().change(virtualHost, owner, changes, session.loop());
    }

    private void check(List<TopologyChange> changes) {
        for (int i = 0; i < changes.size(); i++) {
            check(changes.get(i), changes.subList(0, i));
        }
    }

    /** Asks one after the other. */
    private static <T, A> CompletionStage<List<A>> inOrder(List<T> all, Function<T, CompletionStage<A>> question) {
        CompletionStage<List<A>> answers = CompletableFuture.completedFuture(new ArrayList<>());
        for (T each : all) {
            answers = answers.thenCompose(before -> question.apply(each).thenApply(answer -> {
                before.add(answer);
                return before;
            }));
        }
        return answers;
    }

    /** The ready messages that a change takes away with it, where it may. */
    private CompletionStage<Long> whatGoes(TopologyChange change) {
        if (!(change instanceof TopologyChange.DeleteQueue deletion)) {
            return NOTHING_GOES;
        }
        QueueNode node = host().queue(deletion.name());
        if (node == null) {
            return NOTHING_GOES;
        }
        checkMine(node);
        return describe(node, false).thenApply(found -> {
            if (deletion.onlyIfUnused() && found.consumers() > 0) {
                throw precondition(node, "in use");
            }
            if (deletion.onlyIfEmpty() && found.messages() > 0) {
                throw precondition(node, "not empty");
            }
            return found.messages();
        });
    }

    private CompletionStage<List<TopologyAnswer>> answers(
            List<TopologyChange> changes, List<Long> going, List<TopologyOutcome> outcomes) {
        List<Integer> indexes = IntStream.range(0, changes.size()).boxed().toList();
        return inOrder(indexes, i -> answer(outcomes.get(i), going.get(i)));
    }

    /** Checks the rights to a change that follows others. */
    private void check(TopologyChange change, List<TopologyChange> before) {
        if (change instanceof TopologyChange.DeclareExchange declare) {
            ExchangeSpec spec = declare.spec();
            rights.require(Action.CREATE, Kind.EXCHANGE, spec.name());
            if (spec.alternate() != null) {
                rights.require(Action.READ, Kind.EXCHANGE, spec.name());
                rights.require(Action.WRITE, Kind.EXCHANGE, spec.alternate());
            }
        } else if (change instanceof TopologyChange.DeleteExchange delete) {
            rights.require(Action.DELETE, Kind.EXCHANGE, delete.name());
        } else if (change instanceof TopologyChange.DeclareQueue declare) {
            QueueSpec spec = declare.spec();
            rights.require(Action.CREATE, Kind.QUEUE, spec.name());
            DeadLetter deadLetter = spec.deadLetter();
            if (deadLetter != null) {
                rights.require(Action.READ, Kind.QUEUE, spec.name());
                rights.require(Action.WRITE, Kind.EXCHANGE, deadLetter.exchange());
            }
        } else if (change instanceof TopologyChange.ChangeLimits limit) {
            rights.require(Action.CREATE, Kind.QUEUE, limit.queue());
        } else if (change instanceof TopologyChange.DeleteQueue delete) {
            rights.require(Action.DELETE, Kind.QUEUE, delete.name());
        } else if (change instanceof TopologyChange.Bind bind) {
            check(bind.binding(), before);
        } else if (change instanceof TopologyChange.Unbind unbind) {
            check(unbind.binding(), before);
        }
    }

    private void check(BindingSpec binding, List<TopologyChange> before) {
        rights.require(
                Action.WRITE, kind(binding.destination()), binding.destination().name());
        rights.require(Action.READ, Kind.EXCHANGE, binding.source());
        if (isTopic(binding.source(), before)) {
            rights.requireTopic(Action.READ, binding.source(), binding.key().toString());
        }
    }

    /** Whether an exchange is a topic exchange, or is declared as one by then. */
    private boolean isTopic(String name, List<TopologyChange> before) {
        Exchange exchange = host().exchange(name);
        if (exchange != null) {
            return Rights.isTopic(exchange.spec());
        }
        for (TopologyChange change : before) {
            if (change instanceof TopologyChange.DeclareExchange declare
                    && declare.spec().name().equals(name)
                    && Rights.isTopic(declare.spec())) {
                return true;
            }
        }
        return false;
    }

    private static Kind kind(BindingSpec.Destination destination) {
        return switch (destination.kind()) {
            case QUEUE -> Kind.QUEUE;
            case EXCHANGE -> Kind.EXCHANGE;
        };
    }

    private CompletionStage<TopologyAnswer> answer(TopologyOutcome outcome, long gone) {
        if (outcome instanceof TopologyOutcome.QueueIs queue) {
            return describe(queue.queue(), queue.created()).thenApply(described -> described);
        }
        return CompletableFuture.completedFuture(plainAnswer(outcome, gone));
    }

    private static TopologyAnswer plainAnswer(TopologyOutcome outcome, long messages) {
        if (outcome instanceof TopologyOutcome.ExchangeIs exchange) {
            return new TopologyAnswer.Exchange(exchange.exchange().spec(), exchange.created());
        }
        if (outcome instanceof TopologyOutcome.Gone gone) {
            return new TopologyAnswer.Deleted(gone.existed(), gone.existed() ? messages : 0);
        }
        return new TopologyAnswer.Bound();
    }

    /** A queue with how much is in it; that it is asked about counts as use. */
    private CompletionStage<TopologyAnswer.Queue> describe(QueueNode node, boolean created) {
        LocalQueue queue = services.queues().get(node.id());
        boolean idles = node.settings().limits().idleMillis().isPresent();
        if (queue == null || (queue.home() == null && !idles)) {
            long stored = queue == null ? 0 : queue.stored();
            return CompletableFuture.completedFuture(new TopologyAnswer.Queue(node.spec(), created, stored, 0));
        }
        return session.ask(queue, q -> {
            q.used();
            QueueReport report = q.report();
            return new TopologyAnswer.Queue(node.spec(), created, report.ready(), report.consumers());
        });
    }

    private BrokerException precondition(QueueNode node, String state) {
        return BrokerException.session(
                ErrorKind.PRECONDITION_FAILED, "queue '" + node.name() + "' in vhost '" + virtualHost + "' " + state);
    }

    private QueueNode mine(String name) {
        QueueNode node = host().queue(name);
        if (node == null) {
            throw ClientSession.noQueue(name, virtualHost);
        }
        checkMine(node);
        return node;
    }

    private void checkMine(QueueNode node) {
        if (!isSystem && node.owner() != 0 && node.owner() != owner) {
            throw BrokerException.session(
                    ErrorKind.RESOURCE_LOCKED,
                    "cannot obtain exclusive access to locked queue '" + node.name() + "' in vhost '" + virtualHost
                            + "'. It could be originally declared on another connection or the exclusive property"
                            + " value does not match that of the original declaration.");
        }
    }

    private LocalQueue live(QueueNode node) {
        @Nullable LocalQueue queue = services.queues().get(node.id());
        if (queue == null) {
            throw ClientSession.noQueue(node.name(), virtualHost);
        }
        return queue;
    }

    private VirtualHost host() {
        VirtualHost host = services.topology().current().virtualHost(virtualHost);
        if (host == null) {
            throw BrokerException.connection(ErrorKind.NOT_ALLOWED, "vhost " + virtualHost + " not found");
        }
        return host;
    }
}
