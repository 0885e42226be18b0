package org.entrepot.spi.security;

import java.util.concurrent.CompletionStage;

/** Decides what a principal may do. Vendors implement it; any loop calls it. */
public interface Authorizer {

    /** Lower-case and short; the key {@code security.authorizers} names it. */
    String name();

    /**
     * Whether the principal may. Must not block: what takes time is prepared in {@link #enter}. Sessions remember the
     * answer until users or permissions change.
     */
    boolean allows(Principal principal, String virtualHost, Permission permission);

    /**
     * Whether {@link Permission.Kind#TOPIC} permissions of the principal on this exchange depend on the key, so that every
     * key must be asked for.
     */
    default boolean restrictsTopics(Principal principal, String virtualHost, String exchange) {
        return true;
    }

    /** Whether the principal may enter the virtual host; may take its time, and completes on any thread. */
    CompletionStage<Boolean> enter(Principal principal, String virtualHost);
}
