/**
 * What a protocol's {@code Connection} and {@code Session} are made of: the one room where security, topology, routing and
 * queues meet for a client.
 */
@NullMarked
package org.entrepot.core.session;

import org.jspecify.annotations.NullMarked;
