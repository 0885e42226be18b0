package org.entrepot.amqp.v091;

import io.netty.buffer.ByteBuf;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.entrepot.amqp.v091.wire.DeliveryWriter;
import org.entrepot.amqp.v091.wire.Method;
import org.entrepot.amqp.v091.wire.MethodReader;
import org.entrepot.amqp.v091.wire.Methods;
import org.entrepot.amqp.v091.wire.ReplyCode;
import org.entrepot.amqp.v091.wire.WireException;
import org.entrepot.spi.BrokerException;
import org.entrepot.spi.ErrorKind;
import org.entrepot.spi.protocol.Connection;
import org.entrepot.spi.protocol.GatheringRoom;
import org.entrepot.spi.session.Session;
import org.entrepot.spi.session.SessionListener;
import org.jspecify.annotations.Nullable;

/**
 * One channel: performs its methods one after the other on a session of its own, and ends when one of them fails. Owned
 * by its connection's loop.
 *
 * <p>A method whose session is busy waits, and so do all that follow it, so that answers come in the order of the
 * questions. After the channel was closed by us, everything is dropped until the client has answered.
 */
final class AmqpChannel implements SessionListener, Replies, Confirms.Sink {

    /** What a method that waits takes in memory besides its arguments. */
    static final int HELD_METHOD_BYTES = 128;

    private static final int CONFIRM_BYTES = 32;

    private final AmqpConnection connection;
    private final Outbound outbound;
    private final int number;
    private final Connection broker;
    private final Session session;
    private final Publisher publisher;
    private final Acknowledgements acknowledgements;
    private final Consumers consumers;
    private final Queues queues;
    private final Exchanges exchanges;
    private final long transactionBytesMax;
    private final GatheringRoom gatheringRoom;
    private State state = State.OPEN;
    private int current = Methods.NONE;
    private @Nullable Confirms confirms;
    private boolean confirmsDue;
    private @Nullable GatheredTransaction transaction;
    private @Nullable Runnable whenDone;

    private enum State {
        OPEN,
        /** The client closes it; its session is being closed. */
        CLOSED_BY_CLIENT,
        /** We close it; its session is being closed, and the client will be told then. */
        FAILING,
        /** We closed it and told the client, who is to answer. */
        FAILED,
        /** Its number is free, or its connection is closing. */
        GONE
    }

    AmqpChannel(AmqpConnection connection, Outbound outbound, int number, Amqp091 amqp091, Connection broker) {
        this.connection = connection;
        this.outbound = outbound;
        this.number = number;
        this.broker = broker;
        // The session tells its listener nothing before this constructor is done: both are on this loop.
        this.session = broker.openSession(this);
        DeliveryTags tags = new DeliveryTags();
        String virtualHost = broker.virtualHost();
        this.consumers = new Consumers(
                this, connection.capabilities(), outbound, session, tags, virtualHost, amqp091.settings());
        this.publisher = new Publisher(this, connection, outbound, session, broker, amqp091.format());
        this.acknowledgements = new Acknowledgements(session, tags);
        this.queues = new Queues(this, session, virtualHost, amqp091.settings());
        this.exchanges = new Exchanges(this, session, virtualHost);
        this.transactionBytesMax = amqp091.settings().transactionBytesMax();
        this.gatheringRoom = amqp091.gatheringRoom();
    }

    int number() {
        return number;
    }

    // ---- what the client sends

    void method(int method, ByteBuf buffer, int index, int length) {
        if (state != State.OPEN) {
            methodWhenClosed(method);
            return;
        }
        publisher.expectMethod();
        if (transaction != null && transaction.committing() && method != Methods.CHANNEL_CLOSE) {
            String text = "unexpected command while processing 'tx.commit'";
            fail(AmqpError.of(new WireException(ReplyCode.CHANNEL_ERROR, text, method), method));
            return;
        }
        switch (method) {
            case Methods.BASIC_PUBLISH -> publish(buffer, index, length);
            case Methods.BASIC_ACK, Methods.BASIC_NACK, Methods.BASIC_REJECT -> settle(method, buffer, index, length);
            default -> {
                Method read = MethodReader.read(method, buffer, index, length);
                run(() -> perform(read), method, length + HELD_METHOD_BYTES);
            }
        }
    }

    private void methodWhenClosed(int method) {
        if (method == Methods.CHANNEL_OPEN) {
            throw new WireException(ReplyCode.CHANNEL_ERROR, "second 'channel.open' seen", method);
        }
        if (method == Methods.CHANNEL_CLOSE && state != State.CLOSED_BY_CLIENT) {
            reply(new Method.ChannelCloseOk());
            if (state == State.FAILING) {
                gone();
            }
        } else if (method == Methods.CHANNEL_CLOSE_OK && state == State.FAILED) {
            gone();
        }
    }

    private void publish(ByteBuf buffer, int index, int length) {
        try {
            publisher.method(buffer, index, length);
        } catch (BrokerException refusal) {
            fail(AmqpError.of(refusal, Methods.BASIC_PUBLISH));
        }
    }

    private void settle(int method, ByteBuf buffer, int index, int length) {
        acknowledgements.read(method, buffer, index, length);
        if (idle()) {
            current = method;
            try {
                acknowledgements.perform(transaction);
            } catch (RuntimeException fault) {
                fail(AmqpError.of(fault, method));
            }
        } else {
            run(acknowledgements.held(() -> transaction), method, HELD_METHOD_BYTES);
        }
    }

    void header(ByteBuf buffer, int index, int length) {
        if (state == State.OPEN) {
            publisher.header(buffer, index, length);
        }
    }

    void body(ByteBuf buffer, int index, int length) {
        if (state == State.OPEN) {
            publisher.body(buffer, index, length);
        }
    }

    /** Whether the session takes calls now. */
    boolean idle() {
        return !session.busy();
    }

    /**
     * Does something as soon as all that the client asked for earlier is done; what it throws closes the channel.
     *
     * @param bytes roughly what waiting costs in memory
     */
    void run(Runnable work, int method, int bytes) {
        if (idle()) {
            runNow(work, method);
        } else {
            session.whenIdle(() -> runNow(work, method), bytes);
        }
    }

    private void runNow(Runnable work, int method) {
        if (state != State.OPEN) {
            return;
        }
        current = method;
        try {
            work.run();
        } catch (RuntimeException fault) {
            fail(AmqpError.of(fault, method));
        }
    }

    private void perform(Method method) {
        switch (method.number()) {
            case Methods.CHANNEL_OPEN ->
                throw new WireException(ReplyCode.CHANNEL_ERROR, "second 'channel.open' seen", method.number());
            case Methods.CHANNEL_CLOSE -> closedByClient();
            case Methods.CHANNEL_CLOSE_OK, Methods.BASIC_CANCEL_OK -> {}
            case Methods.CHANNEL_FLOW -> flow((Method.ChannelFlow) method);
            case Methods.ACCESS_REQUEST -> reply(new Method.AccessRequestOk(1));
            case Methods.EXCHANGE_DECLARE -> exchanges.declare((Method.ExchangeDeclare) method);
            case Methods.EXCHANGE_DELETE -> exchanges.delete((Method.ExchangeDelete) method);
            case Methods.EXCHANGE_BIND -> exchanges.bind((Method.ExchangeBind) method);
            case Methods.EXCHANGE_UNBIND -> exchanges.unbind((Method.ExchangeUnbind) method);
            case Methods.QUEUE_DECLARE -> queues.declare((Method.QueueDeclare) method);
            case Methods.QUEUE_BIND -> queues.bind((Method.QueueBind) method);
            case Methods.QUEUE_UNBIND -> queues.unbind((Method.QueueUnbind) method);
            case Methods.QUEUE_PURGE -> queues.purge((Method.QueuePurge) method);
            case Methods.QUEUE_DELETE -> queues.delete((Method.QueueDelete) method);
            case Methods.BASIC_QOS -> consumers.qos((Method.BasicQos) method);
            case Methods.BASIC_CONSUME -> consume((Method.BasicConsume) method);
            case Methods.BASIC_CANCEL -> consumers.cancel((Method.BasicCancel) method);
            case Methods.BASIC_GET -> get((Method.BasicGet) method);
            case Methods.BASIC_RECOVER -> {
                acknowledgements.recover(((Method.BasicRecover) method).requeue());
                reply(new Method.BasicRecoverOk());
            }
            case Methods.BASIC_RECOVER_ASYNC -> acknowledgements.recover(((Method.BasicRecoverAsync) method).requeue());
            case Methods.CONFIRM_SELECT -> confirmSelect((Method.ConfirmSelect) method);
            case Methods.TX_SELECT -> txSelect();
            case Methods.TX_COMMIT -> txCommit();
            case Methods.TX_ROLLBACK -> txRollback();
            default -> throw new WireException(ReplyCode.COMMAND_INVALID, "unimplemented method", method.number());
        }
    }

    private void flow(Method.ChannelFlow method) {
        if (!method.active()) {
            throw new WireException(ReplyCode.NOT_IMPLEMENTED, "active=false", method.number());
        }
        reply(new Method.ChannelFlowOk(true));
    }

    private void consume(Method.BasicConsume method) {
        consumers.consume(method, queues.named(method.queue()));
    }

    private void get(Method.BasicGet method) {
        consumers.get(method, queues.named(method.queue()));
    }

    // ---- confirms and transactions

    private void confirmSelect(Method.ConfirmSelect method) {
        if (transaction != null) {
            throw preconditionFailed("cannot switch from tx to confirm mode");
        }
        if (confirms == null) {
            confirms = new Confirms(session.published(), this);
        }
        reply(method.noWait(), new Method.ConfirmSelectOk());
    }

    private void txSelect() {
        if (confirms != null) {
            throw preconditionFailed("cannot switch from confirm to tx mode");
        }
        if (transaction == null) {
            transaction = new GatheredTransaction(transactionBytesMax, gatheringRoom);
        }
        reply(new Method.TxSelectOk());
    }

    private GatheredTransaction transactionOrFail() {
        GatheredTransaction present = transaction;
        if (present == null) {
            throw preconditionFailed("channel is not transactional");
        }
        return present;
    }

    private void txCommit() {
        GatheredTransaction present = transactionOrFail();
        await(present.commit(publisher, session), whole -> {
            present.ended();
            if (!whole) {
                throw preconditionFailed("partial tx completion");
            }
            reply(new Method.TxCommitOk());
        });
    }

    private void txRollback() {
        transactionOrFail().rollback(acknowledgements);
        reply(new Method.TxRollbackOk());
    }

    /** The reply-to of requests that are answered to this channel. */
    String replyAddress() {
        return consumers.replyAddress();
    }

    @Nullable GatheredTransaction transaction() {
        return transaction;
    }

    @Override
    public void receipts(long first, long last, Receipt receipt) {
        Confirms present = confirms;
        if (present != null) {
            present.receipts(first, last, receipt);
            if (!confirmsDue && present.due() && state == State.OPEN) {
                confirmsDue = true;
                outbound.confirmsDue(this);
            }
        }
    }

    /** Tells the client which of its publishes are safe. */
    void tellConfirms() {
        Confirms present = confirms;
        if (confirmsDue && present != null && state != State.GONE) {
            confirmsDue = false;
            present.tell();
        }
    }

    @Override
    public void ack(long sequence, boolean multiple) {
        DeliveryWriter.ack(outbound.room(CONFIRM_BYTES), number, sequence, multiple);
    }

    @Override
    public void nack(long sequence, boolean multiple) {
        DeliveryWriter.nack(outbound.room(CONFIRM_BYTES), number, sequence, multiple);
    }

    // ---- answers

    @Override
    public void reply(Method method) {
        outbound.send(number, method);
    }

    @Override
    public <T> void await(CompletionStage<? extends T> stage, Consumer<? super T> then) {
        int method = current;
        stage.whenComplete((value, fault) -> {
            if (state != State.OPEN) {
                return;
            }
            current = method;
            if (fault != null) {
                fail(AmqpError.of(fault, method));
                return;
            }
            try {
                then.accept(value);
            } catch (RuntimeException | AssertionError failure) {
                // Thrown on, it would vanish in the stage.
                fail(AmqpError.of(failure, method));
            }
        });
    }

    // ---- the end

    private void closedByClient() {
        tellConfirms();
        state = State.CLOSED_BY_CLIENT;
        abandon();
        session.close().whenComplete((closed, fault) -> {
            if (state == State.CLOSED_BY_CLIENT) {
                reply(new Method.ChannelCloseOk());
                gone();
                done();
            }
        });
    }

    @Override
    public void leaseExpired(long leaseMillis) {
        fail(AmqpError.of(
                ReplyCode.PRECONDITION_FAILED,
                "delivery acknowledgement on channel " + number + " timed out. Timeout value used: " + leaseMillis
                        + " ms. This timeout value can be configured, see consumers doc guide to learn more",
                Methods.NONE));
    }

    @Override
    public void failed(BrokerException reason) {
        fail(AmqpError.of(reason, Methods.NONE));
    }

    /** Ends the channel, or the connection, as the error says. */
    void fail(AmqpError error) {
        if (state != State.OPEN) {
            return;
        }
        if (error.closesConnection()) {
            connection.fail(error);
            return;
        }
        broker.complain("channel " + number + ": " + error);
        tellConfirms();
        state = State.FAILING;
        abandon();
        session.close().whenComplete((closed, fault) -> {
            if (state == State.FAILING) {
                state = State.FAILED;
                reply(new Method.ChannelClose(
                        error.code().number(), error.replyText(), error.classId(), error.methodId()));
                done();
            }
        });
    }

    /** Does something as soon as all that the client has asked for is done and answered. */
    void whenDone(Runnable work) {
        switch (state) {
            case OPEN -> {
                whenDone = work;
                session.whenIdle(this::done, HELD_METHOD_BYTES);
            }
            case CLOSED_BY_CLIENT, FAILING -> whenDone = work;
            case FAILED, GONE -> work.run();
        }
    }

    private void done() {
        Runnable work = whenDone;
        if (work != null) {
            whenDone = null;
            work.run();
        }
    }

    boolean isOpen() {
        return state == State.OPEN;
    }

    private void gone() {
        state = State.GONE;
        connection.forget(this);
    }

    /** Drops what was published in part only. */
    private void abandon() {
        publisher.abandon();
        if (transaction != null) {
            transaction.abandon();
        }
    }

    /** The connection is closing: nothing is answered any more. */
    void drop() {
        state = State.GONE;
        abandon();
    }

    static BrokerException preconditionFailed(String text) {
        return BrokerException.session(ErrorKind.PRECONDITION_FAILED, text);
    }
}
