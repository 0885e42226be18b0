package org.entrepot.core.security;

import org.entrepot.spi.message.Bytes;

/**
 * What a password, or a proof that a client knows it, is checked against. Immutable. See {@link PasswordHashes} for the kinds.
 *
 * @param verifier of a form that {@code kind} tells; never the password itself
 */
public record Credential(String kind, Bytes verifier) {}
