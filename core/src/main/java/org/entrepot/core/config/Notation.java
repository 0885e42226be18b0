package org.entrepot.core.config;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.entrepot.spi.ConfigurationKey;
import org.jspecify.annotations.Nullable;

/** How values of each kind are written: what is allowed, in words, and how text is read. Stateless. */
final class Notation {
    private static final int SHOWN_CHARS_MAX = 60;

    private static final List<Unit> SIZES =
            List.of(new Unit("B", 1), new Unit("KiB", 1L << 10), new Unit("MiB", 1L << 20), new Unit("GiB", 1L << 30));
    private static final List<Unit> TIMES = List.of(
            new Unit("ms", 1),
            new Unit("s", 1000),
            new Unit("min", 60_000),
            new Unit("h", 3_600_000),
            new Unit("d", 86_400_000));

    private record Unit(String name, long factor) {}

    /** A text that is no value of its key. The message says why, and shows the text unless it is secret. */
    static final class Unfit extends Exception {
        private static final long serialVersionUID = 1;

        Unfit(String why) {
            super(why, null, false, false);
        }

        String why() {
            return String.valueOf(getMessage());
        }
    }

    private Notation() {}

    /**
     * Reads a value.
     *
     * @param base what relative paths are relative to
     */
    static Value read(ConfigurationKey key, String written, Path base) throws Unfit {
        for (int i = 0; i < written.length(); i++) {
            if (Character.isISOControl(written.charAt(i))) {
                throw new Unfit("has a line break or another control character in it");
            }
        }
        if (written.isEmpty()) {
            return empty(key);
        }
        return switch (key.kind()) {
            case TEXT -> new Value.Text(written);
            case LIST -> items(key, written);
            case NUMBER -> new Value.Quantity(within(key, number(written), written));
            case SIZE -> new Value.Quantity(within(key, measure(written, SIZES), written));
            case DURATION -> new Value.Quantity(within(key, measure(written, TIMES), written));
            case FLAG -> new Value.Flag(flag(written));
            case CHOICE -> new Value.Text(choice(key, written));
            case PATH -> new Value.File(path(written, base));
            case SECRET ->
                SecretFile.names(written)
                        ? new Value.Secret(SecretFile.read(path(SecretFile.nameIn(written), base)))
                        : new Value.Secret(written);
        };
    }

    /** What a value of the key may be, such as "a whole number from 1 to 90". */
    static String allowed(ConfigurationKey key) {
        return switch (key.kind()) {
            case TEXT -> "a text";
            case LIST ->
                key.choices().isEmpty()
                        ? "texts separated by commas"
                        : "any of " + String.join(", ", key.choices()) + ", separated by commas";
            case NUMBER -> "a whole number" + bounds(key, null);
            case SIZE -> "a number with one of the units " + names(SIZES) + bounds(key, SIZES);
            case DURATION -> "a number with one of the units " + names(TIMES) + bounds(key, TIMES);
            case FLAG -> "true or false";
            case CHOICE -> "one of " + String.join(", ", key.choices());
            case PATH -> "a path";
            case SECRET -> "a text, or file:PATH for a file that holds it";
        };
    }

    /** A text from outside in quotes, fit for an error. */
    static String quoted(String text) {
        return "'" + Printable.of(text, SHOWN_CHARS_MAX) + "'";
    }

    private static Value empty(ConfigurationKey key) throws Unfit {
        if (key.defaultValue().isEmpty()) {
            return new Value.Unset();
        }
        return switch (key.kind()) {
            case TEXT -> new Value.Text("");
            case LIST -> new Value.Items(List.of());
            case NUMBER, SIZE, DURATION, FLAG, CHOICE, PATH, SECRET -> throw new Unfit("is empty");
        };
    }

    private static Value items(ConfigurationKey key, String written) throws Unfit {
        List<String> items = new ArrayList<>();
        for (String item : written.split(",", -1)) {
            String trimmed = item.strip();
            if (trimmed.isEmpty()) {
                throw new Unfit(quoted(written) + " has an empty item");
            }
            if (!key.choices().isEmpty() && !key.choices().contains(trimmed)) {
                throw new Unfit(quoted(trimmed) + " is not among the choices");
            }
            items.add(trimmed);
        }
        return new Value.Items(items);
    }

    private static long number(String written) throws Unfit {
        int digits = written.startsWith("-") ? 1 : 0;
        if (digitsFrom(written, digits) != written.length() || digits == written.length()) {
            throw new Unfit(quoted(written) + " is not a whole number");
        }
        return parsed(written, written);
    }

    private static long measure(String written, List<Unit> units) throws Unfit {
        int end = digitsFrom(written, 0);
        if (end == 0) {
            throw new Unfit(quoted(written) + " does not begin with a whole number");
        }
        long number = parsed(written.substring(0, end), written);
        String name = written.substring(end).strip();
        if (name.isEmpty()) {
            throw new Unfit(quoted(written) + " has no unit");
        }
        for (Unit unit : units) {
            if (unit.name().equals(name)) {
                if (number > Long.MAX_VALUE / unit.factor()) {
                    throw new Unfit(quoted(written) + " is too great");
                }
                return number * unit.factor();
            }
        }
        throw new Unfit(quoted(written) + " has the unknown unit " + quoted(name));
    }

    private static int digitsFrom(String written, int start) {
        int end = start;
        while (end < written.length() && written.charAt(end) >= '0' && written.charAt(end) <= '9') {
            end++;
        }
        return end;
    }

    private static long parsed(String digits, String written) throws Unfit {
        try {
            return Long.parseLong(digits);
        } catch (NumberFormatException tooLong) {
            throw new Unfit(quoted(written) + " is out of range");
        }
    }

    private static long within(ConfigurationKey key, long number, String written) throws Unfit {
        if (number < key.minimum() || number > key.maximum()) {
            throw new Unfit(quoted(written) + " is out of bounds");
        }
        return number;
    }

    private static boolean flag(String written) throws Unfit {
        return switch (written) {
            case "true" -> true;
            case "false" -> false;
            default -> throw new Unfit(quoted(written) + " is neither");
        };
    }

    private static String choice(ConfigurationKey key, String written) throws Unfit {
        if (!key.choices().contains(written)) {
            throw new Unfit(quoted(written) + " is not among the choices");
        }
        return written;
    }

    private static Path path(String written, Path base) throws Unfit {
        try {
            return base.resolve(written).normalize();
        } catch (InvalidPathException notAPath) {
            throw new Unfit(quoted(written) + " is not a path");
        }
    }

    private static String names(List<Unit> units) {
        List<String> names = new ArrayList<>();
        for (Unit unit : units) {
            names.add(unit.name());
        }
        return String.join(", ", names);
    }

    private static String bounds(ConfigurationKey key, @Nullable List<Unit> units) {
        boolean top = key.maximum() != Long.MAX_VALUE;
        if (key.minimum() == 0 && !top) {
            return "";
        }
        String from = (units == null ? " from " : ", from ") + shown(key.minimum(), units);
        return top ? from + " to " + shown(key.maximum(), units) : from;
    }

    private static String shown(long number, @Nullable List<Unit> units) {
        if (units == null) {
            return Long.toString(number);
        }
        Unit best = units.get(0);
        for (Unit unit : units) {
            if (number != 0 && number % unit.factor() == 0) {
                best = unit;
            }
        }
        return number / best.factor() + " " + best.name();
    }
}
