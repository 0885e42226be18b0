package org.entrepot.core.routing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.entrepot.spi.message.Message;
import org.entrepot.spi.message.RoutingKey;
import org.entrepot.spi.topology.BindingSpec;
import org.entrepot.spi.topology.BindingSpec.Destination;
import org.entrepot.spi.topology.ExchangeSpec;
import org.entrepot.spi.topology.ExchangeType;
import org.entrepot.spi.topology.Matcher;
import org.junit.jupiter.api.Test;

/** The types that pick one binding: by hash, by number, by chance. */
class HashExchangesTest {
    private static final int KEYS = 20_000;

    @Test
    void aConsistentHashSpreadsKeysByWeight() {
        Matcher matcher = consistent(Map.of())
                .with(binding("one", "1"))
                .with(binding("two", "2"))
                .with(binding("five", "5"));
        Map<String, Integer> counts = new HashMap<>();
        for (int i = 0; i < KEYS; i++) {
            counts.merge(pick(matcher, "key" + i), 1, Integer::sum);
        }
        assertThat(share(counts, "one")).isCloseTo(1 / 8.0, within(0.02));
        assertThat(share(counts, "two")).isCloseTo(2 / 8.0, within(0.02));
        assertThat(share(counts, "five")).isCloseTo(5 / 8.0, within(0.02));
    }

    @Test
    void onlyKeysOfTheBindingThatGoesMove() {
        Matcher before = consistent(Map.of());
        for (int i = 0; i < 10; i++) {
            before = before.with(binding("q" + i, "3"));
        }
        Matcher after = before.without(binding("q4", "3"));
        for (int i = 0; i < KEYS; i++) {
            String picked = pick(before, "key" + i);
            if (!picked.equals("q4")) {
                assertThat(pick(after, "key" + i)).isEqualTo(picked);
            }
        }
    }

    @Test
    void whatIsPickedDoesNotDependOnTheOrderOfBinding() {
        for (String type : List.of("x-consistent-hash", "x-modulus-hash")) {
            List<BindingSpec> bindings = new ArrayList<>();
            for (int i = 0; i < 9; i++) {
                bindings.add(binding("q" + i, "1"));
            }
            Matcher one = matcher(type, Map.of());
            for (BindingSpec binding : bindings) {
                one = one.with(binding);
            }
            java.util.Collections.shuffle(bindings, new Random(1));
            Matcher other = matcher(type, Map.of());
            for (BindingSpec binding : bindings) {
                other = other.with(binding);
            }
            for (int i = 0; i < 100; i++) {
                assertThat(pick(one, "key" + i)).as(type).isEqualTo(pick(other, "key" + i));
            }
        }
    }

    @Test
    void aHeaderOrAPropertyCanBeHashed() {
        Matcher byHeader = ten(consistent(Map.of("hash-header", "customer")));
        Message ada = Messages.with(Map.of("customer", "ada"));
        assertThat(byHeader.byKeyAlone()).isFalse();
        assertThat(Messages.matched(byHeader, RoutingKey.of("a"), ada))
                .isEqualTo(Messages.matched(byHeader, RoutingKey.of("b"), ada));
        Matcher byProperty = ten(consistent(Map.of("hash-property", "message_id")));
        Map<List<String>, Integer> picked = new HashMap<>();
        for (int i = 0; i < 200; i++) {
            Message message = Messages.with(Map.of(), Map.of("message-id", "m" + i));
            picked.merge(Messages.matched(byProperty, RoutingKey.EMPTY, message), 1, Integer::sum);
        }
        assertThat(picked).hasSize(10);
    }

    @Test
    void messagesWithoutTheHeaderStayTogether() {
        Matcher matcher = ten(consistent(Map.of("hash-header", "customer")));
        List<String> first = Messages.matched(matcher, RoutingKey.of("a"), Messages.PLAIN);
        assertThat(first).hasSize(1);
        assertThat(Messages.matched(matcher, RoutingKey.of("b"), Messages.PLAIN))
                .isEqualTo(first);
    }

    @Test
    void weightsAreWholeNumbers() {
        assertRefused("heavy", "The binding key must be an integer: <<\"heavy\">>");
        assertRefused("", "The binding key must be an integer: <<>>");
        assertRefused("1.5", "The binding key must be an integer: <<\"1.5\">>");
        assertRefused("0", "The binding key must be greater than 0");
        assertRefused("-99999999999999999999", "The binding key must be greater than 0");
        assertRefused("10001", "The binding key must not exceed 10000");
        assertRefused("99999999999999999999", "The binding key must not exceed 10000");
        type("x-consistent-hash").check(binding("q", "10000"));
    }

    @Test
    void whatIsHashedMustBeOneThing() {
        ExchangeType type = type("x-consistent-hash");
        assertThatThrownBy(() -> type.check(exchange(Map.of("hash-header", "h", "hash-property", "message_id"))))
                .hasMessage("hash-header and hash-property are mutually exclusive");
        assertThatThrownBy(() -> type.check(exchange(Map.of("hash-property", "priority"))))
                .hasMessage("Unsupported property: priority");
        type.check(exchange(Map.of("hash-property", "correlation_id")));
    }

    @Test
    void aModulusSpreadsKeysEvenly() {
        Matcher matcher = ten(matcher("x-modulus-hash", Map.of()));
        Map<String, Integer> counts = new HashMap<>();
        for (int i = 0; i < KEYS; i++) {
            counts.merge(pick(matcher, "key" + i), 1, Integer::sum);
        }
        assertThat(counts).hasSize(10);
        counts.values().forEach(count -> assertThat(count).isCloseTo(KEYS / 10, within(KEYS / 50)));
        assertThat(matcher.byKeyAlone()).isTrue();
    }

    @Test
    void chanceFindsEveryBinding() {
        for (String type : List.of("x-random", "x-local-random")) {
            Matcher matcher = matcher(type, Map.of());
            for (int i = 0; i < 10; i++) {
                matcher = matcher.with(binding("q" + i, ""));
            }
            Map<String, Integer> counts = new HashMap<>();
            for (int i = 0; i < 2_000; i++) {
                counts.merge(pick(matcher, "key"), 1, Integer::sum);
            }
            assertThat(counts).as(type).hasSize(10);
            assertThat(matcher.byKeyAlone()).as(type).isFalse();
        }
    }

    @Test
    void localRandomTakesQueuesWithoutAKeyOnly() {
        ExchangeType type = type("x-local-random");
        assertThatThrownBy(() -> type.check(binding("q", "k"))).hasMessage("Non empty binding 'k' key not permitted");
        assertThatThrownBy(
                        () -> type.check(new BindingSpec("x", Destination.exchange("y"), RoutingKey.EMPTY, Map.of())))
                .hasMessage("Destination not found");
    }

    @Test
    void nothingIsPickedWhereNothingIsBound() {
        for (String type : List.of("x-consistent-hash", "x-modulus-hash", "x-random", "x-local-random")) {
            Matcher matcher = matcher(type, Map.of());
            BindingSpec binding = binding("q", "1");
            assertThat(Messages.matched(matcher, RoutingKey.of("k"), Messages.PLAIN))
                    .isEmpty();
            assertThat(Messages.matched(matcher.with(binding).without(binding), RoutingKey.of("k"), Messages.PLAIN))
                    .isEmpty();
        }
    }

    @Test
    void theHashIsThatOfEveryRelease() {
        assertThat(Hash.of("")).isEqualTo(Hash.of(RoutingKey.EMPTY));
        assertThat(Hash.of("entrepot")).isEqualTo(Hash.of(RoutingKey.of("entrepot")));
        assertThat(Long.toHexString(Hash.of("entrepot"))).isEqualTo("85eb3e420db3ea85");
    }

    private static double share(Map<String, Integer> counts, String queue) {
        return counts.getOrDefault(queue, 0) / (double) KEYS;
    }

    private static String pick(Matcher matcher, String key) {
        List<String> picked = Messages.matched(matcher, RoutingKey.of(key), Messages.PLAIN);
        assertThat(picked).hasSize(1);
        return picked.get(0);
    }

    private static Matcher ten(Matcher matcher) {
        Matcher more = matcher;
        for (int i = 0; i < 10; i++) {
            more = more.with(binding("q" + i, "1"));
        }
        return more;
    }

    private static Matcher consistent(Map<String, Object> arguments) {
        return matcher("x-consistent-hash", arguments);
    }

    private static Matcher matcher(String type, Map<String, Object> arguments) {
        return type(type).matcher(exchange(arguments));
    }

    private static ExchangeType type(String name) {
        return BuiltInTypes.all().stream()
                .filter(type -> type.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    private static void assertRefused(String weight, String text) {
        assertThatThrownBy(() -> type("x-consistent-hash").check(binding("q", weight)))
                .hasMessage(text);
    }

    private static ExchangeSpec exchange(Map<String, Object> arguments) {
        return new ExchangeSpec("x", "x-consistent-hash", true, false, false, null, arguments);
    }

    private static BindingSpec binding(String queue, String key) {
        return new BindingSpec("x", Destination.queue(queue), RoutingKey.of(key), Map.of());
    }
}
