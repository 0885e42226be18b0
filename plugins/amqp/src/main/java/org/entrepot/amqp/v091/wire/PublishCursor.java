package org.entrepot.amqp.v091.wire;

import io.netty.buffer.ByteBuf;

/** The arguments of basic.publish, read in place. Owned by a connection's loop and reused; valid until the next parse. */
public final class PublishCursor {
    /** Ticket, two lengths, bits. */
    private static final int FIXED_BYTES = 5;

    private int exchangeIndex;
    private int exchangeLength;
    private int keyIndex;
    private int keyLength;
    private boolean mandatory;
    private boolean immediate;

    /** Reads the arguments that {@link FrameSink#method} was given. Throws like {@link MethodReader#read}. */
    public void parse(ByteBuf buffer, int index, int length) {
        if (length < FIXED_BYTES) {
            throw MethodReader.cannotDecode(Methods.BASIC_PUBLISH, buffer, index, length);
        }
        exchangeIndex = index + 3;
        exchangeLength = buffer.getUnsignedByte(index + 2);
        if (length < FIXED_BYTES + exchangeLength) {
            throw MethodReader.cannotDecode(Methods.BASIC_PUBLISH, buffer, index, length);
        }
        int key = exchangeIndex + exchangeLength;
        keyIndex = key + 1;
        keyLength = buffer.getUnsignedByte(key);
        if (length != FIXED_BYTES + exchangeLength + keyLength) {
            throw MethodReader.cannotDecode(Methods.BASIC_PUBLISH, buffer, index, length);
        }
        int bits = buffer.getByte(keyIndex + keyLength);
        mandatory = (bits & 1) != 0;
        immediate = (bits & 2) != 0;
    }

    /** Where the exchange's name begins, after its length. */
    public int exchangeIndex() {
        return exchangeIndex;
    }

    public int exchangeLength() {
        return exchangeLength;
    }

    /** Where the routing key begins, after its length. */
    public int keyIndex() {
        return keyIndex;
    }

    public int keyLength() {
        return keyLength;
    }

    public boolean mandatory() {
        return mandatory;
    }

    public boolean immediate() {
        return immediate;
    }
}
