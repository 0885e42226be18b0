package org.entrepot.amqp.v091;

import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;
import org.entrepot.amqp.v091.wire.HeaderCursor;
import org.entrepot.spi.message.Bytes;
import org.jspecify.annotations.Nullable;

/**
 * Puts header and body of one message after the other together from the frames they come in. Owned by its channel's loop.
 *
 * <p>A small message becomes one array. A larger one's body grows in pieces, each at most as large as what has come so
 * far, so that announcing a large body costs its sender bytes and not us.
 */
final class PublishAssembler {

    /** Header and body together that are given one array at once. */
    static final int SMALL_BYTES_MAX = 16 << 10;

    /** Largest piece of a body. */
    static final int PIECE_BYTES_MAX = 1 << 20;

    private final UnfinishedBytes unfinished;
    private Bytes header = Bytes.EMPTY;
    private byte @Nullable [] piece;
    private int pieceStart;
    private int pieceEnd;
    private @Nullable List<Bytes> pieces;
    private long remaining;
    private int received;
    private long allocated;

    PublishAssembler(UnfinishedBytes unfinished) {
        this.unfinished = unfinished;
    }

    /** Begins a message with its header; the last one is finished or abandoned. */
    void begin(HeaderCursor cursor) {
        remaining = cursor.bodySize();
        received = 0;
        int headerLength = cursor.headerLength();
        boolean small = remaining <= SMALL_BYTES_MAX - headerLength;
        byte[] array = allocate(small ? headerLength + (int) remaining : headerLength);
        cursor.copyHeader(array, 0);
        header = Bytes.wrap(array, 0, headerLength);
        if (small) {
            piece = array;
            pieceStart = headerLength;
            pieceEnd = headerLength;
        }
    }

    /** How much of the body is still to come. */
    long remaining() {
        return remaining;
    }

    /** Appends to the body; not more than {@link #remaining}. */
    void append(ByteBuf buffer, int index, int length) {
        assert length <= remaining;
        int from = index;
        int left = length;
        while (left > 0) {
            byte[] target = piece;
            if (target == null || pieceEnd == target.length) {
                target = nextPiece(left);
            }
            int count = Math.min(left, target.length - pieceEnd);
            buffer.getBytes(from, target, pieceEnd, count);
            pieceEnd += count;
            from += count;
            left -= count;
            received += count;
            remaining -= count;
        }
    }

    private byte[] nextPiece(int atLeast) {
        keepPiece();
        int size = Math.max(atLeast, Math.min(PIECE_BYTES_MAX, Math.max(received, SMALL_BYTES_MAX)));
        byte[] fresh = allocate((int) Math.min(remaining, size));
        piece = fresh;
        pieceStart = 0;
        pieceEnd = 0;
        return fresh;
    }

    private void keepPiece() {
        byte[] full = piece;
        if (full != null) {
            if (pieces == null) {
                pieces = new ArrayList<>();
            }
            pieces.add(Bytes.wrap(full, pieceStart, pieceEnd - pieceStart));
        }
    }

    private byte[] allocate(int bytes) {
        unfinished.add(bytes);
        allocated += bytes;
        return new byte[bytes];
    }

    /** The header of the message that is complete. */
    Bytes header() {
        assert remaining == 0;
        return header;
    }

    /** The body of the message that is complete; then nothing of it is kept here. */
    Bytes finish() {
        assert remaining == 0;
        Bytes body;
        if (pieces == null) {
            body = piece == null ? Bytes.EMPTY : Bytes.wrap(piece, pieceStart, pieceEnd - pieceStart);
        } else {
            keepPiece();
            body = Bytes.concat(pieces);
        }
        abandon();
        return body;
    }

    /** Drops what has come. */
    void abandon() {
        unfinished.remove(allocated);
        allocated = 0;
        header = Bytes.EMPTY;
        piece = null;
        pieces = null;
    }
}
