package org.entrepot.mqtt;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import org.entrepot.mqtt.wire.Topics;
import org.entrepot.spi.topology.BindingSpec;

/**
 * A subscription of a session (specification 3.8.3). Immutable. It is stored as the arguments of the binding that it is in
 * the broker.
 *
 * @param filter as the client wrote it
 * @param group whom deliveries are shared with, {@link #NOT_SHARED} for nobody
 * @param topicFilter what topics it matches
 * @param qos the highest QoS of its deliveries
 * @param noLocal whether the client's own publishes are left out
 * @param asPublished whether deliveries show whether they were published to be retained
 * @param id the client's number for it; 0 for none
 */
record Subscription(
        String filter, String group, String topicFilter, int qos, boolean noLocal, boolean asPublished, int id) {

    static final String NOT_SHARED = "";

    /** The group of filters that begin with {@code $queue/}. */
    private static final String QUEUE_GROUP = "$queue";

    private static final String SHARE = "$share/";
    private static final String QUEUE = "$queue/";

    private static final String QOS = "x-mqtt-qos";
    private static final String NO_LOCAL = "x-mqtt-no-local";
    private static final String AS_PUBLISHED = "x-mqtt-retain-as-published";
    private static final String ID = "x-mqtt-subscription-id";

    /** A subscription to a filter that {@link #fault} finds nothing wrong with. */
    static Subscription of(String filter, int qos, boolean noLocal, boolean asPublished, int id) {
        if (filter.startsWith(SHARE)) {
            int slash = filter.indexOf('/', SHARE.length());
            String group = filter.substring(SHARE.length(), slash);
            return new Subscription(filter, group, filter.substring(slash + 1), qos, noLocal, asPublished, id);
        }
        if (filter.startsWith(QUEUE)) {
            String topics = filter.substring(QUEUE.length());
            return new Subscription(filter, QUEUE_GROUP, topics, qos, noLocal, asPublished, id);
        }
        return new Subscription(filter, NOT_SHARED, filter, qos, noLocal, asPublished, id);
    }

    /** Whether a filter is one of a group, rightly written or not. */
    static boolean isShared(String filter) {
        return filter.startsWith(SHARE) || filter.startsWith(QUEUE);
    }

    /** What is wrong with a filter; empty where nothing is. */
    static String fault(String filter, int levelsMax) {
        if (filter.startsWith(SHARE)) {
            int slash = filter.indexOf('/', SHARE.length());
            String group = slash < 0 ? "" : filter.substring(SHARE.length(), slash);
            if (group.isEmpty() || group.indexOf('+') >= 0 || group.indexOf('#') >= 0) {
                return "a shared subscription without a proper group";
            }
            return Topics.filterFault(filter.substring(slash + 1), levelsMax);
        }
        if (filter.startsWith(QUEUE)) {
            return Topics.filterFault(filter.substring(QUEUE.length()), levelsMax);
        }
        return Topics.filterFault(filter, levelsMax);
    }

    /** The subscription that a binding was made for. */
    static Subscription of(String filter, Map<String, Object> arguments) {
        return of(
                filter,
                arguments.get(QOS) instanceof Long qos ? qos.intValue() : 0,
                Boolean.TRUE.equals(arguments.get(NO_LOCAL)),
                Boolean.TRUE.equals(arguments.get(AS_PUBLISHED)),
                arguments.get(ID) instanceof Long id ? id.intValue() : 0);
    }

    boolean isShared() {
        return !group.isEmpty();
    }

    /** Whether it says nothing but a filter and a QoS. */
    boolean isPlain() {
        return !noLocal && !asPublished && id == 0;
    }

    /** The binding that it is. */
    BindingSpec binding(String exchange, String queue) {
        return new BindingSpec(
                exchange, BindingSpec.Destination.queue(queue), Topics.pattern(topicFilter), arguments());
    }

    Map<String, Object> arguments() {
        Map<String, Object> arguments = new HashMap<>();
        arguments.put(QOS, (long) qos);
        if (noLocal) {
            arguments.put(NO_LOCAL, true);
        }
        if (asPublished) {
            arguments.put(AS_PUBLISHED, true);
        }
        if (id != 0) {
            arguments.put(ID, (long) id);
        }
        return arguments;
    }

    byte[] filterBytes() {
        return topicFilter.getBytes(StandardCharsets.UTF_8);
    }
}
