package org.entrepot.core.routing;

import org.entrepot.spi.topology.BindingSpec;
import org.entrepot.spi.topology.Matcher;
import org.pcollections.TreePSet;

/** Reports sets of bindings that match. Stateless. */
final class Reports {
    private Reports() {}

    /** Reports all of a set, which mostly is one. */
    static void all(TreePSet<BindingSpec> bindings, Matcher.Matches matches) {
        int size = bindings.size();
        if (size == 1) {
            matches.add(bindings.first());
        } else if (size > 1) {
            for (BindingSpec binding : bindings) {
                matches.add(binding);
            }
        }
    }
}
