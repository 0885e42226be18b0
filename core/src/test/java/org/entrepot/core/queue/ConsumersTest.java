package org.entrepot.core.queue;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.entrepot.core.seeded.SeededRandom;
import org.entrepot.core.seeded.Seeds;
import org.junit.jupiter.api.Test;

class ConsumersTest {

    /** The plainest way to take turns: a list by priority, in which whoever was served goes behind his equals. */
    private static final class Model {
        final List<QueueConsumer> all = new ArrayList<>();
        boolean singleActive;
        QueueConsumer active;

        boolean mayBeServed(QueueConsumer consumer) {
            return consumer.hasCredit() && (!singleActive || consumer == active);
        }

        /** The highest priority at which anybody may be served; empty when nobody may. */
        List<QueueConsumer> candidates() {
            int best = all.stream()
                    .filter(this::mayBeServed)
                    .mapToInt(QueueConsumer::priority)
                    .max()
                    .orElse(0);
            return all.stream()
                    .filter(this::mayBeServed)
                    .filter(consumer -> consumer.priority() == best)
                    .toList();
        }

        QueueConsumer elected() {
            QueueConsumer best = null;
            for (QueueConsumer consumer : all) {
                if (best == null || consumer.priority() > best.priority()) {
                    best = consumer;
                }
            }
            return best;
        }
    }

    @Test
    void servesTheHighestPriorityWithCreditAndNobodyElse() {
        Seeds.each(500, random -> {
            Model model = new Model();
            model.singleActive = random.percent(30);
            Consumers consumers = new Consumers(model.singleActive);
            for (int i = 0; i < 300; i++) {
                step(random, consumers, model);
                List<QueueConsumer> candidates = model.candidates();
                QueueConsumer next = consumers.next();
                if (candidates.isEmpty()) {
                    assertThat(next).isNull();
                } else {
                    assertThat(candidates).contains(next);
                    next.delivered(1);
                    consumers.served(next);
                }
            }
        });
    }

    private static void step(SeededRandom random, Consumers consumers, Model model) {
        int choice = random.below(100);
        if (choice < 15) {
            QueueConsumer consumer = consumer(random.below(3), random.below(3));
            consumers.add(consumer);
            model.all.add(consumer);
        } else if (choice < 25 && !model.all.isEmpty()) {
            QueueConsumer consumer = random.oneOf(model.all);
            consumers.remove(consumer);
            model.all.remove(consumer);
            if (model.active == consumer) {
                model.active = null;
            }
        } else if (choice < 27) {
            model.singleActive = !model.singleActive;
            if (!model.singleActive) {
                model.active = null;
            }
            consumers.singleActive(model.singleActive);
        } else if (!model.all.isEmpty()) {
            QueueConsumer consumer = random.oneOf(model.all);
            consumer.grantBytes(random.below(4));
            consumers.update(consumer);
        }
        QueueConsumer elected = consumers.elect();
        if (model.singleActive && model.active == null) {
            model.active = model.elected();
            assertThat(elected).isSameAs(model.active);
        } else {
            assertThat(elected).isNull();
        }
    }

    @Test
    void equalsWithCreditTakeTurnsFairly() {
        Seeds.each(200, random -> {
            Consumers consumers = new Consumers(false);
            List<QueueConsumer> equals = new ArrayList<>();
            for (int i = random.between(1, 6); i > 0; i--) {
                QueueConsumer consumer = consumer(0, 1_000_000);
                equals.add(consumer);
                consumers.add(consumer);
            }
            List<QueueConsumer> served = new ArrayList<>();
            for (int i = 0; i < 5 * equals.size(); i++) {
                QueueConsumer next = consumers.next();
                served.add(next);
                next.delivered(1);
                consumers.served(next);
            }
            for (int round = 0; round < 5; round++) {
                assertThat(served.subList(round * equals.size(), (round + 1) * equals.size()))
                        .containsExactlyElementsOf(equals);
            }
        });
    }

    private static QueueConsumer consumer(int priority, long byteCredit) {
        QueueConsumer.Terms terms = new QueueConsumer.Terms(true, false, priority, 0, false, OptionalLong.empty());
        return new QueueConsumer(null, new Object(), terms, byteCredit);
    }
}
