/** What storage engines are tested with. */
@NullMarked
package org.entrepot.testkit.storage;

import org.jspecify.annotations.NullMarked;
