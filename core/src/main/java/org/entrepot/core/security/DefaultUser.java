package org.entrepot.core.security;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;

/**
 * What a broker without any user begins with. Immutable. The user may log in from the same machine only, because {@code
 * security.loopback-users} says so by default.
 *
 * @param virtualHost to be made, and where the permission holds
 */
public record DefaultUser(UserRecord user, String virtualHost, PermissionRecord permission) {
    private static final String NAME = "guest";
    private static final String HASH = "rabbit_password_hashing_sha256";
    private static final String EVERYTHING = ".*";

    /** The user guest with the password guest, who may do everything in the virtual host "/". */
    public static DefaultUser guest(PasswordHashes hashes) {
        // A slow hash would protect a password that everybody knows, and make every first start wait for it.
        Credential password = hashes.makeSalted(HASH, NAME.getBytes(StandardCharsets.UTF_8));
        return new DefaultUser(
                new UserRecord(NAME, List.of(password), Set.of("administrator")),
                "/",
                new PermissionRecord(EVERYTHING, EVERYTHING, EVERYTHING));
    }
}
