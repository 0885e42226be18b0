package org.entrepot.spi.message;

import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** Several pieces one after the other; a body that came in many frames. Immutable. */
final class CompositeBytes extends Bytes {
    private final Bytes[] pieces;
    /** {@code starts[i]} is where piece i begins; the last element is the length of all. */
    private final int[] starts;

    CompositeBytes(List<Bytes> pieces) {
        this.pieces = pieces.toArray(Bytes[]::new);
        this.starts = new int[this.pieces.length + 1];
        for (int i = 0; i < this.pieces.length; i++) {
            starts[i + 1] = Math.addExact(starts[i], this.pieces[i].length());
        }
    }

    @Override
    public int length() {
        return starts[pieces.length];
    }

    @Override
    public byte at(int index) {
        int piece = pieceAt(Objects.checkIndex(index, length()));
        return pieces[piece].at(index - starts[piece]);
    }

    @Override
    public void writeTo(ByteBuf target, int offset, int length) {
        check(offset, length);
        int end = offset + length;
        for (int at = offset, piece = pieceAt(offset); at < end; piece++) {
            int count = Math.min(starts[piece + 1], end) - at;
            pieces[piece].writeTo(target, at - starts[piece], count);
            at += count;
        }
    }

    @Override
    public void copyTo(int offset, byte[] target, int targetOffset, int length) {
        check(offset, length);
        int end = offset + length;
        for (int at = offset, piece = pieceAt(offset); at < end; piece++) {
            int count = Math.min(starts[piece + 1], end) - at;
            pieces[piece].copyTo(at - starts[piece], target, targetOffset + at - offset, count);
            at += count;
        }
    }

    @Override
    public Bytes slice(int offset, int length) {
        check(offset, length);
        List<Bytes> cut = new ArrayList<>();
        int end = offset + length;
        for (int at = offset, piece = pieceAt(offset); at < end; piece++) {
            int count = Math.min(starts[piece + 1], end) - at;
            cut.add(pieces[piece].slice(at - starts[piece], count));
            at += count;
        }
        return concat(cut);
    }

    /** The piece that holds the byte at {@code index}; the last one for an index at the end. */
    private int pieceAt(int index) {
        int low = 0;
        int high = pieces.length - 1;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (starts[middle + 1] > index) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        return low;
    }
}
