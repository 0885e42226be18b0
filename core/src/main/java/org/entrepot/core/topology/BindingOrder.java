package org.entrepot.core.topology;

import java.util.Arrays;
import java.util.Comparator;
import org.entrepot.spi.message.RoutingKey;
import org.entrepot.spi.topology.BindingSpec;

/**
 * A total order of bindings that agrees with equals. Immutable.
 *
 * <p>Bindings are kept in sorted trees and not by hash, because clients choose the bytes: keys made to collide would turn
 * each bind into a walk over all that were bound before.
 */
public final class BindingOrder implements Comparator<BindingSpec> {
    /** By source, then by what they lead to. */
    public static final BindingOrder BY_ALL = new BindingOrder(false);

    /** By source, then by key: of one exchange those with equal keys follow each other. */
    static final BindingOrder BY_KEY = new BindingOrder(true);

    private final boolean keyFirst;

    private BindingOrder(boolean keyFirst) {
        this.keyFirst = keyFirst;
    }

    @Override
    public int compare(BindingSpec left, BindingSpec right) {
        if (left == right) {
            return 0;
        }
        int order = left.source().compareTo(right.source());
        if (order == 0 && keyFirst) {
            order = compareKeys(left.key(), right.key());
        }
        if (order == 0) {
            order = DestinationOrder.BY_NAME.compare(left.destination(), right.destination());
        }
        if (order == 0 && !keyFirst) {
            order = compareKeys(left.key(), right.key());
        }
        if (order == 0 && !left.arguments().equals(right.arguments())) {
            order = Arrays.compareUnsigned(
                    ValueCodec.canonical(left.arguments()), ValueCodec.canonical(right.arguments()));
        }
        return order;
    }

    /** Orders keys by their bytes, read unsigned. */
    public static int compareKeys(RoutingKey left, RoutingKey right) {
        int length = Math.min(left.length(), right.length());
        for (int i = 0; i < length; i++) {
            int order = Byte.compareUnsigned(left.at(i), right.at(i));
            if (order != 0) {
                return order;
            }
        }
        return Integer.compare(left.length(), right.length());
    }

    /** Orders what bindings lead to: by kind, then by name. */
    static final class DestinationOrder implements Comparator<BindingSpec.Destination> {
        static final DestinationOrder BY_NAME = new DestinationOrder();

        private DestinationOrder() {}

        @Override
        public int compare(BindingSpec.Destination left, BindingSpec.Destination right) {
            int order = left.kind().compareTo(right.kind());
            return order != 0 ? order : left.name().compareTo(right.name());
        }
    }
}
