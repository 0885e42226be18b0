package org.entrepot.core.listener;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.AlgorithmParameters;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.crypto.Cipher;
import javax.crypto.EncryptedPrivateKeyInfo;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;

/** Reads certificates and private keys from PEM files; every failure names the file. Stateless; blocks. */
final class PemFiles {
    private static final Pattern KEY = Pattern.compile(
            "-----BEGIN ((?:[A-Z0-9]+ )*)PRIVATE KEY-----(.*?)-----END \\1PRIVATE KEY-----", Pattern.DOTALL);

    /** Algorithms of keys, tried in turn: a PKCS #8 key names its own, but no JDK class reads that name. */
    private static final List<String> ALGORITHMS = List.of("RSA", "EC", "EdDSA", "RSASSA-PSS");

    /** The object identifier of PKCS #5's second encryption scheme. */
    private static final String PBES2 = "1.2.840.113549.1.5.13";

    /** A file with more is not what it is taken for. */
    private static final long FILE_BYTES_MAX = 4L * 1024 * 1024;

    private PemFiles() {}

    /** All certificates of a file, in order; at least one. */
    static List<X509Certificate> certificates(Path file) throws IOException {
        byte[] content = content(file);
        List<X509Certificate> certificates = new ArrayList<>();
        try {
            for (Certificate certificate :
                    CertificateFactory.getInstance("X.509").generateCertificates(new ByteArrayInputStream(content))) {
                certificates.add((X509Certificate) certificate);
            }
        } catch (CertificateException e) {
            throw new IOException(file + " does not hold certificates in PEM form: " + e.getMessage(), e);
        }
        if (certificates.isEmpty()) {
            throw new IOException(file + " does not hold a certificate in PEM form");
        }
        return certificates;
    }

    /** The private key of a file: PKCS #8, encrypted or not, or the older forms of RSA and EC keys, not encrypted. */
    static PrivateKey privateKey(Path file, Optional<String> password) throws IOException {
        // Latin-1 takes any byte: what is not a key is then told so, instead of being called badly encoded.
        Matcher pem = KEY.matcher(new String(content(file), StandardCharsets.ISO_8859_1));
        if (!pem.find()) {
            throw new IOException(file + " does not hold a private key in PEM form");
        }
        String kind = pem.group(1).strip();
        String body = pem.group(2);
        if (body.contains("ENCRYPTED")) {
            throw new IOException(file + " holds a key encrypted in an outdated way;"
                    + " convert it with: openssl pkcs8 -topk8 -in OLD -out NEW");
        }
        try {
            byte[] der = Base64.getMimeDecoder().decode(body);
            return privateKey(
                    switch (kind) {
                        case "" -> new PKCS8EncodedKeySpec(der);
                        case "RSA" -> new PKCS8EncodedKeySpec(PrivateKeyInfo.ofRsa(der));
                        case "EC" -> new PKCS8EncodedKeySpec(PrivateKeyInfo.ofEc(der));
                        case "ENCRYPTED" -> decrypted(file, der, password);
                        default ->
                            throw new IOException(file + " holds a key of a kind that is not supported: " + kind);
                    });
        } catch (GeneralSecurityException | IllegalArgumentException e) {
            throw new IOException(
                    file + " does not hold a private key that can be read"
                            + (kind.equals("ENCRYPTED") ? " with the password given: " : ": ")
                            + e.getMessage(),
                    e);
        }
    }

    private static PKCS8EncodedKeySpec decrypted(Path file, byte[] der, Optional<String> password)
            throws IOException, GeneralSecurityException {
        if (password.isEmpty()) {
            throw new IOException(file + " holds an encrypted key, and no password is configured for it");
        }
        EncryptedPrivateKeyInfo encrypted = new EncryptedPrivateKeyInfo(der);
        AlgorithmParameters parameters = encrypted.getAlgParameters();
        // PKCS #5's second scheme stands for many; which one it is, in the JDK's words, its parameters print.
        String named = encrypted.getAlgName();
        String scheme = named.equals("PBES2") || named.equals(PBES2) ? String.valueOf(parameters) : named;
        PBEKeySpec secret = new PBEKeySpec(password.get().toCharArray());
        Cipher cipher = Cipher.getInstance(scheme);
        cipher.init(Cipher.DECRYPT_MODE, SecretKeyFactory.getInstance(scheme).generateSecret(secret), parameters);
        return encrypted.getKeySpec(cipher);
    }

    private static PrivateKey privateKey(PKCS8EncodedKeySpec spec) throws GeneralSecurityException {
        GeneralSecurityException failure = new GeneralSecurityException("no algorithm");
        for (String algorithm : ALGORITHMS) {
            try {
                return KeyFactory.getInstance(algorithm).generatePrivate(spec);
            } catch (GeneralSecurityException e) {
                failure = e;
            }
        }
        throw failure;
    }

    private static byte[] content(Path file) throws IOException {
        try {
            if (Files.size(file) > FILE_BYTES_MAX) {
                throw new IOException(file + " is too large for a file of certificates or keys");
            }
            return Files.readAllBytes(file);
        } catch (NoSuchFileException e) {
            throw new IOException(file + " does not exist", e);
        } catch (AccessDeniedException e) {
            throw new IOException(file + " may not be read by the broker's user", e);
        }
    }
}
