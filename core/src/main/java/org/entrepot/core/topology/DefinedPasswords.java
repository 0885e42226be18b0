package org.entrepot.core.topology;

import java.util.List;

/** Understands what definitions say of a user's password. Throws {@link IllegalArgumentException} where it cannot. */
public interface DefinedPasswords {

    /**
     * The credential of a password that is given as a hash.
     *
     * @param kind the hash's algorithm, such as "rabbit_password_hashing_sha256"
     * @param hash as written in definitions
     */
    Credential ofHash(String kind, String hash);

    /** The credentials of a password that is given itself. */
    List<Credential> ofPassword(String password);
}
