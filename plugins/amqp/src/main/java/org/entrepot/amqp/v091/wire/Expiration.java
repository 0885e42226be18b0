package org.entrepot.amqp.v091.wire;

import io.netty.buffer.ByteBuf;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;

/** The property expiration: milliseconds as decimal text, refused in the words of RabbitMQ. */
final class Expiration {

    /** Ten years: the longest that RabbitMQ takes. */
    private static final long MILLIS_MAX = 315_360_000_000L;

    /** Digits that cannot overflow a long. */
    private static final int DIGITS_SAFE = 18;

    private Expiration() {}

    /** Throws {@link WireException} PRECONDITION_FAILED for what is no number of milliseconds. */
    static long parse(ByteBuf buffer, int index, int length) {
        int end = index + length;
        int at = index;
        if (length > 0 && (buffer.getByte(at) == '-' || buffer.getByte(at) == '+')) {
            at++;
        }
        int digits = at;
        long value = 0;
        while (at < end && buffer.getByte(at) >= '0' && buffer.getByte(at) <= '9') {
            if (at - digits < DIGITS_SAFE) {
                value = value * 10 + buffer.getByte(at) - '0';
            }
            at++;
        }
        boolean small = at - digits <= DIGITS_SAFE;
        if (at == digits) {
            throw invalid(buffer, index, length, "no_integer");
        }
        if (at < end) {
            throw invalid(
                    buffer, index, length, "{leftover_string," + ErlangText.characters(buffer, at, end - at) + '}');
        }
        if (small && buffer.getByte(index) != '-' && value <= MILLIS_MAX) {
            return value;
        }
        BigInteger exact = new BigInteger(buffer.toString(index, length, StandardCharsets.US_ASCII));
        if (exact.signum() < 0) {
            throw invalid(buffer, index, length, "{value_negative," + exact + '}');
        }
        if (exact.compareTo(BigInteger.valueOf(MILLIS_MAX)) > 0) {
            throw invalid(buffer, index, length, "{value_too_large," + exact + '}');
        }
        return exact.longValue();
    }

    private static WireException invalid(ByteBuf buffer, int index, int length, String reason) {
        String expiration = buffer.toString(index, length, StandardCharsets.UTF_8);
        return new WireException(
                ReplyCode.PRECONDITION_FAILED,
                "invalid expiration '" + expiration + "': " + reason,
                Methods.BASIC_PUBLISH);
    }
}
