package org.entrepot.core.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.entrepot.spi.message.DeathReason;
import org.entrepot.spi.message.Envelope;
import org.junit.jupiter.api.Test;

/** The encoding of checkpoints; that they say what is so is for the simulation. */
class QueueCheckpointTest {
    private static final Envelope LASTING = TestMessages.envelope(true, Envelope.NO_PRIORITY, Envelope.NO_TTL);
    private static final Envelope PASSING = TestMessages.envelope(false, Envelope.NO_PRIORITY, Envelope.NO_TTL);

    private final QueueState state = new QueueState(1, 0, true);
    private final Expiry expiry = new Expiry(state, new SimulatedLog(), OptionalLong.empty());

    @Test
    void aLongBacklogTakesSomeBytes() {
        state.restored(50_000_000, 1_700_000_000_000L, 5_000_000_000L);
        state.restoredReady(0, 0, 49_999_999);

        assertThat(written().readableBytes()).isLessThan(50);
    }

    @Test
    void isWrittenAsTheFormatSays() {
        for (int position = 0; position < 300; position++) {
            state.enqueued(position, 5, position == 7 ? PASSING : LASTING, 10);
        }
        Holder holder = new Holder(this, null);
        state.lease(3, holder, Leases.NO_DEADLINE, LASTING, 10);
        state.returned(3, 2);
        state.lease(4, holder, Leases.NO_DEADLINE, LASTING, 10);
        state.dieReady(5, LASTING, 10);
        state.settledReady(6, LASTING, 10);
        expiry.isDue(9, 8);
        state.wasCondemned(9, DeathReason.REJECTED, 0, 10);

        assertThat(ByteBufUtil.hexDump(written()))
                .isEqualTo(
                        "010300" // version, kind, cursor
                                + "ac02" // tail 300
                                + "05" // last stamp
                                + "a417" // 298 entries of 10 bytes
                                + "01" // one priority
                                + "0006" + "02a402" + "0000" // 0 to 5, and 8 to 299
                                + "0701" + "0000" // 7 is to be released
                                + "00000001" + "0302" // 3 has failed twice
                                + "00000001" + "0908" // at 9, 8 expires
                                + "00000001" + "0901000a"); // 9 was rejected, of priority 0, 10 bytes
    }

    @Test
    void isReadAsItWasWritten() {
        for (int position = 0; position < 10; position++) {
            state.enqueued(position, 5, position == 7 ? PASSING : LASTING, 10);
        }
        state.wasCondemned(3, DeathReason.REJECTED, 0, 10);
        ByteBuf written = written();
        QueueState again = new QueueState(1, 0, true);
        List<String> passing = new ArrayList<>();
        QueueCheckpoint.read(
                written.duplicate(),
                again,
                new Expiry(again, new SimulatedLog(), OptionalLong.empty()),
                (from, to) -> passing.add(from + "-" + to),
                (position, reason, lane, bytes) ->
                        passing.add(position + " dies, " + reason + ", " + lane + ", " + bytes));

        assertThat(again.tail()).isEqualTo(10);
        assertThat(again.lastStamp()).isEqualTo(5);
        assertThat(again.ready()).isEqualTo(9);
        assertThat(again.readyBytes()).isEqualTo(90);
        assertThat(again.isReady(7)).isFalse();
        assertThat(again.checkpointTail()).isEqualTo(10);
        assertThat(passing).containsExactly("7-7", "3 dies, REJECTED, 0, 10");
    }

    @Test
    void whatALaterReleaseWroteIsRefused() {
        assertRefused("020300", "version 2");
        assertRefused("010900", "kind 9");
        assertRefused("010300ac02", "ends too early");
    }

    private void assertRefused(String bytes, String reason) {
        ByteBuf in = Unpooled.wrappedBuffer(ByteBufUtil.decodeHexDump(bytes));
        assertThatThrownBy(() ->
                        QueueCheckpoint.read(in, state, expiry, (from, to) -> {}, (position, why, lane, size) -> {}))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(reason);
    }

    private ByteBuf written() {
        ByteBuf out = Unpooled.buffer();
        QueueCheckpoint.write(state, expiry, out);
        return out;
    }
}
