/** What tests of the broker and of its plugins are written with. */
@NullMarked
package org.entrepot.testkit;

import org.jspecify.annotations.NullMarked;
