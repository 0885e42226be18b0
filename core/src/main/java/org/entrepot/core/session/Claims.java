package org.entrepot.core.session;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledFuture;
import org.entrepot.core.loop.OwnedBy;
import org.entrepot.spi.BrokerException;
import org.entrepot.spi.ErrorKind;
import org.entrepot.spi.protocol.Claim;
import org.jspecify.annotations.Nullable;

/**
 * Who has the right to which name. Any thread may call it.
 *
 * <p>All that is shared is who claimed a name last. Each who claims tells the one before that it is overtaken, and hears from
 * it when it has given up; so those who want one name form a chain, of which everybody knows a neighbour only, and nothing is
 * locked. Who is overtaken while it waits passes on what it gets.
 */
final class Claims {
    /** Names that one connection may have or wait for. */
    static final int OF_A_CONNECTION_MAX = 1_000;

    /** How long a holder may take to give a name up before its socket is cut. */
    static final long PATIENCE_MILLIS = 10_000;

    private final ConcurrentHashMap<Name, Holding> newest = new ConcurrentHashMap<>();

    /** A name in a virtual host. */
    private record Name(String virtualHost, String name) {}

    /** Claims a name for a connection; called on its loop. */
    CompletionStage<Claim> claim(ClientConnection connection, String name, Runnable lost) {
        Name full = new Name(connection.virtualHost(), name);
        Holding holding = new Holding(full, connection, lost);
        connection.claims().add(holding);
        Holding before = newest.put(full, holding);
        if (before == null) {
            holding.take();
        } else {
            holding.waitFor(before);
        }
        return holding.granted;
    }

    /** Names that are claimed. */
    int size() {
        return newest.size();
    }

    /** One connection's claim to one name. */
    @OwnedBy("the connection's loop")
    final class Holding implements Claim {
        private final Name name;
        private final ClientConnection connection;
        private final Runnable lost;
        private final CompletableFuture<Claim> granted = new CompletableFuture<>();
        private @Nullable ScheduledFuture<?> patience;
        /** Who gets the name next. */
        private @Nullable Holding successor;

        private boolean holds;
        private boolean released;

        private Holding(Name name, ClientConnection connection, Runnable lost) {
            this.name = name;
            this.connection = connection;
            this.lost = lost;
        }

        private void waitFor(Holding before) {
            patience =
                    connection.loop().schedule(() -> before.connection.loop().run(before::isTooSlow), PATIENCE_MILLIS);
            before.connection.loop().run(() -> before.overtakenBy(this));
        }

        private void overtakenBy(Holding next) {
            successor = next;
            if (released && holds) {
                passOn(next);
            } else if (holds) {
                lost.run();
                connection.flushSoon();
            } else {
                giveUp();
            }
        }

        private void isTooSlow() {
            if (holds && !released) {
                connection.complain("did not give up the name '" + name.name() + "' to a newer connection within "
                        + PATIENCE_MILLIS + " ms; closed");
                connection.cut();
            }
        }

        /** The name is this one's to have; where it has given up meanwhile, the next one's. */
        private void take() {
            if (patience != null) {
                patience.cancel(false);
                patience = null;
            }
            holds = true;
            if (released) {
                leave();
            } else {
                granted.complete(this);
                connection.flushSoon();
            }
        }

        /** It is not to have the name when its turn comes. */
        private void giveUp() {
            released = true;
            granted.completeExceptionally(BrokerException.connection(
                    ErrorKind.CONFLICT, "'" + name.name() + "' was claimed by a newer connection"));
            connection.flushSoon();
        }

        @Override
        public void release() {
            assert connection.loop().owns();
            if (released) {
                return;
            }
            if (holds) {
                released = true;
                leave();
            } else {
                giveUp();
            }
        }

        private void leave() {
            connection.claims().remove(this);
            newest.remove(name, this);
            if (successor != null) {
                passOn(successor);
            }
        }

        private static void passOn(Holding next) {
            next.connection.loop().run(next::take);
        }
    }
}
