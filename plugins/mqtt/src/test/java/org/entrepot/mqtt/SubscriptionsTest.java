package org.entrepot.mqtt;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.entrepot.mqtt.wire.Topics;
import org.entrepot.spi.topology.BindingSpec;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A session's subscriptions, few or many, are those that match one by one. */
class SubscriptionsTest {
    private static final List<String> LEVELS = List.of("", "a", "b", "c", "$", "$x", "*", "a.b");

    private final Subscriptions subscriptions = new Subscriptions();
    private final Map<String, Subscription> model = new LinkedHashMap<>();

    private static ByteBuf buffer(String text) {
        return Unpooled.copiedBuffer(text, StandardCharsets.UTF_8);
    }

    private static String name(Random random) {
        String[] levels = new String[1 + random.nextInt(3)];
        Arrays.setAll(levels, i -> LEVELS.get(random.nextInt(LEVELS.size())));
        String name = String.join("/", levels);
        return name.isEmpty() ? "a" : name;
    }

    private static String filter(Random random) {
        String[] levels = name(random).split("/", -1);
        for (int i = 0; i < levels.length; i++) {
            if (random.nextInt(3) == 0) {
                levels[i] = i == levels.length - 1 && random.nextBoolean() ? "#" : "+";
            }
        }
        String filter = String.join("/", levels);
        return switch (random.nextInt(12)) {
            case 0 -> "$share/g/" + filter;
            case 1 -> "$queue/" + filter;
            default -> filter.startsWith("$share") || filter.isEmpty() ? "a" : filter;
        };
    }

    private static Subscription random(Random random, int id) {
        return Subscription.of(filter(random), random.nextInt(3), random.nextBoolean(), random.nextBoolean(), id);
    }

    private void check(Random random) {
        assertThat(subscriptions.size()).isEqualTo(model.size());
        assertThat(subscriptions.all()).containsExactlyInAnyOrderElementsOf(model.values());
        assertThat(subscriptions.areSimple())
                .isEqualTo(model.values().stream()
                        .filter(one -> !one.isShared())
                        .allMatch(one -> one.qos() == 0 && one.isPlain()));
        Matched matched = new Matched();
        for (int i = 0; i < 10; i++) {
            String name = name(random);
            boolean own = random.nextBoolean();
            subscriptions.match(buffer(name), own, matched);
            List<Subscription> expected = model.values().stream()
                    .filter(one -> !one.isShared())
                    .filter(one -> Topics.matches(one.filterBytes(), buffer(name)))
                    .filter(one -> !own || !one.noLocal())
                    .toList();
            assertThat(matched.any()).as("%s on %s", name, model.keySet()).isEqualTo(!expected.isEmpty());
            assertThat(IntStream.of(matched.ids()).limit(matched.idCount()).boxed())
                    .as("%s on %s", name, model.keySet())
                    .containsExactlyInAnyOrderElementsOf(expected.stream()
                            .map(Subscription::id)
                            .filter(id -> id != 0)
                            .toList());
            assertThat(matched.qos())
                    .isEqualTo(
                            expected.stream().mapToInt(Subscription::qos).max().orElse(0));
            assertThat(matched.asPublished()).isEqualTo(expected.stream().anyMatch(Subscription::asPublished));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {3, 15, 16, 17, 18, 60, 300})
    void randomOnesMatchAsEachByItself(int most) {
        Random random = new Random(most);
        for (int round = 0; round < 20; round++) {
            for (int step = 0; step < 3 * most; step++) {
                if (model.size() < most && random.nextInt(3) > 0) {
                    Subscription one = random(random, random.nextInt(4) == 0 ? 0 : 1 + step);
                    subscriptions.put(one);
                    model.put(one.filter(), one);
                } else if (!model.isEmpty()) {
                    String gone = List.copyOf(model.keySet()).get(random.nextInt(model.size()));
                    subscriptions.remove(gone);
                    model.remove(gone);
                }
                assertThat(subscriptions.get("no/such")).isNull();
                if (step % 10 == 0) {
                    check(random);
                }
            }
            check(random);
            for (String filter : List.copyOf(model.keySet())) {
                assertThat(subscriptions.get(filter)).isEqualTo(model.get(filter));
                subscriptions.remove(filter);
                model.remove(filter);
            }
            check(random);
        }
    }

    @Test
    void aFilterHasOneSubscription() {
        subscriptions.put(Subscription.of("a/#", 1, false, false, 3));
        subscriptions.put(Subscription.of("a/#", 0, false, true, 4));
        Matched matched = new Matched();
        subscriptions.match(buffer("a"), false, matched);

        assertThat(subscriptions.size()).isEqualTo(1);
        assertThat(matched.qos()).isZero();
        assertThat(matched.asPublished()).isTrue();
        assertThat(IntStream.of(matched.ids()).limit(matched.idCount())).containsExactly(4);
    }

    @Test
    void sharedOnesAreKnownButDoNotMatch() {
        subscriptions.put(Subscription.of("$share/g/a", 2, false, false, 1));
        Matched matched = new Matched();
        subscriptions.match(buffer("a"), false, matched);

        assertThat(matched.any()).isFalse();
        assertThat(subscriptions.areSimple()).isTrue();
        assertThat(subscriptions.get("$share/g/a")).isNotNull();
    }

    @ParameterizedTest
    @CsvSource({
        "$share/g/a/+, g, a/+",
        "$share/g//a, g, /a",
        "$queue/a, $queue, a",
        "$queue//, $queue, /",
        "$share, '', $share",
        "$shared/g/a, '', $shared/g/a",
        "a/$share/g, '', a/$share/g"
    })
    void aGroupIsPartOfTheFilter(String filter, String group, String topicFilter) {
        assertThat(Subscription.fault(filter, 9)).isEmpty();
        Subscription subscription = Subscription.of(filter, 1, false, false, 0);
        assertThat(subscription.group()).isEqualTo(group);
        assertThat(subscription.topicFilter()).isEqualTo(topicFilter);
        assertThat(subscription.isShared()).isEqualTo(!group.isEmpty());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "a+",
                "$share/g",
                "$share/g/",
                "$share//a",
                "$share/+/a",
                "$share/g#/a",
                "$queue/",
                "$share/g/a#",
                "$queue/#/a",
                "$share/"
            })
    void aFilterThatIsNoneIsSaidSo(String filter) {
        assertThat(Subscription.fault(filter, 9)).isNotEmpty();
    }

    @Test
    void aSubscriptionIsReadBackFromItsBinding() {
        Random random = new Random(1);
        for (int i = 0; i < 2_000; i++) {
            Subscription one = random(random, random.nextInt(3));
            if (!one.isShared()) {
                BindingSpec binding = one.binding("amq.topic", "q");
                assertThat(Subscription.of(Topics.filter(binding.key()), binding.arguments()))
                        .isEqualTo(one);
            }
        }
    }
}
