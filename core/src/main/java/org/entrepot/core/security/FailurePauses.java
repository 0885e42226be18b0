package org.entrepot.core.security;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

/**
 * How long a user's logins from one address must wait after failed ones. Any thread may call it. What it remembers is
 * bounded: a new address replaces one whose last failure is old, and beyond {@value #USERS_PER_ADDRESS_MAX} users an
 * address's further ones share one count, so that nobody can wash a count away by trying many names.
 */
final class FailurePauses {
    static final int ADDRESSES_MAX = 4096;
    static final int USERS_PER_ADDRESS_MAX = 32;

    private static final int CANDIDATES_TO_REPLACE = 64;
    private static final long FIRST_PAUSE_MILLIS = 1000;
    private static final long FORGOTTEN_AFTER_MILLIS = 600_000;

    /** Stands for all users beyond the most that an address has counts for; no user has an empty name. */
    private static final String FURTHER_USERS = "";

    private final ConcurrentHashMap<ClientAddress, Counts> counts = new ConcurrentHashMap<>();
    private final int free;
    private final long pauseMillisMax;
    private final LongSupplier clockMillis;

    private record Failures(int number, long lastMillis) {}

    /** The counts of one address. Immutable. */
    private record Counts(Map<String, Failures> byUser, long lastMillis) {
        Counts {
            byUser = Map.copyOf(byUser);
        }

        String key(String user) {
            return byUser.containsKey(user) || byUser.size() < USERS_PER_ADDRESS_MAX ? user : FURTHER_USERS;
        }
    }

    /**
     * @param free failures in a row that cost nothing
     * @param pauseMillisMax longest pause; 0 for none ever
     * @param clockMillis a clock that never goes back
     */
    FailurePauses(int free, long pauseMillisMax, LongSupplier clockMillis) {
        this.free = free;
        this.pauseMillisMax = pauseMillisMax;
        this.clockMillis = clockMillis;
    }

    /** How long the user must wait from now on; 0 where it need not. */
    long remainingMillis(ClientAddress address, String user) {
        Counts ofAddress = counts.get(address);
        if (ofAddress == null) {
            return 0;
        }
        Failures failures = ofAddress.byUser().get(ofAddress.key(user));
        if (failures == null) {
            return 0;
        }
        long waited = clockMillis.getAsLong() - failures.lastMillis();
        return Math.max(0, pauseMillis(failures.number()) - waited);
    }

    void failed(ClientAddress address, String user) {
        if (pauseMillisMax == 0) {
            return;
        }
        long now = clockMillis.getAsLong();
        if (counts.size() >= ADDRESSES_MAX && !counts.containsKey(address)) {
            makeRoom();
        }
        counts.compute(address, (same, before) -> {
            Map<String, Failures> byUser = new HashMap<>();
            if (before != null) {
                before.byUser().forEach((name, failures) -> {
                    if (now - failures.lastMillis() < FORGOTTEN_AFTER_MILLIS) {
                        byUser.put(name, failures);
                    }
                });
            }
            String key = new Counts(byUser, now).key(user);
            Failures failures = byUser.get(key);
            byUser.put(key, new Failures(failures == null ? 1 : failures.number() + 1, now));
            return new Counts(byUser, now);
        });
    }

    void succeeded(ClientAddress address, String user) {
        counts.computeIfPresent(address, (same, before) -> {
            if (!before.byUser().containsKey(user)) {
                return before;
            }
            Map<String, Failures> byUser = new HashMap<>(before.byUser());
            byUser.remove(user);
            return byUser.isEmpty() ? null : new Counts(byUser, before.lastMillis());
        });
    }

    /** How many addresses are remembered. */
    int addresses() {
        return counts.size();
    }

    private long pauseMillis(int failures) {
        if (failures < free) {
            return 0;
        }
        int doublings = Math.min(failures - free, 30);
        return Math.min(pauseMillisMax, FIRST_PAUSE_MILLIS << doublings);
    }

    /** Forgets the address that failed longest ago among some. */
    private void makeRoom() {
        ClientAddress oldest = null;
        long oldestMillis = Long.MAX_VALUE;
        int seen = 0;
        for (Map.Entry<ClientAddress, Counts> entry : counts.entrySet()) {
            if (entry.getValue().lastMillis() < oldestMillis) {
                oldestMillis = entry.getValue().lastMillis();
                oldest = entry.getKey();
            }
            if (++seen == CANDIDATES_TO_REPLACE) {
                break;
            }
        }
        if (oldest != null) {
            counts.remove(oldest);
        }
    }
}
