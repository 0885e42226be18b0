package org.entrepot.core.security;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class CertificateNameTest {

    @Test
    void namesAreTakenFromTheSubjectOrItsAlternatives() {
        assertThat(CertificateName.CN.of(Certificates.client())).contains("client one");
        assertThat(CertificateName.DN.of(Certificates.client()))
                .contains("emailAddress=ops@example.org,CN=client one,OU=Ops\\, West,O=Example");
        assertThat(CertificateName.SAN.of(Certificates.client())).contains("one.example.org");
    }

    @Test
    void aCertificateWithoutTheNameNamesNobody() {
        assertThat(CertificateName.CN.of(Certificates.withoutNames())).isEmpty();
        assertThat(CertificateName.SAN.of(Certificates.withoutNames())).isEmpty();
        assertThat(CertificateName.DN.of(Certificates.withoutNames())).contains("O=Example");
    }
}
