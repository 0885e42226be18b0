package org.entrepot.core.routing;

import java.math.BigDecimal;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.entrepot.spi.BrokerException;
import org.entrepot.spi.ErrorKind;
import org.entrepot.spi.message.Bytes;
import org.entrepot.spi.message.MessageFormat.Absent;
import org.jspecify.annotations.Nullable;

/**
 * What a binding of a headers exchange asks of a message. Immutable.
 *
 * @param any whether one of the expectations is enough; else all must be met, and none always are
 * @param expectations by header; {@link Absent#VALUE} where it only has to be there
 */
record HeadersCondition(boolean any, List<Map.Entry<String, Object>> expectations) {
    private static final String MODE = "x-match";
    private static final String OF_PROTOCOL = "x-";

    /** How a binding's arguments are to be read: the values of {@code x-match}. */
    private enum Mode {
        ALL("all", false, false),
        ANY("any", true, false),
        ALL_WITH_X("all-with-x", false, true),
        ANY_WITH_X("any-with-x", true, true);

        private final String word;
        private final boolean any;
        private final boolean withX;

        Mode(String word, boolean any, boolean withX) {
            this.word = word;
            this.any = any;
            this.withX = withX;
        }
    }

    /** The condition of a binding with these arguments; throws PRECONDITION_FAILED for an {@code x-match} unheard of. */
    static HeadersCondition of(Map<String, Object> arguments) {
        Mode mode = mode(arguments.get(MODE));
        List<Map.Entry<String, Object>> expectations = new ArrayList<>(arguments.size());
        // In a fixed order, for the same work every time.
        for (Map.Entry<String, Object> argument : new TreeMap<>(arguments).entrySet()) {
            String name = argument.getKey();
            if (!name.equals(MODE) && (mode.withX || !name.startsWith(OF_PROTOCOL))) {
                expectations.add(Map.entry(name, argument.getValue()));
            }
        }
        return new HeadersCondition(mode.any, List.copyOf(expectations));
    }

    boolean holds(Map<String, Object> headers) {
        for (int i = 0; i < expectations.size(); i++) {
            Map.Entry<String, Object> expectation = expectations.get(i);
            Object actual = headers.get(expectation.getKey());
            boolean met =
                    actual != null && (expectation.getValue() == Absent.VALUE || same(expectation.getValue(), actual));
            if (met == any) {
                return any;
            }
        }
        return !any;
    }

    /** Numbers are the same by value, texts by their bytes, whatever type they were sent with. */
    private static boolean same(Object expected, Object actual) {
        if (expected.equals(actual)) {
            return true;
        }
        if (expected instanceof Number left && actual instanceof Number right) {
            return sameNumber(left, right);
        }
        if (expected instanceof String text && actual instanceof Bytes bytes) {
            return Bytes.utf8(text).equals(bytes);
        }
        if (expected instanceof Bytes bytes && actual instanceof String text) {
            return Bytes.utf8(text).equals(bytes);
        }
        return false;
    }

    private static boolean sameNumber(Number left, Number right) {
        BigDecimal exactLeft = exact(left);
        BigDecimal exactRight = exact(right);
        return exactLeft != null && exactRight != null && exactLeft.compareTo(exactRight) == 0;
    }

    /** The value of a number; null for what has none, such as infinity. */
    private static @Nullable BigDecimal exact(Number number) {
        if (number instanceof BigDecimal decimal) {
            return decimal;
        }
        if (number instanceof Double fraction) {
            return Double.isFinite(fraction) ? new BigDecimal(fraction) : null;
        }
        return BigDecimal.valueOf(number.longValue());
    }

    private static Mode mode(@Nullable Object value) {
        if (value == null) {
            return Mode.ALL;
        }
        if (!(value instanceof String word)) {
            throw invalid("Invalid x-match field type " + typeName(value) + " (value " + value + "); expected longstr");
        }
        for (Mode mode : Mode.values()) {
            if (mode.word.equals(word)) {
                return mode;
            }
        }
        throw invalid("Invalid x-match field value <<\"" + word + "\">>; expected all, any, all-with-x, or any-with-x");
    }

    /** What AMQP calls the type of a value. */
    private static String typeName(Object value) {
        if (value instanceof Long) {
            return "long";
        }
        if (value instanceof Boolean) {
            return "bool";
        }
        if (value instanceof Double) {
            return "double";
        }
        if (value instanceof BigDecimal) {
            return "decimal";
        }
        if (value instanceof Instant) {
            return "timestamp";
        }
        if (value instanceof List) {
            return "array";
        }
        if (value instanceof Map) {
            return "table";
        }
        return value == Absent.VALUE ? "void" : "binary";
    }

    private static BrokerException invalid(String text) {
        return BrokerException.session(ErrorKind.PRECONDITION_FAILED, text);
    }
}
