package org.entrepot.core.topology;

import org.entrepot.spi.message.Bytes;

/**
 * Something a user proves its identity with. Immutable.
 *
 * @param kind how {@code verifier} is to be used, such as "rabbit_password_hashing_sha256"
 * @param verifier what a proof is checked against, such as a salted hash; never the secret itself
 */
public record Credential(String kind, Bytes verifier) {}
