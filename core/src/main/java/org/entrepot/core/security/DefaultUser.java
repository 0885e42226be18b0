package org.entrepot.core.security;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
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
        byte[] password = NAME.getBytes(StandardCharsets.UTF_8);
        List<Credential> credentials = new ArrayList<>(2);
        credentials.add(hashes.makeSalted(HASH, password));
        hashes.makeScram(password).ifPresent(credentials::add);
        return new DefaultUser(
                new UserRecord(NAME, credentials, Set.of("administrator")),
                "/",
                new PermissionRecord(EVERYTHING, EVERYTHING, EVERYTHING));
    }
}
