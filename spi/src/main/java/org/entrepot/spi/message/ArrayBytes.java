package org.entrepot.spi.message;

import io.netty.buffer.ByteBuf;
import java.util.Objects;

/** A range of one array. Immutable. */
final class ArrayBytes extends Bytes {
    private final byte[] array;
    private final int start;
    private final int length;

    ArrayBytes(byte[] array, int start, int length) {
        this.array = array;
        this.start = start;
        this.length = length;
    }

    @Override
    public int length() {
        return length;
    }

    @Override
    public byte at(int index) {
        return array[start + Objects.checkIndex(index, length)];
    }

    @Override
    public void writeTo(ByteBuf target, int offset, int length) {
        check(offset, length);
        target.writeBytes(array, start + offset, length);
    }

    @Override
    public void copyTo(int offset, byte[] target, int targetOffset, int length) {
        check(offset, length);
        System.arraycopy(array, start + offset, target, targetOffset, length);
    }

    @Override
    public Bytes slice(int offset, int length) {
        check(offset, length);
        return length == this.length ? this : wrap(array, start + offset, length);
    }
}
