/** The in-memory storage engine: the default when no storage plugin is configured, and the reference for the contract. */
@NullMarked
package org.entrepot.core.storage;

import org.jspecify.annotations.NullMarked;
