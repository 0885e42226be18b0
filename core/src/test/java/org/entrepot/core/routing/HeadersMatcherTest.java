package org.entrepot.core.routing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigDecimal;
import java.util.HashMap;
import java.util.Map;
import org.entrepot.spi.BrokerException;
import org.entrepot.spi.message.Bytes;
import org.entrepot.spi.message.MessageFormat.Absent;
import org.entrepot.spi.message.RoutingKey;
import org.entrepot.spi.topology.BindingSpec;
import org.entrepot.spi.topology.BindingSpec.Destination;
import org.entrepot.spi.topology.ExchangeType;
import org.entrepot.spi.topology.Matcher;
import org.junit.jupiter.api.Test;

class HeadersMatcherTest {

    @Test
    void allMustBeThereByDefault() {
        Map<String, Object> arguments = Map.of("a", 1L, "b", "two");
        assertThat(holds(arguments, Map.of("a", 1L, "b", "two", "c", 3L))).isTrue();
        assertThat(holds(arguments, Map.of("a", 1L))).isFalse();
        assertThat(holds(arguments, Map.of("a", 1L, "b", "three"))).isFalse();
        assertThat(holds(with(arguments, "x-match", "all"), Map.of("a", 1L))).isFalse();
    }

    @Test
    void oneIsEnoughWhereAnyIsAskedFor() {
        Map<String, Object> arguments = Map.of("x-match", "any", "a", 1L, "b", "two");
        assertThat(holds(arguments, Map.of("b", "two"))).isTrue();
        assertThat(holds(arguments, Map.of("a", 2L, "b", "three"))).isFalse();
    }

    @Test
    void noArgumentsMatchEverythingOrNothing() {
        assertThat(holds(Map.of(), Map.of("a", 1L))).isTrue();
        assertThat(holds(Map.of(), Map.of())).isTrue();
        assertThat(holds(Map.of("x-match", "all"), Map.of())).isTrue();
        assertThat(holds(Map.of("x-match", "any"), Map.of("a", 1L))).isFalse();
        assertThat(holds(Map.of("x-match", "any-with-x"), Map.of("a", 1L))).isFalse();
    }

    @Test
    void keysOfTheProtocolCountOnlyWhereAskedFor() {
        assertThat(holds(Map.of("x-match", "all", "x-a", 1L), Map.of())).isTrue();
        assertThat(holds(Map.of("x-match", "any", "x-a", 1L), Map.of("x-a", 1L)))
                .isFalse();
        assertThat(holds(Map.of("x-match", "all-with-x", "x-a", 1L), Map.of())).isFalse();
        assertThat(holds(Map.of("x-match", "all-with-x", "x-a", 1L), Map.of("x-a", 1L)))
                .isTrue();
        assertThat(holds(Map.of("x-match", "any-with-x", "x-a", 1L, "b", 2L), Map.of("x-a", 1L)))
                .isTrue();
    }

    @Test
    void aValueThatIsAbsentMeansPresence() {
        Map<String, Object> arguments = Map.of("a", Absent.VALUE);
        assertThat(holds(arguments, Map.of("a", "anything"))).isTrue();
        assertThat(holds(arguments, Map.of("a", Absent.VALUE))).isTrue();
        assertThat(holds(arguments, Map.of("b", 1L))).isFalse();
    }

    @Test
    void valuesAreComparedByWhatTheyAre() {
        assertThat(holds(Map.of("a", 1L), Map.of("a", 1.0))).isTrue();
        assertThat(holds(Map.of("a", new BigDecimal("1.50")), Map.of("a", 1.5))).isTrue();
        assertThat(holds(Map.of("a", 1L), Map.of("a", 1.5))).isFalse();
        assertThat(holds(Map.of("a", 1L), Map.of("a", "1"))).isFalse();
        assertThat(holds(Map.of("a", 1L), Map.of("a", Double.NaN))).isFalse();
        assertThat(holds(Map.of("a", "text"), Map.of("a", Bytes.utf8("text")))).isTrue();
        assertThat(holds(Map.of("a", true), Map.of("a", 1L))).isFalse();
    }

    @Test
    void anUnknownModeIsRefused() {
        ExchangeType type = BuiltInTypes.all().stream()
                .filter(each -> each.name().equals("headers"))
                .findFirst()
                .orElseThrow();
        assertThatThrownBy(() -> type.check(binding("q", Map.of("x-match", "foo"))))
                .isInstanceOf(BrokerException.class)
                .hasMessage("Invalid x-match field value <<\"foo\">>; expected all, any, all-with-x, or any-with-x");
        assertThatThrownBy(() -> type.check(binding("q", Map.of("x-match", 5L))))
                .hasMessage("Invalid x-match field type long (value 5); expected longstr");
        for (String mode : new String[] {"all", "any", "all-with-x", "any-with-x"}) {
            type.check(binding("q", Map.of("x-match", mode)));
        }
    }

    @Test
    void bindingsComeAndGo() {
        BindingSpec one = binding("one", Map.of("a", 1L));
        BindingSpec other = binding("other", Map.of("a", Absent.VALUE));
        Matcher matcher = HeadersMatcher.EMPTY.with(one).with(other);
        var message = Messages.with(Map.of("a", 1L));
        assertThat(Messages.matched(matcher, RoutingKey.EMPTY, message)).containsExactly("one", "other");
        assertThat(Messages.matched(matcher.without(one), RoutingKey.EMPTY, message))
                .containsExactly("other");
        assertThat(matcher.byKeyAlone()).isFalse();
    }

    private static boolean holds(Map<String, Object> arguments, Map<String, Object> headers) {
        Matcher matcher = HeadersMatcher.EMPTY.with(binding("q", arguments));
        return !Messages.matched(matcher, RoutingKey.of("k"), Messages.with(headers))
                .isEmpty();
    }

    private static Map<String, Object> with(Map<String, Object> map, String key, Object value) {
        Map<String, Object> more = new HashMap<>(map);
        more.put(key, value);
        return more;
    }

    private static BindingSpec binding(String queue, Map<String, Object> arguments) {
        return new BindingSpec("x", Destination.queue(queue), RoutingKey.EMPTY, arguments);
    }
}
