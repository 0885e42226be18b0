/**
 * Where the broker is put together, started and stopped: the command line, the log, the data directory, and the one
 * place that knows every room. The only room that imports picocli and logback.
 */
@NullMarked
package org.entrepot.core.boot;

import org.jspecify.annotations.NullMarked;
