package org.entrepot.core.storage;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.entrepot.core.seeded.SeededRandom;
import org.entrepot.core.seeded.Seeds;
import org.entrepot.spi.message.Annotations;
import org.entrepot.spi.message.Bytes;
import org.entrepot.spi.message.Envelope;
import org.entrepot.spi.message.Message;
import org.entrepot.spi.message.MessageFormat;
import org.entrepot.spi.message.RoutingKey;
import org.entrepot.spi.storage.LogListener;
import org.junit.jupiter.api.Test;

class MemoryLogTest {
    private static final Envelope ENVELOPE = Envelope.of("", RoutingKey.of("key"), true);
    private static final MessageFormat NO_FORMAT = new MessageFormat() {
        @Override
        public String name() {
            return "none";
        }

        @Override
        public Map<String, Object> headers(Bytes header) {
            return Map.of();
        }

        @Override
        public Object property(Bytes header, String name) {
            return null;
        }
    };

    private static MemoryLog empty() {
        LogListener nobody = new LogListener() {
            @Override
            public void durable(long index) {}

            @Override
            public void loaded(long from, long to) {}

            @Override
            public void lost(long from, long to) {}

            @Override
            public void checkpointWanted() {}

            @Override
            public void failed(String reason) {}
        };
        return new MemoryLog(nobody, Runnable::run);
    }

    private record Entry(Message message, long stamp, Annotations annotations) {}

    @Test
    void behavesAsASortedMap() {
        Seeds.each(200, random -> {
            MemoryLog log = empty();
            TreeMap<Long, Entry> model = new TreeMap<>();
            int stay = random.between(5, 60);
            long position = random.percent(50) ? 0 : random.below(1 << 20);
            for (int step = 0; step < 2_000; step++) {
                if (random.percent(50)) {
                    position += random.percent(95) ? 1 : random.between(1, 20_000);
                    Entry entry = new Entry(
                            message(random.below(100)),
                            step,
                            random.percent(90) ? Annotations.NONE : new Annotations(Annotations.NONE.deaths(), null));
                    long index = log.append(
                            position,
                            entry.stamp(),
                            entry.message(),
                            ENVELOPE,
                            entry.annotations(),
                            random.percent(50));
                    model.put(position, entry);
                    assertThat(log.durableIndex()).isEqualTo(index);
                } else if (model.size() > stay) {
                    release(random, log, model);
                }
                assertThat(log.residentBytes())
                        .isEqualTo(model.values().stream()
                                .mapToLong(entry -> entry.message().size())
                                .sum());
                check(log, model, position - random.below(300));
            }
            for (Long each : random.shuffled(model.keySet().stream().toList())) {
                check(log, model, each);
                log.release(each, each);
                model.remove(each);
                check(log, model, each);
            }
            assertThat(log.residentBytes()).isZero();
        });
    }

    private static void release(SeededRandom random, MemoryLog log, NavigableMap<Long, Entry> model) {
        long from = random.percent(60)
                ? model.firstKey()
                : random.oneOf(model.keySet().stream().toList());
        long to = from + (random.percent(80) ? 0 : random.below(200));
        log.release(from, to);
        model.subMap(from, true, to, true).clear();
    }

    private static void check(MemoryLog log, NavigableMap<Long, Entry> model, long position) {
        Entry entry = model.get(position);
        if (entry == null) {
            assertThat(position < 0 ? null : log.message(position)).isNull();
        } else {
            assertThat(log.message(position)).isSameAs(entry.message());
            assertThat(log.stamp(position)).isEqualTo(entry.stamp());
            assertThat(log.annotations(position)).isSameAs(entry.annotations());
            assertThat(log.envelope(position)).isSameAs(ENVELOPE);
        }
    }

    @Test
    void oneOldEntryDoesNotKeepThePagesOfTheOthers() {
        MemoryLog log = empty();
        Message message = message(10);
        log.append(0, 0, message, ENVELOPE, Annotations.NONE, true);
        for (long position = 1; position <= 3_000_000; position++) {
            log.append(position, position, message, ENVELOPE, Annotations.NONE, true);
            log.release(position, position);
        }

        assertThat(log.residentBytes()).isEqualTo(10);
        // A reference for each 4,096 positions, rounded up to a power of two.
        assertThat(log.span()).isLessThanOrEqualTo(1_024);
        log.release(0, 0);
        assertThat(log.span()).isLessThanOrEqualTo(2);
    }

    private static Message message(int bytes) {
        return new Message(NO_FORMAT, Bytes.EMPTY, Bytes.wrap(new byte[bytes]));
    }
}
