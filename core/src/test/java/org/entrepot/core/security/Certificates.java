package org.entrepot.core.security;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.ByteArrayInputStream;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;

/** Certificates of clients, for tests. Nothing checks who issued them or until when they hold. */
final class Certificates {
    private Certificates() {}

    /**
     * Subject O=Example, OU="Ops, West", CN=client one, e-mail ops@example.org; alternative names of every kind, two of
     * them DNS names.
     */
    static X509Certificate client() {
        return read("""
                -----BEGIN CERTIFICATE-----
                MIICYTCCAgagAwIBAgIUfii3JUG9Ct1nTqHJXFPJ+jKaHlswCgYIKoZIzj0EAwIw
                WzEQMA4GA1UECgwHRXhhbXBsZTESMBAGA1UECwwJT3BzLCBXZXN0MRMwEQYDVQQD
                DApjbGllbnQgb25lMR4wHAYJKoZIhvcNAQkBFg9vcHNAZXhhbXBsZS5vcmcwIBcN
                MjYxMTMwMjMwMDQ3WhgPMjEyNjExMDYyMzAwNDdaMFsxEDAOBgNVBAoMB0V4YW1w
                bGUxEjAQBgNVBAsMCU9wcywgV2VzdDETMBEGA1UEAwwKY2xpZW50IG9uZTEeMBwG
                CSqGSIb3DQEJARYPb3BzQGV4YW1wbGUub3JnMFkwEwYHKoZIzj0CAQYIKoZIzj0D
                AQcDQgAEjO2BFgfukp3X1f3foujNDviAjNvQpNuXnadVHrLt0/HiYEKNrZpvN2RW
                2W/FSXfUq44kUL9O3DqTrcVoQVI9VqOBpTCBojAdBgNVHQ4EFgQU197foErjLrZF
                d5WsltbS3SLxJVgwHwYDVR0jBBgwFoAU197foErjLrZFd5WsltbS3SLxJVgwDwYD
                VR0TAQH/BAUwAwEB/zBPBgNVHREESDBGgRBtYWlsQGV4YW1wbGUub3Jnhgp1cm46
                Y2xpZW50gg9vbmUuZXhhbXBsZS5vcmeCD3R3by5leGFtcGxlLm9yZ4cECgAAATAK
                BggqhkjOPQQDAgNJADBGAiEApftiP3hKqlsVf6DVTs3SwB99WS2nRa8bl0g4VAnL
                z1YCIQC0gUStOLNSSqHr7NIOdgPLrN958bprLMQf50f2jlj9uw==
                -----END CERTIFICATE-----
                """);
    }

    /** Subject O=Example and nothing else. */
    static X509Certificate withoutNames() {
        return read("""
                -----BEGIN CERTIFICATE-----
                MIIBejCCASGgAwIBAgIUPlk5vpjWzzf4GBcr5zXUWOmvse8wCgYIKoZIzj0EAwIw
                EjEQMA4GA1UECgwHRXhhbXBsZTAgFw0yNjExMzAyMzAwNDdaGA8yMTI2MTEwNjIz
                MDA0N1owEjEQMA4GA1UECgwHRXhhbXBsZTBZMBMGByqGSM49AgEGCCqGSM49AwEH
                A0IABM1p6bHPj7Lekv4LKyNQiKdzB7TpusuikCO3hbGTfbjDNdQBnHNrzEYcxH6E
                zfLjMo/CFOcGIqxmDw2ZZdL/2DijUzBRMB0GA1UdDgQWBBTotQCJ8AK1vrUqm1vF
                DyV9R7cuDjAfBgNVHSMEGDAWgBTotQCJ8AK1vrUqm1vFDyV9R7cuDjAPBgNVHRMB
                Af8EBTADAQH/MAoGCCqGSM49BAMCA0cAMEQCIF87xFCmoWaetjYSFVkrnIBYP88q
                UZ/HjUIk3lIf5u4sAiAJSxmjwO8i0Mj0pkL8Vz50d3KPNP7/sguUk87qr+eu9Q==
                -----END CERTIFICATE-----
                """);
    }

    private static X509Certificate read(String pem) {
        try {
            return (X509Certificate) CertificateFactory.getInstance("X.509")
                    .generateCertificate(new ByteArrayInputStream(pem.getBytes(US_ASCII)));
        } catch (CertificateException impossible) {
            throw new AssertionError(impossible);
        }
    }
}
