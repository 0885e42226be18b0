package org.entrepot.core.topology;

import com.google.re2j.Pattern;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.entrepot.spi.topology.QueueSpec;
import org.jspecify.annotations.Nullable;

/** The policies of one virtual host, ready to be looked up by name. Immutable. */
final class Policies {
    static final Policies NONE = new Policies(List.of());

    /** What has effect first comes first. */
    private static final Comparator<Compiled> BY_PRECEDENCE = Comparator.comparingInt(
                    (Compiled compiled) -> -compiled.policy.priority())
            .thenComparing(compiled -> compiled.policy.name());

    private final List<Compiled> sorted;

    private Policies(List<Compiled> sorted) {
        this.sorted = List.copyOf(sorted);
    }

    Policies with(Policy policy) {
        List<Compiled> changed = allBut(policy.name(), policy.operator());
        changed.add(new Compiled(policy, Pattern.compile(policy.pattern())));
        changed.sort(BY_PRECEDENCE);
        return new Policies(changed);
    }

    Policies without(String name, boolean operator) {
        return new Policies(allBut(name, operator));
    }

    @Nullable Policy policy(String name, boolean operator) {
        for (Compiled compiled : sorted) {
            if (compiled.is(name, operator)) {
                return compiled.policy;
            }
        }
        return null;
    }

    List<Policy> all() {
        List<Policy> all = new ArrayList<>(sorted.size());
        for (Compiled compiled : sorted) {
            all.add(compiled.policy);
        }
        return all;
    }

    @Nullable Policy forQueue(QueueSpec queue, boolean operator) {
        for (Compiled compiled : sorted) {
            if (compiled.policy.operator() == operator
                    && appliesToQueue(compiled.policy.applyTo(), queue.replicated())
                    && PolicyKeys.supportedBy(
                            queue, compiled.policy.definition().keySet())
                    && compiled.pattern.matcher(queue.name()).find()) {
                return compiled.policy;
            }
        }
        return null;
    }

    @Nullable Policy forExchange(String name) {
        for (Compiled compiled : sorted) {
            if (!compiled.policy.operator()
                    && appliesToExchange(compiled.policy.applyTo())
                    && compiled.pattern.matcher(name).find()) {
                return compiled.policy;
            }
        }
        return null;
    }

    private List<Compiled> allBut(String name, boolean operator) {
        List<Compiled> others = new ArrayList<>(sorted.size() + 1);
        for (Compiled compiled : sorted) {
            if (!compiled.is(name, operator)) {
                others.add(compiled);
            }
        }
        return others;
    }

    private static boolean appliesToQueue(Policy.ApplyTo applyTo, boolean replicated) {
        return switch (applyTo) {
            case ALL, QUEUES -> true;
            case CLASSIC_QUEUES -> !replicated;
            case QUORUM_QUEUES -> replicated;
            case EXCHANGES, STREAMS -> false;
        };
    }

    private static boolean appliesToExchange(Policy.ApplyTo applyTo) {
        return switch (applyTo) {
            case ALL, EXCHANGES -> true;
            case QUEUES, CLASSIC_QUEUES, QUORUM_QUEUES, STREAMS -> false;
        };
    }

    private record Compiled(Policy policy, Pattern pattern) {
        boolean is(String name, boolean operator) {
            return policy.operator() == operator && policy.name().equals(name);
        }
    }
}
