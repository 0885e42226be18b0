package org.entrepot.stomp.wire;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Command and headers of a frame, in place: where they stand in the bytes that were read. Owned by its decoder and used
 * again for the next frame, but for a {@link #copy}.
 *
 * <p>Of headers with one name the first counts; others are not here.
 */
public final class FrameHead {
    private static final int NONE = -1;
    private static final int CAPACITY_MIN = 16;

    /** Most digits of a number that cannot overflow. */
    private static final int DIGITS_MAX = 18;

    private byte[] array = new byte[0];
    private int from;
    private int end;
    private Command command = Command.UNKNOWN;
    private int commandEnd;
    private int count;
    private int[] nameFrom = new int[CAPACITY_MIN];
    private int[] nameTo = new int[CAPACITY_MIN];
    private int[] valueFrom = new int[CAPACITY_MIN];
    private int[] valueTo = new int[CAPACITY_MIN];
    private int[] hashes = new int[CAPACITY_MIN];
    private @Nullable Header[] headers = new Header[CAPACITY_MIN];
    private boolean[] colons = new boolean[CAPACITY_MIN];
    private final int[] places = new int[Header.COUNT];

    // ---- what the decoder says

    void begin(byte[] array, int from) {
        this.array = array;
        this.from = from;
        end = from;
        count = 0;
        Arrays.fill(places, NONE);
    }

    /** The bytes have moved. */
    void moved(byte[] array, int by) {
        this.array = array;
        from += by;
        end += by;
        commandEnd += by;
        for (int i = 0; i < count; i++) {
            nameFrom[i] += by;
            nameTo[i] += by;
            valueFrom[i] += by;
            valueTo[i] += by;
        }
    }

    void command(Command command, int commandEnd) {
        this.command = command;
        this.commandEnd = commandEnd;
    }

    /** What has been read so far ends here. */
    void end(int end) {
        this.end = end;
    }

    int end() {
        return end;
    }

    int from() {
        return from;
    }

    byte[] array() {
        return array;
    }

    int count() {
        return count;
    }

    /** Whether there is a header of this name already; {@code known} is what {@link Header#of} gave for it. */
    boolean has(int from, int to, int hash, @Nullable Header known) {
        if (known != null) {
            return places[known.index()] != NONE;
        }
        for (int i = 0; i < count; i++) {
            if (hashes[i] == hash && Arrays.equals(array, nameFrom[i], nameTo[i], array, from, to)) {
                return true;
            }
        }
        return false;
    }

    void add(int nameFrom, int nameTo, int valueFrom, int valueTo, int hash, @Nullable Header known, boolean colons) {
        if (count == headers.length) {
            grow();
        }
        this.nameFrom[count] = nameFrom;
        this.nameTo[count] = nameTo;
        this.valueFrom[count] = valueFrom;
        this.valueTo[count] = valueTo;
        this.hashes[count] = hash;
        this.headers[count] = known;
        this.colons[count] = colons;
        if (known != null) {
            places[known.index()] = count;
        }
        count++;
    }

    private void grow() {
        int capacity = count * 2;
        nameFrom = Arrays.copyOf(nameFrom, capacity);
        nameTo = Arrays.copyOf(nameTo, capacity);
        valueFrom = Arrays.copyOf(valueFrom, capacity);
        valueTo = Arrays.copyOf(valueTo, capacity);
        hashes = Arrays.copyOf(hashes, capacity);
        headers = Arrays.copyOf(headers, capacity);
        colons = Arrays.copyOf(colons, capacity);
    }

    /** The same in an array of its own, to be kept. */
    public FrameHead copy() {
        FrameHead copy = new FrameHead();
        copy.begin(array, from);
        copy.command(command, commandEnd);
        for (int i = 0; i < count; i++) {
            copy.add(nameFrom[i], nameTo[i], valueFrom[i], valueTo[i], hashes[i], headers[i], colons[i]);
        }
        copy.end(end);
        copy.moved(Arrays.copyOfRange(array, from, end), -from);
        return copy;
    }

    // ---- what readers ask

    public Command command() {
        return command;
    }

    /** The command as it was written. */
    public String commandText() {
        return new String(array, from, commandEnd - from, StandardCharsets.UTF_8);
    }

    public boolean has(Header header) {
        return places[header.index()] != NONE;
    }

    /** A header's value without escapes; null where there is none. */
    public @Nullable String text(Header header) {
        int place = places[header.index()];
        return place == NONE ? null : Escapes.decode(array, valueFrom[place], valueTo[place]);
    }

    /** A header's value without escapes, or another. */
    public String text(Header header, String otherwise) {
        String text = text(header);
        return text == null ? otherwise : text;
    }

    /** A header's value as it was written, to be kept; null where there is none. */
    public byte @Nullable [] raw(Header header) {
        int place = places[header.index()];
        return place == NONE ? null : Arrays.copyOfRange(array, valueFrom[place], valueTo[place]);
    }

    /** Whether a header has exactly this value as it is written. */
    public boolean matches(Header header, byte[] raw) {
        int place = places[header.index()];
        return place != NONE && Arrays.equals(array, valueFrom[place], valueTo[place], raw, 0, raw.length);
    }

    /** A hash of a header's value; 0 where there is none. */
    public int valueHash(Header header) {
        int place = places[header.index()];
        int hash = 0;
        if (place != NONE) {
            for (int i = valueFrom[place]; i < valueTo[place]; i++) {
                hash = 31 * hash + array[i];
            }
        }
        return hash;
    }

    /** What a flag says: "true" and "false", or with a capital; {@code otherwise} for anything else, or nothing. */
    public boolean flag(Header header, boolean otherwise) {
        int place = places[header.index()];
        if (place == NONE) {
            return otherwise;
        }
        if (isWord(place, 't', 'T', "rue")) {
            return true;
        }
        return otherwise && !isWord(place, 'f', 'F', "alse");
    }

    private boolean isWord(int place, char first, char firstCapital, String rest) {
        int at = valueFrom[place];
        if (valueTo[place] - at != rest.length() + 1 || (array[at] != first && array[at] != firstCapital)) {
            return false;
        }
        for (int i = 0; i < rest.length(); i++) {
            if (array[at + 1 + i] != rest.charAt(i)) {
                return false;
            }
        }
        return true;
    }

    /** A whole number, with blanks around it; {@code otherwise} for anything else, or nothing. */
    public long number(Header header, long otherwise) {
        int place = places[header.index()];
        if (place == NONE) {
            return otherwise;
        }
        int at = valueFrom[place];
        int to = valueTo[place];
        while (at < to && isBlank(array[at])) {
            at++;
        }
        while (to > at && isBlank(array[to - 1])) {
            to--;
        }
        boolean negative = at < to && array[at] == '-';
        if (at < to && (negative || array[at] == '+')) {
            at++;
        }
        if (at == to || to - at > DIGITS_MAX) {
            return otherwise;
        }
        long number = 0;
        for (; at < to; at++) {
            int digit = array[at] - '0';
            if (digit < 0 || digit > 9) {
                return otherwise;
            }
            number = number * 10 + digit;
        }
        return negative ? -number : number;
    }

    /** The number that a message's id ends with, behind the last "@@"; -1 where the value has no such form. */
    public long deliveryNumber(Header header) {
        int place = places[header.index()];
        int from = valueFrom[place];
        int at = valueTo[place];
        long number = 0;
        long unit = 1;
        int digits = 0;
        while (at > from && array[at - 1] >= '0' && array[at - 1] <= '9' && digits < DIGITS_MAX) {
            number += (array[--at] - '0') * unit;
            unit *= 10;
            digits++;
        }
        boolean formed = digits > 0 && at - 2 > from && array[at - 1] == '@' && array[at - 2] == '@';
        return formed ? number : NONE;
    }

    /** Whether a value begins with a subscription's tag, as that stands in a header, and "@@". */
    public boolean isOfTag(Header header, byte[] tag) {
        int place = places[header.index()];
        int from = valueFrom[place];
        int end = from + tag.length;
        return end + 2 <= valueTo[place]
                && Arrays.equals(array, from, end, tag, 0, tag.length)
                && array[end] == '@'
                && array[end + 1] == '@';
    }

    static boolean isBlank(byte b) {
        return b == ' ' || b == '\t';
    }

    // ---- all headers in the order in which they came

    /** How many headers there are. */
    public int size() {
        return count;
    }

    /** What header {@code i} is; null where it means nothing to the broker. */
    public @Nullable Header header(int i) {
        return headers[i];
    }

    /** Appends the line of header {@code i}, with its value's colons escaped, and a line feed. */
    public void writeLine(int i, LineBuffer out) {
        if (colons[i]) {
            out.bytes(array, nameFrom[i], nameTo[i]);
            out.colon();
            out.escapingColons(array, valueFrom[i], valueTo[i]);
        } else if (valueFrom[i] == nameTo[i] + 1) {
            out.bytes(array, nameFrom[i], valueTo[i]);
        } else {
            out.bytes(array, nameFrom[i], nameTo[i]);
            out.colon();
            out.bytes(array, valueFrom[i], valueTo[i]);
        }
        out.endLine();
    }
}
