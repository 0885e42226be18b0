package org.entrepot.core.queue;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.entrepot.spi.message.Annotations;
import org.entrepot.spi.message.DeathReason;
import org.entrepot.spi.message.Envelope;
import org.entrepot.spi.message.Message;
import org.entrepot.spi.message.RoutingKey;
import org.entrepot.spi.session.Outcome;
import org.entrepot.spi.storage.LogTransaction;
import org.entrepot.spi.topology.DeadLetter;
import org.entrepot.spi.topology.QueueSpec;
import org.junit.jupiter.api.Test;

/** What is about numbers too great for a scenario. */
class QueueMachineTest {
    private static final int MANY = 25_000;

    private final SimulatedLog log = new SimulatedLog();
    private final List<Long> wakes = new ArrayList<>();
    private int delivered;
    private int told;
    private final QueueEffects effects = new QueueEffects() {
        @Override
        public boolean append(long position, long stamp, Message message, Envelope envelope, Annotations annotations) {
            log.append(position, stamp, message, envelope, annotations);
            return true;
        }

        @Override
        public void settled(long from, long to, long lastingBytes) {
            told++;
            log.release(from, to);
        }

        @Override
        public void returned(long position, int failures) {}

        @Override
        public void append(LogTransaction in, long position, long stamp, Message message, Envelope envelope) {}

        @Override
        public void settled(LogTransaction in, long from, long to, long lastingBytes) {}

        @Override
        public void returned(LogTransaction in, long position, int failures) {}

        @Override
        public void dies(LogTransaction in, long position, DeathReason reason, int lane, int bytes) {}

        @Override
        public boolean erased(RoutingKey key, long below, boolean durable) {
            return true;
        }

        @Override
        public void erased(LogTransaction in, RoutingKey key, long below) {}

        @Override
        public void givenUp(long position) {}

        @Override
        public void emptied() {}

        @Override
        public void load(long from) {}

        @Override
        public void deliver(
                QueueConsumer consumer,
                long position,
                int returns,
                Message message,
                Envelope envelope,
                Annotations annotations) {
            delivered++;
        }

        @Override
        public void answer(Publisher publisher, long number, boolean stored) {}

        @Override
        public void answerWhenDurable(Publisher publisher, long number) {}

        @Override
        public void deadLetter(
                long position,
                DeathReason reason,
                DeadLetter to,
                Message message,
                Envelope envelope,
                Annotations annotations) {}

        @Override
        public void wants(QueueConsumer consumer, int messages) {}

        @Override
        public void unused(QueueConsumer consumer, int places) {}

        @Override
        public void active(QueueConsumer consumer, boolean active) {}

        @Override
        public void revoked(QueueConsumer consumer, String reason) {}

        @Override
        public void leaseExpired(QueueConsumer consumer, long leaseMillis) {}

        @Override
        public void wakeAt(long instant) {
            wakes.add(instant);
        }

        @Override
        public void abandoned() {}
    };

    private final QueueMachine machine =
            new QueueMachine(QueueSpec.plain("q", true, false, false), effects, log, false, 0);

    @Test
    void muchThatExpiresAtOnceIsDroppedInSlices() {
        publish(MANY, 10);
        machine.dispatch(0);
        assertThat(wakes).containsExactly(10L);

        machine.tick(10);
        assertThat(machine.ready()).isEqualTo(MANY - 10_000);
        assertThat(wakes).containsExactly(10L, 10L);

        machine.tick(10);
        machine.tick(10);
        assertThat(machine.ready()).isZero();
        assertThat(machine.counters().expired).isEqualTo(MANY);
        assertThat(wakes).containsExactly(10L, 10L, 10L);
        assertThat(told).isEqualTo(3);
    }

    @Test
    void whatExpiredWhileOthersWereDroppedIsNotDelivered() {
        publish(MANY, 10);
        QueueConsumer.Terms terms = new QueueConsumer.Terms(true, false, 0, 0, false, OptionalLong.empty());
        machine.attach(new QueueConsumer(null, this, terms, Long.MAX_VALUE), 0);

        for (int i = 0; i < 3; i++) {
            machine.dispatch(11);
        }

        assertThat(delivered).isZero();
        assertThat(machine.ready()).isZero();
    }

    @Test
    void aPurgeIsToldAsOneRange() {
        publish(MANY, Envelope.NO_TTL);

        assertThat(machine.purge(0)).isEqualTo(MANY);

        assertThat(told).isOne();
        assertThat(log.entries()).isEmpty();
    }

    @Test
    void deadlinesOfMessagesThatDoNotStayTakeNoRoom() {
        // Each would expire in a day; each is delivered at once.
        QueueConsumer.Terms terms = new QueueConsumer.Terms(false, false, 0, 10, false, OptionalLong.empty());
        machine.attach(new QueueConsumer(null, this, terms, Long.MAX_VALUE), 0);
        for (int i = 0; i < 4 * MANY; i++) {
            publish(1, 86_400_000);
            machine.dispatch(i);
            machine.settle(this, i, i, Outcome.ACCEPTED);
        }

        assertThat(delivered).isEqualTo(4 * MANY);
        assertThat(machine.indexedDeadlines()).isLessThan(200);
    }

    private void publish(int count, long ttlMillis) {
        Envelope envelope = TestMessages.envelope(true, Envelope.NO_PRIORITY, ttlMillis);
        Message message = TestMessages.of("m", 10);
        for (int i = 0; i < count; i++) {
            machine.enqueue(message, envelope, Annotations.NONE, null, 0, 0);
        }
    }
}
