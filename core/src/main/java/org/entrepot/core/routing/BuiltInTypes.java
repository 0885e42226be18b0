package org.entrepot.core.routing;

import java.util.List;
import java.util.function.Consumer;
import org.entrepot.spi.BrokerException;
import org.entrepot.spi.ErrorKind;
import org.entrepot.spi.topology.BindingSpec;
import org.entrepot.spi.topology.BindingSpec.Destination;
import org.entrepot.spi.topology.ExchangeSpec;
import org.entrepot.spi.topology.ExchangeType;
import org.entrepot.spi.topology.Matcher;

/** The types of exchange that come with the broker. Stateless. */
public final class BuiltInTypes {
    /** Levels the pattern of a topic binding may have: what bounds the memory that one binding can take. */
    static final int PATTERN_LEVELS_MAX = 512;

    private BuiltInTypes() {}

    public static List<ExchangeType> all() {
        return List.of(
                new Plain("direct", DirectMatcher.EMPTY, binding -> {}),
                new Plain("fanout", FanoutMatcher.EMPTY, binding -> {}),
                new Plain("topic", TopicMatcher.EMPTY, BuiltInTypes::checkPattern),
                new Plain("headers", HeadersMatcher.EMPTY, binding -> HeadersCondition.of(binding.arguments())),
                new ConsistentHashType(),
                new Plain("x-modulus-hash", ModulusMatcher.EMPTY, binding -> {}),
                new Plain("x-random", RandomMatcher.EMPTY, binding -> {}),
                // While queues are on one node only, all are local.
                new Plain("x-local-random", RandomMatcher.EMPTY, BuiltInTypes::checkLocal));
    }

    private static void checkPattern(BindingSpec binding) {
        int levels = TopicPattern.levels(binding.key());
        if (levels > PATTERN_LEVELS_MAX) {
            throw refused(
                    "a binding key of " + levels + " words is longer than the most allowed, " + PATTERN_LEVELS_MAX);
        }
    }

    private static void checkLocal(BindingSpec binding) {
        if (binding.key().length() > 0) {
            throw refused("Non empty binding '" + binding.key() + "' key not permitted");
        }
        if (binding.destination().kind() != Destination.Kind.QUEUE) {
            throw refused("Destination not found");
        }
    }

    private static BrokerException refused(String text) {
        return BrokerException.session(ErrorKind.PRECONDITION_FAILED, text);
    }

    /** A type that needs to know nothing of its exchanges. */
    private record Plain(String name, Matcher empty, Consumer<BindingSpec> check) implements ExchangeType {
        @Override
        public void check(BindingSpec binding) {
            check.accept(binding);
        }

        @Override
        public Matcher matcher(ExchangeSpec exchange) {
            return empty;
        }
    }
}
