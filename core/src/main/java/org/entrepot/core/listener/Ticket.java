package org.entrepot.core.listener;

import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import java.net.InetAddress;
import org.entrepot.core.loop.OwnedBy;
import org.jspecify.annotations.Nullable;

/**
 * A connection's place among those admitted, given back when its channel closes. It is all that this room keeps of an
 * established connection.
 */
@OwnedBy("the acceptor's loop, then the connection's")
final class Ticket implements ChannelFutureListener {
    private final Admissions admissions;
    private @Nullable InetAddress source;
    private @Nullable ListenerMeters listener;

    /** For a connection that {@link Admissions#enter} let in. */
    Ticket(Admissions admissions) {
        this.admissions = admissions;
    }

    /** Counts the connection for an address, once; false when that has as many as it may. */
    boolean enterFrom(InetAddress address) {
        assert source == null;
        if (!admissions.enterFrom(address)) {
            return false;
        }
        source = address;
        return true;
    }

    /** The connection goes to a protocol. */
    void opened(ListenerMeters meters) {
        assert listener == null;
        listener = meters;
        meters.opened();
    }

    @Override
    public void operationComplete(ChannelFuture closed) {
        giveBack();
    }

    void giveBack() {
        if (source != null) {
            admissions.leaveFrom(source);
        }
        admissions.leave();
        if (listener != null) {
            listener.closed();
        }
    }
}
