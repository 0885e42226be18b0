package org.entrepot.amqp.v091;

import org.entrepot.amqp.v091.wire.Methods;
import org.entrepot.amqp.v091.wire.ReplyCode;
import org.entrepot.amqp.v091.wire.WireException;

/**
 * The memory that a connection's unfinished messages take, on all its channels together: a client that begins messages
 * and does not finish them must not fill the heap. Owned by the connection's loop.
 */
final class UnfinishedBytes {
    private final long max;
    private long bytes;

    UnfinishedBytes(long max) {
        this.max = max;
    }

    /** Throws RESOURCE_ERROR when that is too much. */
    void add(int more) {
        if (bytes + more > max) {
            throw new WireException(
                    ReplyCode.RESOURCE_ERROR,
                    "unfinished messages of this connection take more than " + max + " bytes",
                    Methods.BASIC_PUBLISH);
        }
        bytes += more;
    }

    void remove(long less) {
        bytes -= less;
        assert bytes >= 0;
    }
}
