package org.entrepot.core.session;

import io.netty.buffer.ByteBuf;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Function;
import org.entrepot.core.loop.Loop;
import org.entrepot.core.loop.OwnedBy;
import org.entrepot.core.queue.DeliveryBatch;
import org.entrepot.core.queue.LocalQueue;
import org.entrepot.core.queue.Publisher;
import org.entrepot.core.queue.QueueConsumer;
import org.entrepot.core.routing.Route;
import org.entrepot.core.topology.QueueNode;
import org.entrepot.core.topology.Topology;
import org.entrepot.spi.BrokerException;
import org.entrepot.spi.ErrorKind;
import org.entrepot.spi.message.Envelope;
import org.entrepot.spi.message.Message;
import org.entrepot.spi.message.RoutingKey;
import org.entrepot.spi.security.Permission;
import org.entrepot.spi.security.Principal;
import org.entrepot.spi.session.Address;
import org.entrepot.spi.session.Consumer;
import org.entrepot.spi.session.ConsumerSpec;
import org.entrepot.spi.session.Deliveries;
import org.entrepot.spi.session.DeliverySink;
import org.entrepot.spi.session.Outcome;
import org.entrepot.spi.session.QueueHandle;
import org.entrepot.spi.session.Session;
import org.entrepot.spi.session.SessionListener;
import org.entrepot.spi.session.Transaction;
import org.entrepot.spi.topology.BindingSpec;
import org.entrepot.spi.topology.ExchangeSpec;
import org.entrepot.spi.topology.TopologyAnswer;
import org.entrepot.spi.topology.TopologyChange;
import org.jspecify.annotations.Nullable;

/** A session of a client's connection, or of a plugin. */
@OwnedBy("its owner's loop")
final class ClientSession implements Session, Publisher {
    /** Publishes, and bytes of them, that may wait for receipts before the socket is no longer read. */
    private static final int OUTSTANDING_MAX = 1 << 16;

    private static final long OUTSTANDING_BYTES_MAX = 16 << 20;

    /** What {@link #read} gives where nothing was. */
    private static final Long NOTHING_TO_READ = -1L;

    private final SessionOwner owner;
    private final SessionListener listener;
    private final Services services;
    private final Loop loop;
    private final Rights rights;
    private final Receipts receipts;
    private final OutstandingBytes outstandingOfAll;
    private final Declarations declarations;
    private final SharedWindow sharedWindow = new SharedWindow();
    private final List<SessionConsumer> consumers = new ArrayList<>(1);
    /** Queues that may hold deliveries for this session. */
    private final Set<LocalQueue> touched = new LinkedHashSet<>(2);

    private final ArrayList<LocalQueue> targets = new ArrayList<>();
    private final ArrayDeque<Held> held = new ArrayDeque<>(0);
    private int heldBytes;
    private boolean draining;
    /** How many completed calls are being told of, one in the other. */
    private int telling;

    private int underWay;
    private @Nullable CompletableFuture<Void> closed;

    /** Work that waits for the session to be idle. */
    private record Held(Runnable work, int bytes) {}

    ClientSession(SessionOwner owner, SessionListener listener, Services services) {
        this.owner = owner;
        this.listener = listener;
        this.services = services;
        this.loop = owner.loop();
        this.rights = new Rights(owner.access(), owner.principal(), owner.virtualHost(), owner.clientId());
        this.outstandingOfAll = services.outstanding(loop);
        this.receipts = new Receipts(listener, outstandingOfAll);
        this.declarations = new Declarations(this, rights, services, owner);
    }

    SessionOwner owner() {
        return owner;
    }

    @Override
    public Loop loop() {
        return loop;
    }

    SharedWindow sharedWindow() {
        return sharedWindow;
    }

    // Order.

    @Override
    public boolean busy() {
        return underWay > 0;
    }

    @Override
    public void whenIdle(Runnable work, int bytes) {
        assert loop.owns();
        if (!busy() && held.isEmpty() && !draining) {
            work.run();
            return;
        }
        held.add(new Held(work, bytes));
        heldBytes += bytes;
        if (heldBytes > HELD_BYTES_MAX) {
            owner.pause(ReadPause.SESSION_BUSY);
        }
    }

    /** What waits has its turn once whoever was told of a call has made those that are to follow it. */
    private void drainHeld() {
        if (draining || telling > 0) {
            return;
        }
        draining = true;
        try {
            Held next;
            while (!busy() && (next = held.poll()) != null) {
                heldBytes -= next.bytes();
                next.work().run();
            }
        } finally {
            draining = false;
        }
        if (heldBytes <= HELD_BYTES_MAX / 2) {
            owner.unpause(ReadPause.SESSION_BUSY);
        }
    }

    /** Runs a call that later ones wait for; its stage completes on this loop. */
    <T> CompletionStage<T> exclusively(CompletionStage<T> call) {
        underWay++;
        CompletableFuture<T> answer = new CompletableFuture<>();
        call.whenComplete((result, failure) -> loop.run(() -> {
            underWay--;
            telling++;
            try {
                if (failure == null) {
                    answer.complete(result);
                } else {
                    boolean wrapped = failure instanceof CompletionException && failure.getCause() != null;
                    answer.completeExceptionally(wrapped ? failure.getCause() : failure);
                }
            } finally {
                telling--;
            }
            drainHeld();
        }));
        return answer;
    }

    /** Asks a queue something on its loop, as soon as it is open, and brings the answer back to this one. */
    <T> CompletionStage<T> ask(LocalQueue queue, Function<LocalQueue, T> question) {
        return askAndWait(queue, q -> CompletableFuture.completedFuture(question.apply(q)));
    }

    /** The same where the queue's answer may take its time. */
    private <T> CompletionStage<T> askAndWait(LocalQueue queue, Function<LocalQueue, CompletionStage<T>> question) {
        CompletableFuture<T> answer = new CompletableFuture<>();
        Loop home = queue.home(loop);
        if (home == loop) {
            queue.whenOpen(() -> answered(queue, question, answer, Runnable::run));
        } else {
            services.handover(loop)
                    .to(home)
                    .run(() -> queue.whenOpen(() -> answered(
                            queue, question, answer, services.handover(home).to(loop)::run)));
        }
        return answer;
    }

    /** Asks now, on the queue's loop; the answer is completed on this one. */
    private static <T> void answered(
            LocalQueue queue,
            Function<LocalQueue, CompletionStage<T>> question,
            CompletableFuture<T> answer,
            Executor reply) {
        try {
            question.apply(queue)
                    .whenComplete((result, failure) -> reply.execute(() -> {
                        if (failure == null) {
                            answer.complete(result);
                        } else {
                            answer.completeExceptionally(failure);
                        }
                    }));
        } catch (BrokerException refusal) {
            reply.execute(() -> answer.completeExceptionally(refusal));
        }
    }

    private void mustBeIdle() {
        assert loop.owns();
        if (busy()) {
            throw new IllegalStateException("the session is busy: wait with whenIdle");
        }
        if (closed != null) {
            throw new IllegalStateException("the session is closed");
        }
    }

    // Publishing.

    @Override
    public Address address(ByteBuf buffer, int exchangeIndex, int exchangeLength, int keyIndex, int keyLength) {
        return services.addresses(loop)
                .get(owner.virtualHost(), buffer, exchangeIndex, exchangeLength, keyIndex, keyLength);
    }

    @Override
    public Address address(String exchange, RoutingKey key) {
        return new PublishAddress(owner.virtualHost(), exchange, key);
    }

    @Override
    public Address queueAddress(String queue, RoutingKey key) {
        return new QueueAddress(owner.virtualHost(), queue, key);
    }

    @Override
    public boolean mayPublish(Address to) {
        try {
            if (to instanceof QueueAddress direct) {
                queueAt(direct);
            } else {
                PublishAddress address = (PublishAddress) to;
                rights.mayPublish(
                        address, address.route(services.topology().current(), services.router(), services.queues()));
            }
            return true;
        } catch (BrokerException refusal) {
            return false;
        }
    }

    @Override
    public Routed publish(Address to, Message message, Envelope envelope) {
        mustBeIdle();
        if (services.interceptsPublishes()) {
            var publish = services.intercept(owner.principal(), owner.virtualHost(), message, envelope);
            return route(to, publish.message(), publish.envelope());
        }
        return route(to, message, envelope);
    }

    private Routed route(Address to, Message message, Envelope envelope) {
        if (to instanceof QueueAddress direct) {
            LocalQueue queue = queueAt(direct);
            owner.publishing();
            offer(queue, message, envelope, receipts.begin(1, message.size()));
            offered();
            return Routed.TO_QUEUES;
        }
        return route((PublishAddress) to, message, envelope);
    }

    private LocalQueue queueAt(QueueAddress address) {
        rights.mayPublish(address);
        LocalQueue queue = address.queue(services.topology().current(), services.queues());
        if (queue == null) {
            throw noQueue(address.name(), owner.virtualHost());
        }
        return queue;
    }

    private Routed route(PublishAddress address, Message message, Envelope envelope) {
        Topology topology = services.topology().current();
        Route route = address.route(topology, services.router(), services.queues());
        rights.mayPublish(address, route);
        owner.publishing();
        if (isPlain(route, envelope)) {
            LocalQueue[] queues = address.queues();
            long number = receipts.begin(queues.length, message.size());
            for (int i = 0; i < queues.length; i++) {
                offer(queues[i], message, envelope, number);
            }
            offered();
            return queues.length == 0 ? Routed.NOWHERE : Routed.TO_QUEUES;
        }
        return routeByLooking(topology, address, message, envelope);
    }

    /** Routes a message that has to be looked into, or has copies. */
    private Routed routeByLooking(Topology topology, PublishAddress address, Message message, Envelope envelope) {
        targets.clear();
        address.route(topology, services.router(), message, envelope, this::target);
        int count = targets.size();
        long number = receipts.begin(count, message.size());
        for (int i = 0; i < count; i++) {
            offer(targets.get(i), message, envelope, number);
        }
        targets.clear();
        offered();
        return count == 0 ? Routed.NOWHERE : Routed.TO_QUEUES;
    }

    private void target(QueueNode node) {
        LocalQueue queue = services.queues().get(node.id());
        if (queue != null) {
            targets.add(queue);
        }
    }

    private void offer(LocalQueue queue, Message message, Envelope envelope, long number) {
        Loop home = queue.home(loop);
        if (home == loop) {
            queue.enqueue(message, envelope, this, number);
        } else {
            services.handover(loop).to(home).enqueue(queue, message, envelope, this, number);
        }
    }

    private void offered() {
        if (receipts.outstanding() > OUTSTANDING_MAX
                || receipts.outstandingBytes() > OUTSTANDING_BYTES_MAX
                || (receipts.outstanding() > 0 && outstandingOfAll.isMuch())) {
            owner.pause(ReadPause.RECEIPTS);
        }
        if (receipts.hasNews()) {
            owner.flushSoon();
        }
    }

    @Override
    public Transaction begin() {
        mustBeIdle();
        return new ClientTransaction(this, services);
    }

    /** Takes a message for one queue. */
    @FunctionalInterface
    interface Target {
        void offer(LocalQueue queue, Message message, Envelope envelope);
    }

    /** Routes a message that somebody else than the queues gets first. */
    Routed publish(Address to, Message message, Envelope envelope, Target target) {
        mustBeIdle();
        if (services.interceptsPublishes()) {
            var publish = services.intercept(owner.principal(), owner.virtualHost(), message, envelope);
            return route(to, publish.message(), publish.envelope(), target);
        }
        return route(to, message, envelope, target);
    }

    private Routed route(Address to, Message message, Envelope envelope, Target target) {
        if (to instanceof QueueAddress direct) {
            LocalQueue queue = queueAt(direct);
            owner.publishing();
            target.offer(queue, message, envelope);
            return Routed.TO_QUEUES;
        }
        return route((PublishAddress) to, message, envelope, target);
    }

    private Routed route(PublishAddress address, Message message, Envelope envelope, Target target) {
        Topology topology = services.topology().current();
        Route route = address.route(topology, services.router(), services.queues());
        rights.mayPublish(address, route);
        owner.publishing();
        targets.clear();
        if (isPlain(route, envelope)) {
            Collections.addAll(targets, address.queues());
        } else {
            address.route(topology, services.router(), message, envelope, this::target);
        }
        for (LocalQueue queue : targets) {
            target.offer(queue, message, envelope);
        }
        return targets.isEmpty() ? Routed.NOWHERE : Routed.TO_QUEUES;
    }

    private static boolean isPlain(Route route, Envelope envelope) {
        return route.reusable()
                && envelope.copies().isEmpty()
                && envelope.blindCopies().isEmpty();
    }

    @Override
    public long published() {
        return receipts.published();
    }

    @Override
    public void receipt(long number, boolean stored) {
        receipts.answered(number, stored);
        if (closed == null) {
            owner.flushSoon();
        }
        if (receipts.outstanding() <= OUTSTANDING_MAX / 2
                && receipts.outstandingBytes() <= OUTSTANDING_BYTES_MAX / 2
                && (receipts.outstanding() == 0 || outstandingOfAll.hasRoom())) {
            owner.unpause(ReadPause.RECEIPTS);
        }
    }

    /** Tells the protocol of receipts that came in this pass. */
    void tellReceipts() {
        if (closed == null) {
            receipts.tell();
        }
    }

    @Override
    public void hold() {
        owner.hold();
    }

    @Override
    public void resume() {
        owner.resume();
    }

    // Consuming.

    @Override
    public CompletionStage<Consumer> consume(ConsumerSpec spec, DeliverySink sink) {
        mustBeIdle();
        try {
            LocalQueue queue = declarations.queueToConsume(spec.queue());
            owner.checkConsumers();
            SessionConsumer consumer = new SessionConsumer(this, spec, queue, sink);
            consumers.add(consumer);
            touched.add(queue);
            QueueConsumer.Terms terms = new QueueConsumer.Terms(
                    spec.settled(),
                    spec.exclusive(),
                    spec.priority(),
                    spec.window(),
                    sharedWindow.isShared(),
                    spec.leaseMillis());
            CompletionStage<Consumer> attached = ask(
                            queue, q -> q.attach(consumer, this, terms, SessionConsumer.BYTE_CREDIT))
                    .thenApply(inQueue -> {
                        consumer.attached(inQueue);
                        return consumer;
                    });
            return exclusively(attached.whenComplete((done, failure) -> {
                if (failure != null) {
                    forget(consumer);
                }
            }));
        } catch (BrokerException refusal) {
            return CompletableFuture.failedFuture(refusal);
        }
    }

    CompletionStage<Void> cancel(SessionConsumer consumer) {
        mustBeIdle();
        if (consumer.ended() || !consumers.contains(consumer)) {
            return CompletableFuture.completedFuture(null);
        }
        LocalQueue queue = consumer.localQueue();
        return exclusively(ask(queue, q -> {
                    q.detach(consumer.inQueue());
                    return consumer;
                })
                .thenAccept(detached -> {
                    owner.drain(detached);
                    forget(detached);
                }));
    }

    /** The consumer is over; what it delivered can still be settled. */
    void forget(SessionConsumer consumer) {
        if (consumers.remove(consumer)) {
            consumer.end();
            sharedWindow.remove(consumer);
            owner.consumerEnded();
        }
    }

    Deliveries intercepted(DeliveryBatch batch) {
        return services.interceptsDeliveries() ? services.intercept(owner.principal(), batch) : batch;
    }

    @Override
    public CompletionStage<Optional<Long>> pull(String name, boolean settled, DeliverySink sink) {
        mustBeIdle();
        try {
            LocalQueue queue = declarations.queueToConsume(name);
            touched.add(queue);
            return exclusively(askAndWait(queue, q -> q.pull(this, settled)).thenApply(pulled -> {
                pulled.ifPresent(some -> sink.deliver(intercepted(some.delivery())));
                return pulled.map(LocalQueue.Pulled::remaining);
            }));
        } catch (BrokerException refusal) {
            return CompletableFuture.failedFuture(refusal);
        }
    }

    @Override
    public CompletionStage<Long> read(String name, long from, int bytesMax, DeliverySink sink) {
        mustBeIdle();
        if (from < 0 || bytesMax < 1) {
            throw new IllegalArgumentException(
                    "from " + from + " must not be negative, bytesMax " + bytesMax + " must be at least 1");
        }
        try {
            LocalQueue queue = declarations.queueToRead(name);
            touched.add(queue);
            return exclusively(
                    askAndWait(queue, q -> q.read(this, from, bytesMax)).thenApply(read -> {
                        DeliveryBatch found = read.found();
                        if (found == null) {
                            return NOTHING_TO_READ;
                        }
                        sink.deliver(intercepted(found));
                        owner.flushSoon();
                        return read.next();
                    }));
        } catch (BrokerException refusal) {
            return CompletableFuture.failedFuture(refusal);
        }
    }

    void grantBytes(LocalQueue queue, QueueConsumer consumer, long bytes) {
        Loop home = queue.home(loop);
        if (home == loop) {
            queue.grantBytes(consumer, bytes);
        } else {
            services.handover(loop).to(home).grantBytes(queue, consumer, bytes);
        }
    }

    void lend(LocalQueue queue, QueueConsumer consumer, int places) {
        Loop home = queue.home(loop);
        if (home == loop) {
            queue.lend(consumer, places);
        } else {
            services.handover(loop).to(home).lend(queue, consumer, places);
        }
    }

    @Override
    public void settle(QueueHandle handle, long from, long to, Outcome outcome) {
        assert loop.owns();
        LocalQueue queue = (LocalQueue) handle;
        Loop home = queue.home(loop);
        if (home == loop) {
            queue.settle(this, from, to, outcome);
        } else {
            services.handover(loop).to(home).settle(queue, this, from, to, outcome);
        }
    }

    @Override
    public void sharedWindow(int messages) {
        mustBeIdle();
        boolean before = sharedWindow.isShared();
        sharedWindow.resize(messages);
        if (before == sharedWindow.isShared()) {
            return;
        }
        for (SessionConsumer consumer : consumers) {
            LocalQueue queue = consumer.localQueue();
            QueueConsumer inQueue = consumer.inQueue();
            services.handover(loop).to(queue.home(loop)).run(() -> queue.share(inQueue, true));
        }
    }

    // Topology.

    @Override
    public CompletionStage<TopologyAnswer> change(TopologyChange change) {
        mustBeIdle();
        try {
            return exclusively(declarations.change(List.of(change)).thenApply(answers -> answers.get(0)));
        } catch (BrokerException refusal) {
            return CompletableFuture.failedFuture(refusal);
        }
    }

    @Override
    public CompletionStage<List<TopologyAnswer>> change(List<TopologyChange> changes) {
        mustBeIdle();
        try {
            return exclusively(declarations.change(List.copyOf(changes)));
        } catch (BrokerException refusal) {
            return CompletableFuture.failedFuture(refusal);
        }
    }

    @Override
    public CompletionStage<TopologyAnswer.Queue> inspectQueue(String name) {
        mustBeIdle();
        try {
            return exclusively(declarations.inspectQueue(name));
        } catch (BrokerException refusal) {
            return CompletableFuture.failedFuture(refusal);
        }
    }

    @Override
    public ExchangeSpec inspectExchange(String name) {
        mustBeIdle();
        return declarations.inspectExchange(name);
    }

    @Override
    public List<BindingSpec> bindingsOf(BindingSpec.Destination destination) {
        mustBeIdle();
        return declarations.bindingsOf(destination);
    }

    @Override
    public List<BindingSpec> bindingsFrom(String exchange, RoutingKey key) {
        mustBeIdle();
        return declarations.bindingsFrom(exchange, key);
    }

    @Override
    public List<String> queueNames(String prefix) {
        mustBeIdle();
        return declarations.queueNames(prefix);
    }

    @Override
    public CompletionStage<Long> purge(String name) {
        mustBeIdle();
        try {
            LocalQueue queue = declarations.queueToRead(name);
            return exclusively(ask(queue, LocalQueue::purge));
        } catch (BrokerException refusal) {
            return CompletableFuture.failedFuture(refusal);
        }
    }

    @Override
    public String generateName(String prefix) {
        return services.generateName(prefix);
    }

    // Ending.

    /** A delivery was held too long. */
    void leaseExpired(long leaseMillis) {
        if (closed == null) {
            listener.leaseExpired(leaseMillis);
            owner.flushSoon();
        }
    }

    /** Consumers whose queues may no longer be read are revoked. */
    void recheck(Principal fresh) {
        rights.renew(fresh);
        for (SessionConsumer consumer : List.copyOf(consumers)) {
            if (!rights.may(
                    Permission.Action.READ,
                    Permission.Kind.QUEUE,
                    consumer.spec().queue())) {
                ask(consumer.localQueue(), q -> {
                            q.detach(consumer.inQueue());
                            return consumer;
                        })
                        .thenAccept(detached -> detached.revoked("access refused"));
            }
        }
    }

    @Override
    public CompletionStage<Void> close() {
        assert loop.owns();
        CompletableFuture<Void> closing = closed;
        if (closing != null) {
            return closing;
        }
        CompletableFuture<Void> done = new CompletableFuture<>();
        closed = done;
        held.clear();
        heldBytes = 0;
        owner.unpause(ReadPause.SESSION_BUSY);
        for (SessionConsumer consumer : List.copyOf(consumers)) {
            forget(consumer);
        }
        List<CompletableFuture<?>> releases = new ArrayList<>();
        for (LocalQueue queue : touched) {
            releases.add(ask(queue, q -> {
                        q.release(this);
                        return q;
                    })
                    .toCompletableFuture());
        }
        CompletableFuture.allOf(releases.toArray(CompletableFuture[]::new)).whenComplete((all, failure) -> {
            owner.sessionClosed(this);
            done.complete(null);
        });
        return done;
    }

    boolean isClosed() {
        return closed != null;
    }

    static BrokerException noQueue(String name, String virtualHost) {
        return BrokerException.session(ErrorKind.NOT_FOUND, "no queue '" + name + "' in vhost '" + virtualHost + "'");
    }
}
