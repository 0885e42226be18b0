package org.entrepot.core.listener;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * How a listener speaks TLS. Immutable. The files are read at start and again when they change.
 *
 * @param certificates PEM file with the server's certificate, followed by its intermediate ones
 * @param key PEM file with the private key of the first certificate
 * @param keyPassword of an encrypted key
 * @param clientCertificate whether clients are asked for a certificate
 * @param trust PEM file with the authorities that clients' certificates must come from; needed where they are asked for
 * @param versions such as "TLSv1.3", the ones allowed
 * @param ciphers by their JDK names, in order of preference; empty for the built-in list
 */
public record TlsSpec(
        Path certificates,
        Path key,
        Optional<String> keyPassword,
        ClientCertificate clientCertificate,
        Optional<Path> trust,
        List<String> versions,
        List<String> ciphers) {

    /** The versions that are allowed unless somebody says otherwise. */
    public static final List<String> VERSIONS = List.of("TLSv1.3", "TLSv1.2");

    /** What is asked of clients. */
    public enum ClientCertificate {
        /** Clients are not asked. */
        NONE,
        /** Clients are asked and may go without; a certificate that is sent must be good. */
        WANTED,
        /** Clients without a good certificate are refused. */
        REQUIRED
    }

    public TlsSpec {
        versions = List.copyOf(versions);
        ciphers = List.copyOf(ciphers);
        if (versions.isEmpty()) {
            throw new IllegalArgumentException("TLS needs at least one version");
        }
        if (clientCertificate != ClientCertificate.NONE && trust.isEmpty()) {
            throw new IllegalArgumentException("to ask clients for certificates, TLS needs a file with the"
                    + " certificates of the authorities that are trusted to have issued them");
        }
    }

    /** A server's certificate and nothing asked of clients. */
    public static TlsSpec of(Path certificates, Path key) {
        return new TlsSpec(
                certificates, key, Optional.empty(), ClientCertificate.NONE, Optional.empty(), VERSIONS, List.of());
    }

    /** The same with clients asked for certificates. */
    public TlsSpec withClientCertificate(ClientCertificate asked, Path trusted) {
        return new TlsSpec(certificates, key, keyPassword, asked, Optional.of(trusted), versions, ciphers);
    }

    @Override
    public String toString() {
        // Without the password.
        return "TLS with " + certificates + ", " + key + ", client certificate " + clientCertificate + ", trust "
                + trust + ", " + versions + ", " + ciphers;
    }
}
