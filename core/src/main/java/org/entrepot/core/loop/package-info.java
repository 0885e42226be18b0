/** Threads that own state, and how work gets to them. */
@NullMarked
package org.entrepot.core.loop;

import org.jspecify.annotations.NullMarked;
