/**
 * The file storage engine: a journal and tables (docs/adr/0015). Enter at {@code FileStorage}; {@code Records} and {@code
 * Batch} say what the files look like.
 */
@NullMarked
package org.entrepot.storage.file;

import org.jspecify.annotations.NullMarked;
