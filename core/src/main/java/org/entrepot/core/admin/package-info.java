/** What operators see of a running broker and tell it to do, and the socket by which the command line reaches it. */
@NullMarked
package org.entrepot.core.admin;

import org.jspecify.annotations.NullMarked;
