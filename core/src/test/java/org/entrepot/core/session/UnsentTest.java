package org.entrepot.core.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.entrepot.core.loop.Loop;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class UnsentTest {
    private static final int MEGABYTE = 1 << 20;

    private final Socket socket = new Socket();
    private final UnsentBytes all = new UnsentBytes();
    private final Told told = new Told();
    private final Unsent unsent =
            new Unsent(socket, new Loop(socket.eventLoop(), 0, System::currentTimeMillis), all, told);

    /** A socket that takes nothing while its client does not read. */
    private static final class Socket extends EmbeddedChannel {
        private boolean read;

        Socket() {
            config().setWriteBufferWaterMark(new WriteBufferWaterMark(256 << 10, MEGABYTE));
            freezeTime();
        }

        @Override
        protected void doWrite(ChannelOutboundBuffer in) throws Exception {
            if (read) {
                super.doWrite(in);
            }
        }

        void clientReads() {
            read = true;
            flush();
            runPendingTasks();
        }

        void pass(int millis) {
            advanceTimeBy(millis, TimeUnit.MILLISECONDS);
            runScheduledPendingTasks();
            runPendingTasks();
        }
    }

    private static final class Told implements Unsent.Consequences {
        final List<String> complaints = new ArrayList<>();
        boolean listening = true;
        int more;

        @Override
        public void listen(boolean again) {
            listening = again;
        }

        @Override
        public void moreDeliveries() {
            more++;
        }

        @Override
        public void complain(String what) {
            complaints.add(what);
        }
    }

    private void write(int bytes) {
        socket.write(Unpooled.wrappedBuffer(new byte[bytes]));
        unsent.count();
    }

    @AfterEach
    void close() {
        unsent.close();
        assertThat(all.total()).as("what others left").isLessThanOrEqualTo(UnsentBytes.BYTES_MAX);
        socket.read = true;
        socket.finishAndReleaseAll();
    }

    @Test
    void whoReadsNoAnswersIsNotListenedToUntilItDoes() {
        write(8 * MEGABYTE - 1_000);
        assertThat(told.listening).isTrue();
        write(MEGABYTE);
        assertThat(told.listening).isFalse();
        assertThat(all.total()).isGreaterThan(8 * MEGABYTE);

        socket.clientReads();
        assertThat(told.listening).isTrue();
        assertThat(all.total()).isZero();
        socket.pass(2_000);
        assertThat(told.complaints).isEmpty();
    }

    @Test
    void notReadingForLongIsComplainedOf() {
        write(9 * MEGABYTE);
        socket.pass(1_999);
        assertThat(told.complaints).isEmpty();
        socket.pass(1);
        assertThat(told.complaints)
                .containsExactly("has not read for 2000 ms what it was sent; not listened to until it does");
    }

    @Test
    void deliveriesStopAtAMegabyteAndGoOnWhenItIsRead() {
        assertThat(unsent.hasRoomFor(100)).isTrue();
        write(MEGABYTE + 1);
        assertThat(unsent.hasRoomFor(100)).isFalse();
        int before = told.more;
        socket.clientReads();
        assertThat(told.more).isGreaterThan(before);
        assertThat(unsent.hasRoomFor(100)).isTrue();
    }

    @Test
    void whereOthersLeftMuchUnsentThereIsLittleRoom() {
        all.change(UnsentBytes.BYTES_MAX - MEGABYTE);
        write(200 << 10);
        assertThat(unsent.hasRoomFor(100)).isFalse();
        assertThat(told.listening).isFalse();
        socket.clientReads();
        assertThat(unsent.hasRoomFor(100)).isTrue();
        all.change(MEGABYTE - UnsentBytes.BYTES_MAX);
    }

    @Test
    void whereNothingIsLeftLargeDeliveriesWaitAndSmallOnesGo() {
        all.change(UnsentBytes.BYTES_MAX);
        assertThat(unsent.hasRoomFor(UnsentBytes.SHARE_MIN)).isTrue();
        assertThat(unsent.hasRoomFor(UnsentBytes.SHARE_MIN + 1)).isFalse();
        all.change(-UnsentBytes.BYTES_MAX);
        socket.pass(20);
        assertThat(told.more).isEqualTo(1);
        assertThat(unsent.hasRoomFor(UnsentBytes.SHARE_MIN + 1)).isTrue();
    }

    @Test
    void whoReadsNothingWhileOthersNeedTheMemoryIsLetGo() {
        write(MEGABYTE);
        socket.pass(10_000);
        assertThat(socket.isOpen()).as("while there is memory").isTrue();

        all.change(UnsentBytes.BYTES_MAX);
        socket.pass(10_000);
        assertThat(socket.isOpen()).isFalse();
        assertThat(told.complaints).last().asString().contains("has read nothing for 10000 ms");
        all.change(-UnsentBytes.BYTES_MAX);
    }
}
