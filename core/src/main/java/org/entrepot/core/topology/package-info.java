/**
 * Virtual hosts, exchanges, queues, bindings, policies, users and permissions as one immutable {@link
 * org.entrepot.core.topology.Topology}, and the machine that decides how it changes.
 */
@NullMarked
package org.entrepot.core.topology;

import org.jspecify.annotations.NullMarked;
