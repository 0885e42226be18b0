package org.entrepot.amqp.v091;

import java.util.Set;
import org.entrepot.amqp.v091.wire.FieldType;
import org.entrepot.amqp.v091.wire.TypedValue;
import org.entrepot.spi.BrokerException;

/** The checks that arguments of queues and consumers share, with RabbitMQ's words for what is wrong. */
final class ArgumentCheck {

    /** Longest time that an argument may name: ten years, in milliseconds. */
    static final long DURATION_MILLIS_MAX = 315_360_000_000L;

    private final String subject;

    /** For the arguments of {@code subject}, such as "queue 'x' in vhost '/'". */
    ArgumentCheck(String subject) {
        this.subject = subject;
    }

    /** A whole number of any width. */
    long integer(String argument, TypedValue field) {
        if (!field.type().isInteger()) {
            throw failure(
                    argument,
                    ErlangTerms.string("expected integer, got " + field.type().label()));
        }
        return (Long) field.value();
    }

    /** A whole number that is not negative. */
    long count(String argument, TypedValue field) {
        long value = integer(argument, field);
        if (value < 0) {
            throw failure(argument, "{value_negative," + value + "}");
        }
        return value;
    }

    /** Milliseconds. */
    long duration(String argument, TypedValue field) {
        long value = count(argument, field);
        if (value > DURATION_MILLIS_MAX) {
            throw failure(argument, "{value_too_large," + value + "}");
        }
        return value;
    }

    String text(String argument, TypedValue field) {
        if (field.type() != FieldType.LONG_STRING) {
            throw unacceptableType(argument, field);
        }
        return ErlangTerms.plain(field.value());
    }

    void flag(String argument, TypedValue field) {
        if (field.type() != FieldType.BOOL) {
            throw unacceptableType(argument, field);
        }
    }

    void oneOf(String argument, TypedValue field, Set<String> allowed, String otherwise) {
        if (!allowed.contains(text(argument, field))) {
            throw failure(argument, otherwise);
        }
    }

    private BrokerException unacceptableType(String argument, TypedValue field) {
        return failure(argument, "{unacceptable_type," + field.type().label() + "}");
    }

    /** "invalid arg ... for ...: what". */
    BrokerException failure(String argument, String what) {
        return AmqpChannel.preconditionFailed("invalid arg '" + argument + "' for " + subject + ": " + what);
    }
}
