package org.entrepot.stomp.wire;

import io.netty.buffer.ByteBuf;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Cuts what a connection reads into frames, at any split of the input. Owned by the connection's loop.
 *
 * <p>What is read is looked at in an array that all connections of a loop share. A frame that is whole there is passed on
 * in place. Of one that is not, the head is kept, and its body gathered; memory grows with what has come, never with what
 * was announced. Every byte is looked at a fixed number of times, however the input is cut.
 *
 * <p>Reads as RabbitMQ does: LF and CR LF end lines, any NUL or end of line may stand between frames, content-length counts
 * for SEND only, and a value may hold colons.
 */
public final class FrameDecoder {
    private static final byte NUL = 0;
    private static final byte LF = '\n';
    private static final byte CR = '\r';
    private static final byte COLON = ':';
    private static final byte BACKSLASH = '\\';

    /** A longer array for heads is given back when it is not needed. */
    private static final int KEPT_BYTES_MAX = 4 << 10;

    private static final int KEPT_BYTES_MIN = 256;

    private static final int UNKNOWN = -1;
    private static final byte[] NOTHING = new byte[0];

    private final byte[] window;
    private final FrameLimits limits;
    private final FrameHead head = new FrameHead();
    private final FrameBody body;
    private int frameMax;
    private boolean trimming;

    private State state = State.BETWEEN;
    private boolean carriageReturn;

    /** Where the line begins that is being read, in the array that its head stands in. */
    private int lineFrom;

    private boolean commandRead;

    /** The head of a frame that did not come in one piece. */
    private byte[] kept = NOTHING;

    private int keptLength;
    private boolean inKept;

    private int bodyLength;
    private int discarded;

    private boolean held;
    private boolean stopped;
    private byte @Nullable [] waiting;
    private int waitingFrom;
    private int waitingTo;

    private enum State {
        BETWEEN,
        HEAD,
        BODY
    }

    /**
     * A decoder at the beginning of its input.
     *
     * @param window what the connections of a loop look at their input in
     * @param frameMax bytes of a frame
     */
    public FrameDecoder(byte[] window, FrameLimits limits, int frameMax, BodyRoom room) {
        this.window = window;
        this.limits = limits;
        this.frameMax = frameMax;
        this.body = new FrameBody(room);
    }

    /** Frames may have so many bytes from now on. */
    public void frameMax(int bytes) {
        frameMax = bytes;
    }

    /** Values lose their leading blanks from now on, as in STOMP 1.0. */
    public void trimValues() {
        trimming = true;
    }

    /** Reads all of the buffer; throws {@link WireException} where it is no STOMP. */
    public void read(ByteBuf buffer, FrameSink sink) {
        while (buffer.isReadable() && !stopped) {
            if (held) {
                wait(buffer);
            } else if (gathers()) {
                int missing = bodyLength - body.length();
                body.append(buffer, Math.min(missing, buffer.readableBytes()));
                if (missing > 0) {
                    continue;
                }
                look(buffer, sink);
            } else {
                look(buffer, sink);
            }
        }
    }

    private boolean gathers() {
        return state == State.BODY && bodyLength != UNKNOWN && body.length() > 0;
    }

    private void look(ByteBuf buffer, FrameSink sink) {
        int length = Math.min(window.length, buffer.readableBytes());
        buffer.readBytes(window, 0, length);
        int done = consume(window, 0, length, sink);
        if (done < length && held && !stopped) {
            wait(window, done, length);
        }
    }

    /** Passes nothing on until {@link #resume}; what is read meanwhile waits. Called by the sink. */
    public void hold() {
        held = true;
    }

    /** Passes on what has waited, and goes on, unless it is held again. */
    public void resume(FrameSink sink) {
        held = false;
        byte[] present = waiting;
        if (present == null || stopped) {
            return;
        }
        waiting = null;
        int from = waitingFrom;
        int to = waitingTo;
        int done = consume(present, from, to, sink);
        if (done < to && !stopped) {
            waiting = present;
            waitingFrom = done;
            waitingTo = to;
        }
    }

    public boolean isHeld() {
        return held;
    }

    /** How many bytes wait. */
    public int waitingBytes() {
        return waiting == null ? 0 : waitingTo - waitingFrom;
    }

    /** Throws away whatever is read from now on. */
    public void stop() {
        stopped = true;
        waiting = null;
        kept = NOTHING;
        keptLength = 0;
        body.clear();
    }

    private void wait(ByteBuf buffer) {
        int bytes = buffer.readableBytes();
        byte[] target = roomToWait(bytes);
        buffer.readBytes(target, waitingTo, bytes);
        waitingTo += bytes;
    }

    private void wait(byte[] array, int from, int to) {
        byte[] target = roomToWait(to - from);
        System.arraycopy(array, from, target, waitingTo, to - from);
        waitingTo += to - from;
    }

    private byte[] roomToWait(int bytes) {
        byte[] present = waiting;
        if (present == null) {
            present = new byte[bytes];
            waitingFrom = 0;
            waitingTo = 0;
        } else if (present.length - waitingTo < bytes) {
            present = Arrays.copyOfRange(present, waitingFrom, waitingTo + Math.max(bytes, waitingTo - waitingFrom));
            waitingTo -= waitingFrom;
            waitingFrom = 0;
        }
        waiting = present;
        return present;
    }

    /** Consumes what there is, unless the sink holds or stops; where it got to. */
    private int consume(byte[] in, int from, int to, FrameSink sink) {
        int at = from;
        while (at < to && !held && !stopped) {
            at = switch (state) {
                case BETWEEN -> between(in, at, to);
                case HEAD -> head(in, at, to);
                case BODY -> body(in, at, to, sink);
            };
        }
        if (state != State.BETWEEN && !inKept && !stopped) {
            keep(in, to);
        }
        return at;
    }

    private int between(byte[] in, int from, int to) {
        for (int at = from; at < to; at++) {
            byte b = in[at];
            if (carriageReturn) {
                if (b != LF) {
                    throw new WireException("unexpected bytes between frames");
                }
                carriageReturn = false;
            } else if (b == CR) {
                carriageReturn = true;
            } else if (b != NUL && b != LF) {
                state = State.HEAD;
                inKept = false;
                commandRead = false;
                lineFrom = at;
                head.begin(in, at);
                return at;
            }
        }
        return to;
    }

    // ---- the head

    private int head(byte[] in, int from, int to) {
        int lf = indexOf(in, from, to, LF);
        int next = lf < 0 ? to : lf + 1;
        if (inKept) {
            append(in, from, next);
            head.end(keptLength);
        } else {
            head.end(next);
        }
        checkHead();
        if (lf >= 0) {
            int end = head.end();
            line(head.array(), lineFrom, end - 1);
            lineFrom = end;
        }
        return next;
    }

    private void checkHead() {
        if (head.end() - head.from() > frameMax) {
            throw tooLarge();
        }
        int line = head.end() - lineFrom;
        if (!commandRead) {
            if (line > Command.BYTES_MAX + 2) {
                throw new WireException("a command of more than " + Command.BYTES_MAX + " bytes");
            }
        } else if (line > 2L * limits.headerBytesMax() + 3) {
            throw headerTooLong();
        }
    }

    private WireException tooLarge() {
        return new WireException("a frame of more than " + frameMax + " bytes");
    }

    private WireException headerTooLong() {
        return new WireException("a header of more than " + limits.headerBytesMax() + " bytes");
    }

    /** A line without its LF. */
    private void line(byte[] in, int from, int lf) {
        int end = lf > from && in[lf - 1] == CR ? lf - 1 : lf;
        if (!commandRead) {
            command(in, from, end);
        } else if (end == from) {
            headRead();
        } else {
            header(in, from, end);
        }
    }

    private void command(byte[] in, int from, int end) {
        if (end - from > Command.BYTES_MAX) {
            throw new WireException("a command of more than " + Command.BYTES_MAX + " bytes");
        }
        if (indexOf(in, from, end, CR) >= 0 || indexOf(in, from, end, NUL) >= 0) {
            throw new WireException("a carriage return or a zero byte in a command");
        }
        head.command(Command.of(in, from, end), end);
        commandRead = true;
    }

    private void header(byte[] in, int from, int end) {
        int hash = 0;
        int at = from;
        while (true) {
            if (at == end) {
                throw new WireException("a header without a value");
            }
            byte b = in[at];
            if (b == COLON) {
                break;
            }
            if (b == BACKSLASH) {
                hash = Header.hash(hash, b);
                at = escape(in, at, end);
                b = in[at];
            } else if (b == CR || b == NUL) {
                throw controlInHeader();
            }
            hash = Header.hash(hash, b);
            at++;
        }
        int nameTo = at;
        int valueFrom = at + 1;
        boolean colons = false;
        for (at = valueFrom; at < end; at++) {
            byte b = in[at];
            if (b == COLON) {
                colons = true;
            } else if (b == BACKSLASH) {
                at = escape(in, at, end);
            } else if (b == CR || b == NUL) {
                throw controlInHeader();
            }
        }
        if (trimming) {
            while (valueFrom < end && FrameHead.isBlank(in[valueFrom])) {
                valueFrom++;
            }
        }
        if (nameTo - from > limits.headerBytesMax() || end - valueFrom > limits.headerBytesMax()) {
            throw headerTooLong();
        }
        Header known = Header.of(in, from, nameTo, hash);
        if (!head.has(from, nameTo, hash, known)) {
            if (head.count() == limits.headersMax()) {
                throw new WireException("more than " + limits.headersMax() + " headers");
            }
            head.add(from, nameTo, valueFrom, end, hash, known, colons);
        }
    }

    /** A zero byte would pass for the end of a frame where clients look for one. */
    private static WireException controlInHeader() {
        return new WireException("a carriage return or a zero byte in a header");
    }

    /** The place of an escape's second byte. */
    private static int escape(byte[] in, int backslash, int end) {
        if (backslash + 1 == end || !Escapes.isEscape(in[backslash + 1])) {
            throw new WireException("a backslash in a header that escapes nothing");
        }
        return backslash + 1;
    }

    private void headRead() {
        state = State.BODY;
        discarded = 0;
        bodyLength = UNKNOWN;
        if (head.command() == Command.SEND) {
            long announced = head.number(Header.CONTENT_LENGTH, UNKNOWN);
            if (announced < 0 && head.number(Header.CONTENT_LENGTH, 0) < 0) {
                throw new WireException("a content-length that is negative");
            }
            if (announced > frameMax) {
                throw tooLarge();
            }
            bodyLength = (int) announced;
        }
        checkBody();
    }

    /** Takes what there is of the head out of an array that will be used for something else. */
    private void keep(byte[] in, int to) {
        int from = head.from();
        int end = state == State.HEAD ? to : head.end();
        keptLength = 0;
        append(in, from, end);
        head.moved(kept, -from);
        head.end(keptLength);
        lineFrom -= from;
        inKept = true;
    }

    private void append(byte[] in, int from, int to) {
        int bytes = to - from;
        if (kept.length - keptLength < bytes) {
            int size = Math.max(KEPT_BYTES_MIN, Math.max(2 * keptLength, keptLength + bytes));
            kept = Arrays.copyOf(kept, size);
            if (inKept) {
                head.moved(kept, 0);
            }
        }
        System.arraycopy(in, from, kept, keptLength, bytes);
        keptLength += bytes;
    }

    // ---- the body

    private int body(byte[] in, int from, int to, FrameSink sink) {
        return bodyLength == UNKNOWN ? bodyToNul(in, from, to, sink) : countedBody(in, from, to, sink);
    }

    private int countedBody(byte[] in, int from, int to, FrameSink sink) {
        int missing = bodyLength - body.length();
        if (to - from <= missing) {
            body.append(in, from, to);
            return to;
        }
        int nul = from + missing;
        if (in[nul] != NUL) {
            throw new WireException("a body that is longer than its content-length");
        }
        return passOn(in, from, nul, sink);
    }

    private int bodyToNul(byte[] in, int from, int to, FrameSink sink) {
        int nul = indexOf(in, from, to, NUL);
        int end = nul < 0 ? to : nul;
        if (head.command() != Command.SEND) {
            discarded += end - from;
            checkBody();
            return nul < 0 ? to : passOn(in, end, end, sink);
        }
        if (nul >= 0) {
            discarded = end - from;
            checkBody();
            return passOn(in, from, end, sink);
        }
        discarded = end - from;
        checkBody();
        discarded = 0;
        body.append(in, from, end);
        return to;
    }

    /** The last part of the body has come. */
    private int passOn(byte[] in, int from, int nul, FrameSink sink) {
        if (body.length() == 0) {
            body.inPlace(in, from, nul - from);
        } else {
            body.append(in, from, nul);
        }
        state = State.BETWEEN;
        try {
            sink.frame(head, body);
        } finally {
            body.clear();
            if (inKept) {
                inKept = false;
                keptLength = 0;
                if (kept.length > KEPT_BYTES_MAX) {
                    kept = NOTHING;
                }
            }
        }
        return nul + 1;
    }

    private void checkBody() {
        long announced = bodyLength == UNKNOWN ? (long) body.length() + discarded : bodyLength;
        if (head.end() - head.from() + announced > frameMax) {
            throw tooLarge();
        }
    }

    private static int indexOf(byte[] array, int from, int to, byte wanted) {
        for (int i = from; i < to; i++) {
            if (array[i] == wanted) {
                return i;
            }
        }
        return -1;
    }
}
