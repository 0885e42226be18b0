package org.entrepot.core.boot;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import org.entrepot.core.session.PluginSessions;
import org.entrepot.spi.OwnSession;
import org.entrepot.spi.session.SessionListener;
import org.jspecify.annotations.Nullable;

/**
 * The broker as one plugin sees it, which is started before there is anything to see. Immutable; any thread.
 *
 * @param plugin the plugin's id
 * @param serving what there is as soon as queues are open
 */
record GivenBroker(String plugin, AtomicReference<@Nullable PluginSessions> serving)
        implements org.entrepot.spi.Broker {

    @Override
    public CompletionStage<OwnSession> openSession(String virtualHost, SessionListener listener) {
        PluginSessions sessions = serving.get();
        return sessions == null
                ? CompletableFuture.failedFuture(notYet())
                : sessions.open(plugin, virtualHost, listener);
    }

    @Override
    public List<String> virtualHosts() {
        PluginSessions sessions = serving.get();
        if (sessions == null) {
            throw notYet();
        }
        return sessions.virtualHosts();
    }

    private static IllegalStateException notYet() {
        return new IllegalStateException("the broker has not started: wait for BrokerPlugin.started");
    }
}
