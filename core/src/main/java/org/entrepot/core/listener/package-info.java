/**
 * Where clients come in: ports, TLS, WebSocket, the PROXY protocol, telling protocols apart by their first bytes, and limits on
 * connections.
 *
 * <p>{@link org.entrepot.core.listener.Listeners} is the entrance. A connection passes {@code Acceptor} (limits), then
 * {@code Newcomer} (PROXY header, TLS, the handshake of WebSocket, first bytes), and leaves the room through {@link
 * org.entrepot.core.listener.ConnectionOpener}; after that its pipeline holds nothing of this room but the handlers of TLS
 * and of WebSocket's frames, where there are such.
 */
@NullMarked
package org.entrepot.core.listener;

import org.jspecify.annotations.NullMarked;
