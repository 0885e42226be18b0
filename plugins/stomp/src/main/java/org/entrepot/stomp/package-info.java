/** STOMP: the plugin, connections, and what a frame does to a session. */
@NullMarked
package org.entrepot.stomp;

import org.jspecify.annotations.NullMarked;
