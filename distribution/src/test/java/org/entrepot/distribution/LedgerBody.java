package org.entrepot.distribution;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * The body of a message that a {@link ConfirmLedger} keeps account of: which run, publisher and number, filler, and a
 * checksum of all that. Immutable.
 */
record LedgerBody(long run, int publisher, int number) {
    private static final int HEAD_BYTES = Long.BYTES + 2 * Integer.BYTES;
    private static final int BYTES_MIN = HEAD_BYTES + Integer.BYTES;

    /** The body with so many bytes of filler. */
    byte[] encoded(int filler) {
        ByteBuffer body = ByteBuffer.allocate(BYTES_MIN + filler);
        body.putLong(run).putInt(publisher).putInt(number);
        for (int i = 0; i < filler; i++) {
            body.put((byte) (number + i));
        }
        return body.putInt(checksum(body)).array();
    }

    /** What such a body says; complains of one that nobody can have published. */
    static LedgerBody decoded(byte[] body) {
        if (body.length < BYTES_MIN) {
            throw new IllegalArgumentException("a body of " + body.length + " bytes");
        }
        ByteBuffer buffer = ByteBuffer.wrap(body);
        buffer.position(body.length - Integer.BYTES);
        if (checksum(buffer) != buffer.getInt()) {
            throw new IllegalArgumentException("a body of " + body.length + " bytes with a wrong checksum");
        }
        buffer.rewind();
        return new LedgerBody(buffer.getLong(), buffer.getInt(), buffer.getInt());
    }

    /** Of everything before the position. */
    private static int checksum(ByteBuffer body) {
        CRC32C checksum = new CRC32C();
        checksum.update(body.duplicate().flip());
        return (int) checksum.getValue();
    }
}
