package org.entrepot.amqp.v091;

import org.entrepot.amqp.v091.wire.FieldTable;
import org.entrepot.amqp.v091.wire.Method;
import org.entrepot.spi.BrokerException;
import org.entrepot.spi.ErrorKind;
import org.entrepot.spi.message.Bytes;
import org.entrepot.spi.message.RoutingKey;
import org.entrepot.spi.session.Session;
import org.entrepot.spi.topology.BindingSpec;
import org.entrepot.spi.topology.ExchangeSpec;
import org.entrepot.spi.topology.TopologyAnswer;
import org.entrepot.spi.topology.TopologyChange;

/** The methods of class exchange on one channel. Owned by the channel's loop. */
final class Exchanges {
    private static final String SYSTEM_PREFIX = "amq.";

    private final Replies replies;
    private final Session session;
    private final String virtualHost;

    Exchanges(Replies replies, Session session, String virtualHost) {
        this.replies = replies;
        this.session = session;
        this.virtualHost = virtualHost;
    }

    void declare(Method.ExchangeDeclare method) {
        String name = Names.stripped(method.exchange());
        checkNotDefault(name);
        if (method.passive()) {
            session.inspectExchange(name);
            replies.reply(method.noWait(), new Method.ExchangeDeclareOk());
            return;
        }
        ExchangeSpec asked = ExchangeArguments.spec(
                virtualHost,
                name,
                method.type(),
                method.durable(),
                method.autoDelete(),
                method.internal(),
                method.arguments());
        replies.await(session.change(new TopologyChange.DeclareExchange(asked)), answer -> {
            TopologyAnswer.Exchange declared = (TopologyAnswer.Exchange) answer;
            if (!declared.created()) {
                Equivalence.check(virtualHost, declared.spec(), asked);
            }
            replies.reply(method.noWait(), new Method.ExchangeDeclareOk());
        });
    }

    void delete(Method.ExchangeDelete method) {
        String name = Names.stripped(method.exchange());
        checkNotDefault(name);
        if (name.startsWith(SYSTEM_PREFIX)) {
            throw BrokerException.session(
                    ErrorKind.ACCESS_REFUSED,
                    "deletion of system " + Names.exchange(virtualHost, name) + " not allowed");
        }
        replies.await(
                session.change(new TopologyChange.DeleteExchange(name, method.ifUnused())),
                deleted -> replies.reply(method.noWait(), new Method.ExchangeDeleteOk()));
    }

    void bind(Method.ExchangeBind method) {
        BindingSpec binding = binding(method.source(), method.destination(), method.routingKey(), method.arguments());
        replies.await(
                session.change(new TopologyChange.Bind(binding)),
                bound -> replies.reply(method.noWait(), new Method.ExchangeBindOk()));
    }

    void unbind(Method.ExchangeUnbind method) {
        BindingSpec binding = binding(method.source(), method.destination(), method.routingKey(), method.arguments());
        replies.await(
                session.change(new TopologyChange.Unbind(binding)),
                unbound -> replies.reply(method.noWait(), new Method.ExchangeUnbindOk()));
    }

    private static BindingSpec binding(String source, String destination, Bytes key, FieldTable arguments) {
        String from = Names.stripped(source);
        String to = Names.stripped(destination);
        checkNotDefault(to);
        checkNotDefault(from);
        return new BindingSpec(from, BindingSpec.Destination.exchange(to), RoutingKey.of(key), arguments.values());
    }

    /** The default exchange is nobody's to declare, delete or bind. */
    static void checkNotDefault(String exchange) {
        if (Names.isDefaultExchange(exchange)) {
            throw BrokerException.session(ErrorKind.ACCESS_REFUSED, "operation not permitted on the default exchange");
        }
    }
}
