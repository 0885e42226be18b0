package org.entrepot.amqp.v091;

import java.util.HashMap;
import java.util.Map;
import java.util.OptionalLong;
import org.entrepot.amqp.v091.wire.DeliveryWriter;
import org.entrepot.amqp.v091.wire.Method;
import org.entrepot.amqp.v091.wire.Methods;
import org.entrepot.amqp.v091.wire.ReplyCode;
import org.entrepot.amqp.v091.wire.WireException;
import org.entrepot.spi.message.Bytes;
import org.entrepot.spi.message.Envelope;
import org.entrepot.spi.message.Message;
import org.entrepot.spi.session.ConsumerSpec;
import org.entrepot.spi.session.Deliveries;
import org.entrepot.spi.session.QueueHandle;
import org.entrepot.spi.session.Session;
import org.entrepot.spi.topology.TopologyChange.DeclareQueue;
import org.jspecify.annotations.Nullable;

/** The consumers of one channel, basic.get, and what both are delivered. Owned by the channel's loop. */
final class Consumers {

    /** What a basic.deliver takes besides consumer tag and message, with the longest names. */
    private static final int DELIVERY_BYTES = 560;

    private final AmqpChannel channel;
    private final Capabilities capabilities;
    private final Outbound outbound;
    private final Session session;
    private final DeliveryTags tags;
    private final String virtualHost;
    private final AmqpSettings settings;
    private final Map<String, ChannelConsumer> byTag = new HashMap<>();
    private int window;
    private @Nullable ChannelConsumer replyConsumer;

    Consumers(
            AmqpChannel channel,
            Capabilities capabilities,
            Outbound outbound,
            Session session,
            DeliveryTags tags,
            String virtualHost,
            AmqpSettings settings) {
        this.channel = channel;
        this.capabilities = capabilities;
        this.outbound = outbound;
        this.session = session;
        this.tags = tags;
        this.virtualHost = virtualHost;
        this.settings = settings;
    }

    void qos(Method.BasicQos method) {
        if (method.prefetchSize() != 0) {
            throw new WireException(
                    ReplyCode.NOT_IMPLEMENTED, "prefetch_size!=0 (" + method.prefetchSize() + ")", method.number());
        }
        // Before what a larger window lets through.
        channel.reply(new Method.BasicQosOk());
        if (method.global()) {
            session.sharedWindow(method.prefetchCount());
        } else {
            session.sharedWindow(0);
            window = method.prefetchCount();
        }
    }

    /** The queue's name is resolved already. */
    void consume(Method.BasicConsume method, String queue) {
        if (byTag.containsKey(method.consumerTag())) {
            throw notAllowed("attempt to reuse consumer tag '" + method.consumerTag() + "'");
        }
        if (byTag.size() >= settings.channelConsumersMax()) {
            throw notAllowed("reached maximum (" + settings.channelConsumersMax() + ") of consumers per channel");
        }
        if (queue.equals(ReplyTo.PSEUDO_QUEUE)) {
            consumeReplies(method);
            return;
        }
        ConsumerArguments arguments = ConsumerArguments.of(virtualHost, queue, method.arguments());
        if (arguments.ofStreams().isPresent()) {
            String argument = arguments.ofStreams().get();
            channel.await(session.inspectQueue(queue), answer -> {
                throw AmqpChannel.preconditionFailed("invalid arg '" + argument + "' for "
                        + Names.queue(virtualHost, queue) + " of queue type "
                        + QueueType.of(answer.spec()).moduleName());
            });
            return;
        }
        start(
                new ChannelConsumer(this, tag(method), method.noAck(), method.noWait()),
                new ConsumerSpec(
                        queue,
                        method.consumerTag(),
                        method.noAck(),
                        method.exclusive(),
                        arguments.priority(),
                        window,
                        arguments.leaseMillis(),
                        method.arguments().values()));
    }

    private static WireException notAllowed(String text) {
        return new WireException(ReplyCode.NOT_ALLOWED, text, Methods.BASIC_CONSUME);
    }

    private String tag(Method.BasicConsume method) {
        return method.consumerTag().isEmpty() ? session.generateName("amq.ctag-") : method.consumerTag();
    }

    private void start(ChannelConsumer consumer, ConsumerSpec spec) {
        byTag.put(consumer.tag(), consumer);
        channel.await(session.consume(spec, consumer), started -> {
            consumer.started(started);
            consumer.announce();
        });
    }

    private void consumeReplies(Method.BasicConsume method) {
        if (!method.noAck()) {
            throw AmqpChannel.preconditionFailed("reply consumer cannot acknowledge");
        }
        if (replyConsumer != null) {
            throw AmqpChannel.preconditionFailed("reply consumer already set");
        }
        String address = session.generateName(ReplyTo.ADDRESS_PREFIX);
        ChannelConsumer consumer = new ChannelConsumer(this, tag(method), true, method.noWait());
        ConsumerSpec spec = new ConsumerSpec(
                address,
                consumer.tag(),
                true,
                true,
                0,
                0,
                OptionalLong.empty(),
                method.arguments().values());
        channel.await(session.change(new DeclareQueue(ReplyTo.queue(address), true)), declared -> {
            replyConsumer = consumer;
            start(consumer, spec);
        });
    }

    /** What stands for {@link ReplyTo#PSEUDO_QUEUE} in the requests of this channel. */
    String replyAddress() {
        ChannelConsumer present = replyConsumer;
        if (present == null) {
            throw AmqpChannel.preconditionFailed("fast reply consumer does not exist");
        }
        return present.queue();
    }

    void cancel(Method.BasicCancel method) {
        ChannelConsumer consumer = byTag.get(method.consumerTag());
        if (consumer == null) {
            channel.reply(method.noWait(), new Method.BasicCancelOk(method.consumerTag()));
            return;
        }
        channel.await(consumer.cancel(), cancelled -> {
            forget(consumer);
            channel.reply(method.noWait(), new Method.BasicCancelOk(method.consumerTag()));
        });
    }

    private void forget(ChannelConsumer consumer) {
        byTag.remove(consumer.tag(), consumer);
        if (consumer == replyConsumer) {
            replyConsumer = null;
        }
    }

    /** The broker ended a consumer. */
    void revoked(ChannelConsumer consumer) {
        forget(consumer);
        if (channel.isOpen() && capabilities.consumerCancelNotify()) {
            consumer.announce();
            channel.reply(new Method.BasicCancel(consumer.tag(), true));
        }
    }

    void announce(ChannelConsumer consumer) {
        channel.reply(new Method.BasicConsumeOk(consumer.tag()));
    }

    void deliver(ChannelConsumer consumer, Deliveries deliveries) {
        if (!channel.isOpen()) {
            return;
        }
        // The client must know of the consumer before it gets anything for it.
        consumer.announce();
        DeliveryWriter writer = outbound.deliveryWriter();
        DeliveredContent content = outbound.deliveredContent();
        byte[] tagBytes = consumer.tagBytes();
        boolean countsReturns = countsReturns(deliveries.queue());
        for (int i = 0, size = deliveries.size(); i < size; i++) {
            Message message = deliveries.message(i);
            Envelope envelope = deliveries.envelope(i);
            Bytes header = content.header(
                    message, envelope, deliveries.annotations(i), countsReturns ? deliveries.returns(i) : 0);
            Bytes body = message.body();
            writer.deliver(
                    outbound.room(DELIVERY_BYTES + tagBytes.length + frameBytes(header, body)),
                    channel.number(),
                    tagBytes,
                    consumer.settled() ? tags.skip() : tags.add(deliveries.queue(), deliveries.position(i)),
                    deliveries.redelivered(i),
                    envelope.exchange(),
                    content.key(message, envelope),
                    header,
                    body);
        }
    }

    /** Only a quorum queue tells how often a message came back. */
    static boolean countsReturns(QueueHandle queue) {
        return QueueType.of(queue.spec()) == QueueType.QUORUM;
    }

    private static int frameBytes(Bytes header, Bytes body) {
        // Frames of the least size add a five-hundredth.
        return header.length() + body.length() + (body.length() >> 8);
    }

    /** The queue's name is resolved already. */
    void get(Method.BasicGet method, String queue) {
        PulledMessage pulled = new PulledMessage(outbound.deliveredContent());
        channel.await(session.pull(queue, method.noAck(), pulled), remaining -> {
            if (remaining.isEmpty()) {
                channel.reply(new Method.BasicGetEmpty());
            } else {
                pulled.write(
                        outbound.deliveryWriter(),
                        outbound.room(DELIVERY_BYTES + frameBytes(pulled.header(), pulled.body())),
                        channel.number(),
                        method.noAck() ? tags.skip() : tags.add(pulled.queue(), pulled.position()),
                        remaining.get());
            }
        });
    }
}
