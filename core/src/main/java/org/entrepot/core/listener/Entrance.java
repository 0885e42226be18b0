package org.entrepot.core.listener;

import java.net.InetAddress;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import org.entrepot.core.loop.Loops;

/** What all ports share: limits, where connections go, and where complaints do. Used by any loop. */
final class Entrance {
    private final ListenerSettings settings;
    private final ConnectionOpener opener;
    private final ComplaintLog complaints;
    private final Executor background;
    private final Admissions admissions;
    private final List<Newcomers> newcomers;
    private final AtomicInteger turn = new AtomicInteger();
    private volatile boolean leaving;

    Entrance(
            ListenerSettings settings,
            Loops loops,
            ConnectionOpener opener,
            ComplaintLog complaints,
            Executor background) {
        this.settings = settings;
        this.opener = opener;
        this.complaints = complaints;
        this.background = background;
        this.admissions = new Admissions(settings.limits());
        this.newcomers = loops.all().stream()
                .map(loop -> new Newcomers(loop, settings.limits().firstBytesMillis()))
                .toList();
    }

    ListenerSettings settings() {
        return settings;
    }

    ConnectionOpener opener() {
        return opener;
    }

    ComplaintLog complaints() {
        return complaints;
    }

    /** For what takes long or blocks. */
    Executor background() {
        return background;
    }

    Admissions admissions() {
        return admissions;
    }

    /** Where the next connection is to live. */
    Newcomers nextLoop() {
        return newcomers.get(Math.floorMod(turn.getAndIncrement(), newcomers.size()));
    }

    /** Whether the address is of a proxy whose word is taken. */
    boolean isProxy(InetAddress peer) {
        for (AddressRange range : settings.proxySources()) {
            if (range.contains(peer)) {
                return true;
            }
        }
        return false;
    }

    /** Whether the broker accepts no more connections, and closes those that it has. */
    boolean leaving() {
        return leaving;
    }

    /** Closes all connections that no protocol has taken yet, and those to come. */
    void turnAway() {
        leaving = true;
        for (Newcomers ofLoop : newcomers) {
            ofLoop.turnAway();
        }
    }
}
