package org.entrepot.stomp.wire;

import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;
import org.entrepot.spi.message.Bytes;
import org.jspecify.annotations.Nullable;

/**
 * The body of one frame after the other: in place where it came in one piece, else gathered. Owned by its decoder and used
 * again for the next frame.
 *
 * <p>What is gathered grows in pieces, each at most as large as what has come so far, so that announcing a large body
 * costs its sender bytes and not us.
 */
public final class FrameBody {

    /** Least size of a piece. */
    static final int PIECE_BYTES_MIN = 4 << 10;

    /** Largest size of a piece. */
    static final int PIECE_BYTES_MAX = 1 << 20;

    private final BodyRoom room;
    private byte @Nullable [] whole;
    private int wholeFrom;
    private int length;

    private @Nullable List<Bytes> pieces;
    private byte @Nullable [] piece;
    private int pieceEnd;
    private long taken;

    FrameBody(BodyRoom room) {
        this.room = room;
    }

    /** A body that is whole, outside of any decoder. */
    public static FrameBody of(Bytes bytes) {
        byte[] array = bytes.toArray();
        FrameBody body = new FrameBody(new BodyRoom() {
            @Override
            public void take(int bytes) {}

            @Override
            public void giveBack(long bytes) {}
        });
        body.inPlace(array, 0, array.length);
        return body;
    }

    public int length() {
        return length;
    }

    /** Copies the body. */
    public void copyTo(byte[] target, int targetFrom) {
        byte[] array = whole;
        if (array != null) {
            System.arraycopy(array, wholeFrom, target, targetFrom, length);
            return;
        }
        int at = targetFrom;
        List<Bytes> full = pieces;
        if (full != null) {
            for (Bytes each : full) {
                each.copyTo(0, target, at, each.length());
                at += each.length();
            }
        }
        byte[] last = piece;
        if (last != null) {
            System.arraycopy(last, 0, target, at, pieceEnd);
        }
    }

    /** The body for keeps: what was gathered is not copied. */
    public Bytes toBytes() {
        byte[] array = whole;
        if (array != null) {
            byte[] copy = new byte[length];
            System.arraycopy(array, wholeFrom, copy, 0, length);
            return Bytes.wrap(copy);
        }
        List<Bytes> all = pieces == null ? new ArrayList<>(1) : new ArrayList<>(pieces);
        byte[] last = piece;
        if (last != null) {
            all.add(Bytes.wrap(last, 0, pieceEnd));
        }
        return Bytes.concat(all);
    }

    /** All of it stands in this array, during the call of the sink. */
    void inPlace(byte[] array, int from, int length) {
        whole = array;
        wholeFrom = from;
        this.length = length;
    }

    /** Appends a part. */
    void append(byte[] array, int from, int to) {
        int at = from;
        while (at < to) {
            byte[] target = roomFor(to - at);
            int part = Math.min(to - at, target.length - pieceEnd);
            System.arraycopy(array, at, target, pieceEnd, part);
            added(part);
            at += part;
        }
    }

    /** Appends a part, which is read from the buffer. */
    void append(ByteBuf buffer, int bytes) {
        int left = bytes;
        while (left > 0) {
            byte[] target = roomFor(left);
            int part = Math.min(left, target.length - pieceEnd);
            buffer.readBytes(target, pieceEnd, part);
            added(part);
            left -= part;
        }
    }

    private void added(int bytes) {
        pieceEnd += bytes;
        length += bytes;
    }

    private byte[] roomFor(int bytes) {
        byte[] present = piece;
        if (present != null && pieceEnd < present.length) {
            return present;
        }
        int size = Math.max(Math.max(bytes, PIECE_BYTES_MIN), Math.min(PIECE_BYTES_MAX, length));
        room.take(size);
        taken += size;
        if (present != null) {
            List<Bytes> full = pieces;
            if (full == null) {
                full = new ArrayList<>();
                pieces = full;
            }
            full.add(Bytes.wrap(present, 0, pieceEnd));
        }
        byte[] fresh = new byte[size];
        piece = fresh;
        pieceEnd = 0;
        return fresh;
    }

    /** Forgets the body. */
    void clear() {
        whole = null;
        length = 0;
        if (taken > 0) {
            room.giveBack(taken);
            taken = 0;
            pieces = null;
            piece = null;
            pieceEnd = 0;
        }
    }
}
