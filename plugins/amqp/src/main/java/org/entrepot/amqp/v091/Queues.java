package org.entrepot.amqp.v091;

import org.entrepot.amqp.v091.wire.FieldTable;
import org.entrepot.amqp.v091.wire.Method;
import org.entrepot.amqp.v091.wire.ReplyCode;
import org.entrepot.spi.BrokerException;
import org.entrepot.spi.ErrorKind;
import org.entrepot.spi.message.Bytes;
import org.entrepot.spi.message.RoutingKey;
import org.entrepot.spi.session.Session;
import org.entrepot.spi.topology.BindingSpec;
import org.entrepot.spi.topology.QueueSpec;
import org.entrepot.spi.topology.TopologyAnswer;
import org.entrepot.spi.topology.TopologyChange;

/** The methods of class queue on one channel, and the queue it declared last. Owned by the channel's loop. */
final class Queues {
    private static final String SERVER_NAMED_PREFIX = "amq.gen-";

    private final Replies replies;
    private final Session session;
    private final String virtualHost;
    private final AmqpSettings settings;
    private String lastDeclared = "";

    Queues(Replies replies, Session session, String virtualHost, AmqpSettings settings) {
        this.replies = replies;
        this.session = session;
        this.virtualHost = virtualHost;
        this.settings = settings;
    }

    /** The queue that a client names; no name is for the queue that the channel declared last. */
    String named(String queue) {
        if (!queue.isEmpty()) {
            return queue;
        }
        if (lastDeclared.isEmpty()) {
            throw BrokerException.session(ErrorKind.NOT_FOUND, "no previously declared queue");
        }
        return lastDeclared;
    }

    void declare(Method.QueueDeclare method) {
        String name = Names.stripped(method.queue());
        if (name.equals(ReplyTo.PSEUDO_QUEUE)) {
            declared(method, name, 0, 1);
        } else if (name.startsWith(ReplyTo.ADDRESS_PREFIX)) {
            declareReplyAddress(method, name);
        } else if (method.passive()) {
            replies.await(
                    session.inspectQueue(name),
                    found -> declared(method, found.spec().name(), found.messages(), found.consumers()));
        } else {
            boolean nameMadeUp = name.isEmpty();
            declareQueue(method, nameMadeUp ? serverName(method) : name, nameMadeUp);
        }
    }

    private String serverName(Method.QueueDeclare method) {
        QueueType type = QueueArguments.type(virtualHost, "", method.arguments());
        if (type != QueueType.CLASSIC) {
            throw AmqpChannel.preconditionFailed("Cannot declare a server-named queue for type " + type.moduleName());
        }
        return session.generateName(SERVER_NAMED_PREFIX);
    }

    private void declareQueue(Method.QueueDeclare method, String name, boolean nameMadeUp) {
        QueueSpec asked = QueueArguments.spec(
                virtualHost,
                name,
                method.durable(),
                method.exclusive(),
                method.autoDelete(),
                method.arguments(),
                settings.consumerTimeoutMillis());
        replies.await(session.change(new TopologyChange.DeclareQueue(asked, nameMadeUp)), answer -> {
            TopologyAnswer.Queue queue = (TopologyAnswer.Queue) answer;
            if (!queue.created()) {
                Equivalence.check(virtualHost, queue.spec(), asked);
            }
            declared(method, queue.spec().name(), queue.messages(), queue.consumers());
        });
    }

    /** Every declaration of a reply address only asks whether somebody still waits there, whoever that is. */
    private void declareReplyAddress(Method.QueueDeclare method, String address) {
        replies.await(
                session.inspectQueue(address).handle((found, fault) -> {
                    if (fault != null && AmqpError.of(fault, method.number()).code() != ReplyCode.RESOURCE_LOCKED) {
                        throw BrokerException.session(ErrorKind.NOT_FOUND, "no " + Names.queue(virtualHost, address));
                    }
                    return true;
                }),
                alive -> declared(method, address, 0, 1));
    }

    private void declared(Method.QueueDeclare method, String name, long messages, long consumers) {
        lastDeclared = name;
        replies.reply(method.noWait(), new Method.QueueDeclareOk(name, messages, consumers));
    }

    void bind(Method.QueueBind method) {
        BindingSpec binding = binding(method.queue(), method.exchange(), method.routingKey(), method.arguments());
        replies.await(
                session.change(new TopologyChange.Bind(binding)),
                bound -> replies.reply(method.noWait(), new Method.QueueBindOk()));
    }

    void unbind(Method.QueueUnbind method) {
        BindingSpec binding = binding(method.queue(), method.exchange(), method.routingKey(), method.arguments());
        replies.await(
                session.change(new TopologyChange.Unbind(binding)),
                unbound -> replies.reply(new Method.QueueUnbindOk()));
    }

    private BindingSpec binding(String queue, String exchange, Bytes key, FieldTable arguments) {
        String to = Names.stripped(named(queue));
        String from = Names.stripped(exchange);
        if (to.startsWith(ReplyTo.ADDRESS_PREFIX)) {
            throw BrokerException.session(
                    ErrorKind.ACCESS_REFUSED, "cannot bind or unbind to a volatile (direct reply-to) queue");
        }
        Exchanges.checkNotDefault(from);
        // Neither queue nor key named: both are the queue declared last.
        boolean unnamed = queue.isEmpty() && key.length() == 0;
        return new BindingSpec(
                from,
                BindingSpec.Destination.queue(to),
                unnamed ? RoutingKey.of(to) : RoutingKey.of(key),
                arguments.values());
    }

    void purge(Method.QueuePurge method) {
        replies.await(
                session.purge(named(method.queue())),
                purged -> replies.reply(method.noWait(), new Method.QueuePurgeOk(purged)));
    }

    void delete(Method.QueueDelete method) {
        String name = Names.stripped(named(method.queue()));
        replies.await(
                session.change(new TopologyChange.DeleteQueue(name, method.ifUnused(), method.ifEmpty())), answer -> {
                    TopologyAnswer.Deleted deleted = (TopologyAnswer.Deleted) answer;
                    replies.reply(method.noWait(), new Method.QueueDeleteOk(deleted.messages()));
                });
    }
}
