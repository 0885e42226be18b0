package org.entrepot.storage.file;

import io.netty.buffer.ByteBuf;

/**
 * The content of checkpoints behind the log's id. Stateless: the position after the last (varint), the number of ranges of
 * live positions (varint), each as the distance from the one before and its length less one (varints), the owner's state.
 */
final class CheckpointCodec {
    private CheckpointCodec() {}

    static void write(ByteBuf out, long tail, Ranges live, ByteBuf state) {
        Varints.write(out, tail);
        Varints.write(out, live.size());
        long last = 0;
        for (int i = 0; i < live.size(); i++) {
            Varints.write(out, live.from(i) - last);
            Varints.write(out, live.to(i) - live.from(i));
            last = live.to(i);
        }
        out.writeBytes(state, state.readerIndex(), state.readableBytes());
    }

    /**
     * What a checkpoint says, but for the state, which the buffer's reader index stands before then. Immutable.
     *
     * @param tail greater than any position so far
     */
    record Head(long tail, Ranges live) {}

    static Head read(ByteBuf in) throws DamagedException {
        long tail = Varints.read(in);
        long count = Varints.read(in);
        Ranges live = new Ranges();
        long last = 0;
        for (long i = 0; i < count; i++) {
            long from = last + Varints.read(in);
            last = from + Varints.read(in);
            live.add(from, last);
        }
        return new Head(tail, live);
    }
}
