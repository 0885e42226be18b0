package org.entrepot.amqp.v091;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import org.entrepot.amqp.AmqpPlugin;
import org.entrepot.amqp.v091.wire.Method;
import org.entrepot.amqp.v091.wire.Methods;
import org.entrepot.testkit.BrokerExtension;
import org.entrepot.testkit.EmbeddedBroker;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Classes confirm (RabbitMQ's) and tx (specification 1.9). */
class ConfirmAndTxClassTest {
    @RegisterExtension
    static final BrokerExtension broker = new BrokerExtension(EmbeddedBroker.with("amqp", new AmqpPlugin()));

    private Client client;

    @BeforeEach
    void connect() {
        client = Client.withChannel(broker);
    }

    @AfterEach
    void disconnect() {
        client.close();
    }

    private void select() {
        client.send(1, new Method.TxSelect());
        client.expect(1, Method.TxSelectOk.class);
    }

    private void commit() {
        client.send(1, new Method.TxCommit());
        client.expect(1, Method.TxCommitOk.class);
    }

    private void rollback() {
        client.send(1, new Method.TxRollback());
        client.expect(1, Method.TxRollbackOk.class);
    }

    // confirm

    @Test
    void confirmsCountFromTheSelect() {
        client.declareOwn(1, "confirmed");
        client.publish(1, "", "confirmed", "before");
        client.confirms(1);
        client.publish(1, "", "confirmed", "first");
        assertThat(client.expect(1, Method.BasicAck.class)).isEqualTo(new Method.BasicAck(1, false));
        client.confirms(1);
        client.publish(1, "", "confirmed", "second");
        assertThat(client.expect(1, Method.BasicAck.class)).isEqualTo(new Method.BasicAck(2, false));
    }

    @Test
    void aReturnComesBeforeItsConfirm() {
        client.confirms(1);
        client.publish(1, "", "nowhere", true, new Props(), new byte[] {1});
        client.expectContent(1, Method.BasicReturn.class);
        assertThat(client.expect(1, Method.BasicAck.class).deliveryTag()).isEqualTo(1);
    }

    @Test
    void whatGoesNowhereIsConfirmed() {
        client.confirms(1);
        client.publish(1, "", "nowhere", "x");
        assertThat(client.expect(1, Method.BasicAck.class).deliveryTag()).isEqualTo(1);
    }

    @Test
    void manyAreConfirmedWithFewFrames() {
        client.declareOwn(1, "many");
        client.confirms(1);
        ByteBuf all = Unpooled.buffer();
        for (int i = 0; i < 1_000; i++) {
            all.writeBytes(Client.publishBytes(1, "", "many", "m" + i));
        }
        client.raw(Client.array(all));
        client.expectAcks(1, 1_000, other -> assertThat(other).isNull());
    }

    @Test
    void aFullQueueThatRefusesSaysNo() {
        client.declareOwn(1, "full", "x-max-length", 1L, "x-overflow", "reject-publish");
        client.confirms(1);
        client.publish(1, "", "full", "fits");
        assertThat(client.expect(1, Method.BasicAck.class).deliveryTag()).isEqualTo(1);
        client.publish(1, "", "full", "does not");
        assertThat(client.expect(1, Method.BasicNack.class)).isEqualTo(new Method.BasicNack(2, false, false));
    }

    // tx 1.9.2.1 select

    @Test
    void confirmsAndTransactionsExcludeEachOther() {
        client.confirms(1).send(1, new Method.TxSelect());
        client.expectChannelClose(
                1, 406, "PRECONDITION_FAILED - cannot switch from confirm to tx mode", Methods.TX_SELECT);
        client.openChannel(1);
        select();
        select();
        client.send(1, new Method.ConfirmSelect(false));
        client.expectChannelClose(
                1, 406, "PRECONDITION_FAILED - cannot switch from tx to confirm mode", Methods.CONFIRM_SELECT);
    }

    // 1.9.2.3 commit

    @Test
    void publishesAreSeenAfterTheCommit() {
        client.declareOwn(1, "committed");
        select();
        client.publish(1, "", "committed", "a").publish(1, "", "committed", "b");
        client.expectGetEmpty(1, "committed");
        commit();
        assertThat(client.get(1, "committed", true).text()).isEqualTo("a");
        assertThat(client.get(1, "committed", true).text()).isEqualTo("b");
        commit();
    }

    @Test
    void acknowledgementsHoldFromTheCommit() {
        client.declareOwn(1, "acknowledged");
        client.publish(1, "", "acknowledged", "a").publish(1, "", "acknowledged", "b");
        select();
        client.get(1, "acknowledged", false);
        client.get(1, "acknowledged", false);
        client.ack(1, 1, false);
        commit();
        client.send(1, new Method.ChannelClose(200, "bye", 0, 0));
        client.expect(1, Method.ChannelCloseOk.class);
        client.openChannel(1);
        assertThat(client.get(1, "acknowledged", true).text()).isEqualTo("b");
        client.expectGetEmpty(1, "acknowledged");
    }

    @Test
    void whatIsAcknowledgedInATransactionIsSettledOnce() {
        client.declareOwn(1, "settled-once");
        client.publish(1, "", "settled-once", "a");
        select();
        client.get(1, "settled-once", false);
        client.ack(1, 1, false).ack(1, 1, false);
        client.expectChannelClose(1, 406, "PRECONDITION_FAILED - unknown delivery tag 1", Methods.BASIC_ACK);
    }

    @Test
    void aMandatoryMessageComesBackWhenItIsCommitted() {
        select();
        client.publish(1, "", "nowhere", true, new Props(), new byte[] {1});
        client.expectNothingElse(1);
        client.send(1, new Method.TxCommit());
        client.expectContent(1, Method.BasicReturn.class);
        client.expect(1, Method.TxCommitOk.class);
    }

    @Test
    void aCommitThatIsRefusedClosesTheChannel() {
        client.declareOwn(1, "tight", "x-max-length", 1L, "x-overflow", "reject-publish");
        select();
        client.publish(1, "", "tight", "a").publish(1, "", "tight", "b");
        client.send(1, new Method.TxCommit());
        client.expectChannelClose(1, 406, "PRECONDITION_FAILED - partial tx completion", Methods.TX_COMMIT);
    }

    @Test
    void aCommitThatIsRefusedDoesNothing() {
        client.declareOwn(1, "narrow", "x-max-length", 1L, "x-overflow", "reject-publish");
        client.declareOwn(1, "beside");
        client.publish(1, "", "beside", "taken");
        select();
        client.get(1, "beside", false);
        client.ack(1, 1, false).publish(1, "", "beside", "a");
        client.publish(1, "", "narrow", "b").publish(1, "", "narrow", "c");
        client.send(1, new Method.TxCommit());
        client.expectChannelClose(1, 406, "PRECONDITION_FAILED - partial tx completion", Methods.TX_COMMIT);
        client.openChannel(1);

        Client.Content<Method.BasicGetOk> back = client.get(1, "beside", true);
        assertThat(back.text()).isEqualTo("taken");
        assertThat(back.method().redelivered()).isTrue();
        client.expectGetEmpty(1, "beside").expectGetEmpty(1, "narrow");
    }

    @Test
    void aCommitReachesQueuesOfAllLoops() {
        List<Client> owners = new ArrayList<>();
        try {
            for (int i = 0; i < 8; i++) {
                Client owner = Client.withChannel(broker);
                owners.add(owner);
                owner.declareOwn(1, "spread-" + i);
                owner.expectGetEmpty(1, "spread-" + i);
            }
            select();
            for (int round = 0; round < 3; round++) {
                for (int i = 0; i < 8; i++) {
                    client.publish(1, "", "spread-" + i, "m" + round);
                }
            }
            commit();
            for (int i = 0; i < 8; i++) {
                for (int round = 0; round < 3; round++) {
                    assertThat(owners.get(i).get(1, "spread-" + i, true).text()).isEqualTo("m" + round);
                }
                owners.get(i).expectGetEmpty(1, "spread-" + i);
            }
        } finally {
            owners.forEach(Client::close);
        }
    }

    @Test
    void rejectionsAndReturnsTakeEffectWithTheCommit() {
        client.declareOwn(1, "rejected-to");
        client.declareOwn(1, "rejecting", "x-dead-letter-exchange", "", "x-dead-letter-routing-key", "rejected-to");
        client.publish(1, "", "rejecting", "a").publish(1, "", "rejecting", "b");
        select();
        client.get(1, "rejecting", false);
        client.get(1, "rejecting", false);
        client.send(1, new Method.BasicReject(1, false)).send(1, new Method.BasicNack(2, false, true));
        client.expectGetEmpty(1, "rejecting").expectGetEmpty(1, "rejected-to");
        commit();
        assertThat(client.get(1, "rejecting", true).text()).isEqualTo("b");
        assertThat(client.getEventually(1, "rejected-to").text()).isEqualTo("a");
    }

    @Test
    void nothingMayBeAskedForBeforeTheCommitIsAnswered() {
        client.declareOwn(1, "hasty");
        select();
        client.publish(1, "", "hasty", "a").publish(1, "", "hasty", "b");
        client.raw(Client.array(Unpooled.wrappedBuffer(
                Client.bytes(1, new Method.TxCommit()), Client.bytes(1, new Method.TxRollback()))));
        client.expectConnectionClose(
                504, "CHANNEL_ERROR - unexpected command while processing 'tx.commit'", Methods.TX_ROLLBACK);
    }

    @Test
    void publishingToNothingInATransactionClosesTheChannelAtOnce() {
        select();
        client.publish(1, "absent", "k", "x");
        client.expectChannelClose(1, 404, "NOT_FOUND - no exchange 'absent' in vhost '/'", Methods.BASIC_PUBLISH);
    }

    // 1.9.2.5 rollback

    @Test
    void aRollbackForgetsPublishesAndUnsettlesWhatWasAcknowledged() {
        client.declareOwn(1, "rolled-back");
        client.publish(1, "", "rolled-back", "a");
        select();
        client.get(1, "rolled-back", false);
        client.ack(1, 1, false).publish(1, "", "rolled-back", "b");
        rollback();
        client.expectGetEmpty(1, "rolled-back");
        client.ack(1, 1, false);
        commit();
        client.expectGetEmpty(1, "rolled-back");
    }

    @Test
    void withoutATransactionThereIsNothingToEnd() {
        for (Method method : List.of(new Method.TxCommit(), new Method.TxRollback())) {
            client.send(1, method);
            client.expectChannelClose(1, 406, "PRECONDITION_FAILED - channel is not transactional", method.number());
            client.openChannel(1);
        }
    }
}
