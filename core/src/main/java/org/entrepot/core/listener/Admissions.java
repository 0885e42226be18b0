package org.entrepot.core.listener;

import java.net.InetAddress;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** How many connections there are, over all and from each address, against the limits. Called on any loop. */
final class Admissions {
    private final int connectionsMax;
    private final int perAddressMax;
    private final AtomicInteger connections = new AtomicInteger();
    private final ConcurrentHashMap<InetAddress, Integer> perAddress = new ConcurrentHashMap<>();

    Admissions(ConnectionLimits limits) {
        connectionsMax = limits.connectionsMax();
        perAddressMax = limits.perAddressMax();
    }

    /** Counts one more, unless the node is full. */
    boolean enter() {
        if (connections.incrementAndGet() <= connectionsMax) {
            return true;
        }
        connections.decrementAndGet();
        return false;
    }

    void leave() {
        int left = connections.decrementAndGet();
        assert left >= 0;
    }

    /** Counts one more from an address, unless it has as many as it may. */
    boolean enterFrom(InetAddress address) {
        if (perAddressMax == ConnectionLimits.UNLIMITED) {
            return true;
        }
        boolean[] entered = new boolean[1];
        perAddress.compute(address, (key, count) -> {
            int now = count == null ? 0 : count;
            entered[0] = now < perAddressMax;
            return entered[0] ? Integer.valueOf(now + 1) : count;
        });
        return entered[0];
    }

    void leaveFrom(InetAddress address) {
        if (perAddressMax != ConnectionLimits.UNLIMITED) {
            perAddress.computeIfPresent(address, (key, count) -> count == 1 ? null : count - 1);
        }
    }

    int connections() {
        return connections.get();
    }

    int connectionsMax() {
        return connectionsMax;
    }

    int perAddressMax() {
        return perAddressMax;
    }
}
