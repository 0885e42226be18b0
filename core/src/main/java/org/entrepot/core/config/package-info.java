/** Strict typed configuration: flat lines, environment variables and the command line, checked against known keys. */
@NullMarked
package org.entrepot.core.config;

import org.jspecify.annotations.NullMarked;
