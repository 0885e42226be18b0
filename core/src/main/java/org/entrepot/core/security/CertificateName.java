package org.entrepot.core.security;

import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import javax.naming.InvalidNameException;
import javax.naming.ldap.LdapName;
import javax.naming.ldap.Rdn;
import javax.security.auth.x500.X500Principal;

/** What of a client's certificate is its user's name. */
enum CertificateName {
    /** The subject's common name; of several the one that comes first in RFC 2253's order. */
    CN {
        @Override
        Optional<String> of(X509Certificate certificate) {
            return commonName(distinguishedName(certificate));
        }
    },
    /** The subject's whole name as RFC 2253 writes it, such as "CN=client,O=Example". */
    DN {
        @Override
        Optional<String> of(X509Certificate certificate) {
            String name = distinguishedName(certificate);
            return name.isEmpty() ? Optional.empty() : Optional.of(name);
        }
    },
    /** The first alternative name that is a DNS name, else the first e-mail address, URI or IP address, in that order. */
    SAN {
        @Override
        Optional<String> of(X509Certificate certificate) {
            return alternativeName(certificate);
        }
    };

    /** RFC 2253 has no word for this one, but everybody has. */
    private static final Map<String, String> FURTHER_WORDS = Map.of("1.2.840.113549.1.9.1", "emailAddress");

    /** RFC 5280's numbers of DNS name, e-mail address, URI and IP address, in order of preference. */
    private static final List<Integer> ALTERNATIVES = List.of(2, 1, 6, 7);

    abstract Optional<String> of(X509Certificate certificate);

    private static String distinguishedName(X509Certificate certificate) {
        return certificate.getSubjectX500Principal().getName(X500Principal.RFC2253, FURTHER_WORDS);
    }

    private static Optional<String> commonName(String distinguishedName) {
        try {
            List<Rdn> parts = new LdapName(distinguishedName).getRdns();
            for (int i = parts.size() - 1; i >= 0; i--) {
                if (parts.get(i).getType().equalsIgnoreCase("CN")
                        && parts.get(i).getValue() instanceof String name) {
                    return Optional.of(name);
                }
            }
            return Optional.empty();
        } catch (InvalidNameException malformed) {
            return Optional.empty();
        }
    }

    private static Optional<String> alternativeName(X509Certificate certificate) {
        Collection<List<?>> names;
        try {
            names = certificate.getSubjectAlternativeNames();
        } catch (CertificateParsingException malformed) {
            return Optional.empty();
        }
        if (names == null) {
            return Optional.empty();
        }
        for (int kind : ALTERNATIVES) {
            for (List<?> name : names) {
                if (name.get(0).equals(kind) && name.get(1) instanceof String text && !text.isEmpty()) {
                    return Optional.of(text);
                }
            }
        }
        return Optional.empty();
    }
}
