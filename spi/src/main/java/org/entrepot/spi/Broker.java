package org.entrepot.spi;

import java.util.List;
import java.util.concurrent.CompletionStage;
import org.entrepot.spi.session.SessionListener;

/**
 * The broker as a plugin may use it in its own name. Vendors only call it. Any thread may, from {@link BrokerPlugin#started}
 * until {@link BrokerPlugin#stop}.
 */
public interface Broker {

    /**
     * Opens a session of the plugin's own. It may do everything: permissions, and who an exclusive queue belongs to, do not
     * count, and names that begin with "amq." can be declared. It is no client's: it has no connection, is not among those
     * that are counted or limited, and is not held back by alarms; how much it leaves unanswered is the plugin's own business.
     *
     * <p>When the broker stops, after all clients have gone, the listener is told by {@link SessionListener#failed} with
     * FORCED, and the session is closed.
     *
     * @param listener called on the session's loop
     * @return the session; it may be there at once, so what hangs on the stage runs on any thread and goes on with {@link
     *     OwnSession#loop}. Fails with NOT_FOUND where there is no such virtual host, and with {@link
     *     IllegalStateException} before the broker has started and after it was stopped
     */
    CompletionStage<OwnSession> openSession(String virtualHost, SessionListener listener);

    /**
     * The names of the virtual hosts there are now.
     *
     * @throws IllegalStateException before the broker has started
     */
    List<String> virtualHosts();
}
