package org.entrepot.spi.message;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/**
 * A sequence of bytes without a read position, possibly made of several pieces. Immutable and on the heap: nobody
 * counts references to it, so nobody can leak it or free it twice. Vendors only call it.
 *
 * <p>Two {@code Bytes} are equal when they hold the same bytes, however these are cut into pieces.
 */
public abstract sealed class Bytes permits ArrayBytes, CompositeBytes {

    /** No bytes. */
    @SuppressWarnings(
            "ClassInitializationDeadlock") // both subclasses are private to the package, and this class comes first
    public static final Bytes EMPTY = new ArrayBytes(new byte[0], 0, 0);

    Bytes() {}

    /**
     * The bytes {@code [offset, offset + length)} of {@code array}, which is not copied and must not be changed from
     * here on.
     */
    public static Bytes wrap(byte[] array, int offset, int length) {
        if (offset < 0 || length < 0 || offset > array.length - length) {
            throw new IndexOutOfBoundsException(
                    "offset " + offset + " and length " + length + " in an array of " + array.length);
        }
        return length == 0 ? EMPTY : new ArrayBytes(array, offset, length);
    }

    /** All of {@code array}, which is not copied and must not be changed from here on. */
    public static Bytes wrap(byte[] array) {
        return wrap(array, 0, array.length);
    }

    /** A copy of the {@code length} bytes of {@code buffer} from {@code index}; the buffer's indexes stay as they are. */
    public static Bytes copyOf(ByteBuf buffer, int index, int length) {
        byte[] copy = new byte[length];
        buffer.getBytes(index, copy);
        return wrap(copy);
    }

    /** The UTF-8 encoding of {@code text}. */
    public static Bytes utf8(String text) {
        return wrap(text.getBytes(StandardCharsets.UTF_8));
    }

    /** The pieces one after the other, not copied. */
    public static Bytes concat(List<Bytes> pieces) {
        return switch (pieces.size()) {
            case 0 -> EMPTY;
            case 1 -> pieces.get(0);
            default -> new CompositeBytes(pieces);
        };
    }

    /** How many bytes there are. */
    public abstract int length();

    /** The byte at {@code index}; throws {@link IndexOutOfBoundsException} outside {@code [0, length)}. */
    public abstract byte at(int index);

    /** Appends the bytes {@code [offset, offset + length)} to {@code target} at its writer index. */
    public abstract void writeTo(ByteBuf target, int offset, int length);

    /** Copies the bytes {@code [offset, offset + length)} to {@code target} from {@code targetOffset} on. */
    public abstract void copyTo(int offset, byte[] target, int targetOffset, int length);

    /** The bytes {@code [offset, offset + length)}, not copied. */
    public abstract Bytes slice(int offset, int length);

    /** Appends all bytes to {@code target} at its writer index. */
    public final void writeTo(ByteBuf target) {
        writeTo(target, 0, length());
    }

    /** A copy of all bytes. */
    public final byte[] toArray() {
        byte[] copy = new byte[length()];
        copyTo(0, copy, 0, copy.length);
        return copy;
    }

    /** The bytes read as UTF-8; malformed sequences become U+FFFD. */
    public final String toUtf8() {
        return new String(toArray(), StandardCharsets.UTF_8);
    }

    final void check(int offset, int length) {
        if (offset < 0 || length < 0 || offset > length() - length) {
            throw new IndexOutOfBoundsException(
                    "offset " + offset + " and length " + length + " in " + length() + " bytes");
        }
    }

    @Override
    public final boolean equals(Object other) {
        return this == other
                || (other instanceof Bytes that
                        && length() == that.length()
                        && Arrays.equals(toArray(), that.toArray()));
    }

    @Override
    public final int hashCode() {
        int hash = 1;
        for (int i = 0, n = length(); i < n; i++) {
            hash = 31 * hash + at(i);
        }
        return hash;
    }

    /** The length, not the content: content may be secret and is not for logs. */
    @Override
    public final String toString() {
        return "Bytes[" + length() + "]";
    }
}
