/** Benchmarks of the hot paths, run with JMH. */
@NullMarked
package org.entrepot.bench;

import org.jspecify.annotations.NullMarked;
