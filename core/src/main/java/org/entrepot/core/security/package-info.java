/** Who may log in, how, and what they may do: authentication and authorization chains, password hashes. */
@NullMarked
package org.entrepot.core.security;

import org.jspecify.annotations.NullMarked;
