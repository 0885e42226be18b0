package org.entrepot.stomp.wire;

import org.entrepot.spi.message.Bytes;
import org.jspecify.annotations.Nullable;

/**
 * The lines of a stored header, one after the other: a cursor. Used by one thread.
 *
 * <p>A stored header is what {@link FrameHead#writeLine} and {@link LineBuffer#line} make: lines with one colon each that is
 * not escaped, in which nothing stands twice.
 */
public final class HeaderLines {
    private final byte[] array;
    private int from;
    private int colon;
    private int end;
    private @Nullable Header header;

    public HeaderLines(Bytes stored) {
        this.array = stored.toArray();
        this.end = -1;
    }

    /** Goes to the next line; false behind the last. */
    public boolean next() {
        from = end + 1;
        if (from >= array.length) {
            return false;
        }
        int hash = 0;
        for (colon = from; array[colon] != ':'; colon++) {
            hash = Header.hash(hash, array[colon]);
        }
        for (end = colon; array[end] != '\n'; end++) {}
        header = Header.of(array, from, colon, hash);
        return true;
    }

    /** What the line is; null where it means nothing to the broker. */
    public @Nullable Header header() {
        return header;
    }

    public String name() {
        return Escapes.decode(array, from, colon);
    }

    public String value() {
        return Escapes.decode(array, colon + 1, end);
    }

    /** Appends the line as it is. */
    public void writeTo(LineBuffer out) {
        out.bytes(array, from, end + 1);
    }
}
