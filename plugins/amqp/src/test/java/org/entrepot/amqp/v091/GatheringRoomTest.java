package org.entrepot.amqp.v091;

import static org.assertj.core.api.Assertions.assertThat;

import org.entrepot.amqp.AmqpPlugin;
import org.entrepot.amqp.v091.wire.Method;
import org.entrepot.testkit.BrokerExtension;
import org.entrepot.testkit.EmbeddedBroker;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What many channels gather in transactions, against the part of the heap that they may take together. */
@Timeout(60)
class GatheringRoomTest {
    @RegisterExtension
    static final BrokerExtension broker = new BrokerExtension(EmbeddedBroker.with("amqp", new AmqpPlugin()));

    private static final int MEGABYTE = 1 << 20;
    private static final int MESSAGES_A_MEGABYTE = 32;
    private static final int CHANNEL_MEGABYTES = 50;
    private static final int ROOM_MEGABYTES = (int) (Runtime.getRuntime().maxMemory() / 4 / MEGABYTE);

    /** Gathers in transactions, so much in each channel. */
    private static void gather(Client client, int megabytes) {
        // Small enough to take no room of its own while it is being sent.
        byte[] body = new byte[MEGABYTE / MESSAGES_A_MEGABYTE];
        for (int i = 0; i < megabytes; i++) {
            int channel = 1 + i / CHANNEL_MEGABYTES;
            if (i % CHANNEL_MEGABYTES == 0) {
                client.openChannel(channel).send(channel, new Method.TxSelect());
                client.expect(channel, Method.TxSelectOk.class);
            }
            for (int message = 0; message < MESSAGES_A_MEGABYTE; message++) {
                client.publish(channel, "", "nowhere", false, new Props(), body);
            }
        }
    }

    @Test
    void transactionsShareARoomAndGiveItBackHoweverTheyEnd() {
        try (Client first = Client.open(broker)) {
            gather(first, ROOM_MEGABYTES + 1);
            int last = 1 + ROOM_MEGABYTES / CHANNEL_MEGABYTES;
            Method.ChannelClose close = first.expect(last, Method.ChannelClose.class);
            assertThat(close.replyCode()).isEqualTo(406);
            assertThat(close.replyText())
                    .startsWith("PRECONDITION_FAILED - unfinished messages and transactions of all connections take"
                            + " more than ");
            for (int channel = 1; channel < last; channel++) {
                first.send(channel, new Method.TxRollback());
                first.expect(channel, Method.TxRollbackOk.class);
            }
        }
        try (Client second = Client.open(broker)) {
            gather(second, ROOM_MEGABYTES - 1);
            second.send(1, new Method.TxCommit());
            second.expect(1, Method.TxCommitOk.class);
            second.send(0, new Method.ConnectionClose(200, "bye", 0, 0));
            second.expect(0, Method.ConnectionCloseOk.class);
        }
        try (Client third = Client.open(broker)) {
            gather(third, ROOM_MEGABYTES - 1);
            third.send(1, new Method.TxCommit());
            third.expect(1, Method.TxCommitOk.class);
        }
    }
}
