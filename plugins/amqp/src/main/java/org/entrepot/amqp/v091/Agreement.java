package org.entrepot.amqp.v091;

import org.entrepot.amqp.v091.wire.Frames;
import org.entrepot.amqp.v091.wire.Method.ConnectionTuneOk;
import org.entrepot.amqp.v091.wire.Methods;
import org.entrepot.amqp.v091.wire.ReplyCode;
import org.entrepot.amqp.v091.wire.WireException;

/**
 * What server and client agreed on in tune and tune-ok. Immutable.
 *
 * @param channelMax most channels
 * @param frameMax largest frame, in bytes
 * @param heartbeatSeconds the heartbeat's interval; 0 for none
 */
record Agreement(int channelMax, int frameMax, int heartbeatSeconds) {

    private static final int CHANNELS_MIN = 1;

    /**
     * The client's answer, checked against what was offered. Zero means no limit, which is more than any limit.
     *
     * @throws WireException NOT_ALLOWED with RabbitMQ's words
     */
    static Agreement of(ConnectionTuneOk answer, int channelMax, int frameMax) {
        check("frame_max", answer.frameMax(), "", Frames.FRAME_BYTES_MIN, frameMax);
        check(
                "channel_max",
                answer.channelMax(),
                answer.channelMax() == 0 ? " (no limit)" : "",
                CHANNELS_MIN,
                channelMax);
        return new Agreement(answer.channelMax(), (int) answer.frameMax(), answer.heartbeat());
    }

    private static void check(String name, long value, String detail, long minimum, long maximum) {
        if (value != 0 && value < minimum) {
            throw refusal(name, value, detail, "lower", "minimum", minimum);
        }
        if (value == 0 || value > maximum) {
            throw refusal(name, value, detail, "higher", "maximum", maximum);
        }
    }

    private static WireException refusal(
            String name, long value, String detail, String comparison, String bound, long limit) {
        return new WireException(
                ReplyCode.NOT_ALLOWED,
                "negotiated " + name + " = " + value + detail + " is " + comparison + " than the " + bound
                        + " allowed value (" + limit + ")",
                Methods.CONNECTION_TUNE);
    }
}
