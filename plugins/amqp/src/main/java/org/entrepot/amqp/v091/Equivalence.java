package org.entrepot.amqp.v091;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.entrepot.spi.BrokerException;
import org.entrepot.spi.ErrorKind;
import org.entrepot.spi.topology.ExchangeSpec;
import org.entrepot.spi.topology.QueueSpec;
import org.jspecify.annotations.Nullable;

/**
 * Whether a declaration asks for what is there already. Only what RabbitMQ compares is compared: arguments that the
 * queue's type knows, numbers by value and not by the type they had on the wire; of an exchange's only the alternate.
 */
final class Equivalence {
    private Equivalence() {}

    /** Throws when {@code asked} is not what the queue is. */
    static void check(String virtualHost, QueueSpec current, QueueSpec asked) {
        String subject = Names.queue(virtualHost, current.name());
        if (current.exclusive() != asked.exclusive()) {
            throw BrokerException.session(
                    ErrorKind.RESOURCE_LOCKED,
                    "cannot obtain exclusive access to locked " + subject
                            + ". It could be originally declared on another connection or the exclusive property value does"
                            + " not match that of the original declaration.");
        }
        compare(subject, "durable", current.durable(), asked.durable());
        compare(subject, "auto_delete", current.autoDelete(), asked.autoDelete());
        compareArguments(subject, QueueType.of(current).arguments(), current.extras(), asked.extras());
    }

    /** Throws when {@code asked} is not what the exchange is. */
    static void check(String virtualHost, ExchangeSpec current, ExchangeSpec asked) {
        String subject = Names.exchange(virtualHost, current.name());
        compare(subject, "type", current.type(), asked.type());
        compare(subject, "durable", current.durable(), asked.durable());
        compare(subject, "auto_delete", current.autoDelete(), asked.autoDelete());
        compare(subject, "internal", current.internal(), asked.internal());
        compareArguments(
                subject, List.of(ExchangeArguments.ALTERNATE), extras(current.alternate()), extras(asked.alternate()));
    }

    private static Map<String, Object> extras(@Nullable String alternate) {
        return alternate == null ? Map.of() : Map.of(ExchangeArguments.ALTERNATE, alternate);
    }

    private static void compareArguments(
            String subject, List<String> compared, Map<String, Object> current, Map<String, Object> asked) {
        for (String argument : compared) {
            Object present = current.get(argument);
            Object wanted = asked.get(argument);
            if (!Objects.equals(present, wanted)) {
                boolean withTypes = present == null || wanted == null;
                throw inequivalent(
                        subject,
                        argument,
                        text(asked, argument, wanted, withTypes),
                        text(current, argument, present, withTypes));
            }
        }
    }

    private static String text(Map<String, Object> extras, String argument, @Nullable Object value, boolean withType) {
        if (value == null) {
            return "none";
        }
        String quoted = "'" + ErlangTerms.plain(value) + "'";
        return withType
                ? "the value " + quoted + " of type '" + ArgumentExtras.typeLabel(extras, argument, value) + "'"
                : quoted;
    }

    private static void compare(String subject, String property, Object current, Object asked) {
        if (!current.equals(asked)) {
            throw inequivalent(subject, property, "'" + asked + "'", "'" + current + "'");
        }
    }

    private static BrokerException inequivalent(String subject, String what, String received, String current) {
        return AmqpChannel.preconditionFailed("inequivalent arg '" + what + "' for " + subject + ": received "
                + received + " but current is " + current);
    }
}
