package org.entrepot.stomp;

import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;
import org.entrepot.spi.BrokerException;
import org.entrepot.spi.ErrorKind;
import org.entrepot.spi.topology.QueueSpec;
import org.jspecify.annotations.Nullable;

/** Whether a queue that is there already is what a frame asks for, in RabbitMQ's words where it is not. */
final class Equivalence {

    /** What declarations are compared by besides their arguments begins so; anything else a client made up. */
    private static final String ARGUMENT = "x-";

    private Equivalence() {}

    /** Throws when {@code asked} is not what the queue is. */
    static void check(String virtualHost, QueueSpec current, QueueSpec asked) {
        String subject = "queue '" + current.name() + "' in vhost '" + virtualHost + "'";
        if (current.exclusive() != asked.exclusive()) {
            throw BrokerException.session(
                    ErrorKind.RESOURCE_LOCKED,
                    "cannot obtain exclusive access to locked " + subject
                            + ". It could be originally declared on another connection or the exclusive property value does"
                            + " not match that of the original declaration.");
        }
        compare(subject, "durable", current.durable(), asked.durable());
        compare(subject, "auto_delete", current.autoDelete(), asked.autoDelete());
        compareArguments(subject, current.extras(), asked.extras());
    }

    private static void compareArguments(String subject, Map<String, Object> current, Map<String, Object> asked) {
        TreeSet<String> names = new TreeSet<>(current.keySet());
        names.addAll(asked.keySet());
        for (String name : names) {
            Object present = current.get(name);
            Object wanted = asked.get(name);
            if (name.startsWith(ARGUMENT) && !Objects.equals(present, wanted)) {
                throw inequivalent(subject, name, text(wanted), text(present));
            }
        }
    }

    private static String text(@Nullable Object value) {
        return value == null ? "none" : "'" + value + "'";
    }

    private static void compare(String subject, String property, boolean current, boolean asked) {
        if (current != asked) {
            throw inequivalent(subject, property, text(asked), text(current));
        }
    }

    private static BrokerException inequivalent(String subject, String what, String received, String current) {
        return BrokerException.session(
                ErrorKind.PRECONDITION_FAILED,
                "inequivalent arg '" + what + "' for " + subject + ": received " + received + " but current is "
                        + current);
    }
}
