package org.entrepot.core.boot;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.entrepot.core.security.PasswordHashes;
import org.entrepot.core.topology.Credential;
import org.entrepot.core.topology.DefinedPasswords;

/** Makes credentials of what definitions say of passwords. Immutable. */
record HashedPasswords(PasswordHashes hashes) implements DefinedPasswords {

    @Override
    public Credential ofHash(String kind, String hash) {
        return credential(PasswordHashes.parse(kind, hash));
    }

    @Override
    public List<Credential> ofPassword(String password) {
        return hashes.credentials(password.getBytes(StandardCharsets.UTF_8)).stream()
                .map(HashedPasswords::credential)
                .toList();
    }

    private static Credential credential(org.entrepot.core.security.Credential made) {
        return new Credential(made.kind(), made.verifier());
    }
}
