/** What hostile and broken clients do to the product started from its distribution, and what their neighbours notice. */
@NullMarked
package org.entrepot.abuse;

import org.jspecify.annotations.NullMarked;
