package org.entrepot.core.routing;

import org.entrepot.core.topology.BindingOrder;
import org.entrepot.spi.topology.BindingSpec;
import org.pcollections.TreePVector;

/**
 * Bindings in a fixed order, to be had by number. Immutable. The order does not depend on when they were bound, so that
 * what is picked by number stays the same over a restart.
 */
record SortedBindings(TreePVector<BindingSpec> sorted) {
    static final SortedBindings EMPTY = new SortedBindings(TreePVector.empty());

    SortedBindings with(BindingSpec binding) {
        int place = place(binding);
        return place < sorted.size() && sorted.get(place).equals(binding)
                ? this
                : new SortedBindings(sorted.plus(place, binding));
    }

    SortedBindings without(BindingSpec binding) {
        int place = place(binding);
        return place < sorted.size() && sorted.get(place).equals(binding)
                ? new SortedBindings(sorted.minus(place))
                : this;
    }

    int size() {
        return sorted.size();
    }

    BindingSpec get(int index) {
        return sorted.get(index);
    }

    /** Where a binding is, or would be. */
    private int place(BindingSpec binding) {
        int low = 0;
        int high = sorted.size();
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (BindingOrder.BY_ALL.compare(sorted.get(middle), binding) < 0) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }
}
