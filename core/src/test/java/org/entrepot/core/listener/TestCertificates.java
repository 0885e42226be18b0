package org.entrepot.core.listener;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.Key;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** Certificates that sign themselves, made by the JDK's keytool, in a folder of their own. */
final class TestCertificates implements AutoCloseable {
    private static final String PASSWORD = "changeit";

    final Path folder;

    TestCertificates() throws IOException {
        folder = Files.createTempDirectory("certificates");
    }

    /** One party's certificate and key. */
    record Party(Path certificate, Path key, X509Certificate x509, PrivateKey privateKey) {}

    /** Makes one and writes NAME.pem and NAME.key. */
    Party make(String name, String algorithm) throws Exception {
        return make(name, name, algorithm);
    }

    /** The same for a subject that may be another's. */
    Party make(String name, String subject, String algorithm) throws Exception {
        Path store = folder.resolve(name + ".p12");
        Files.deleteIfExists(store);
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-alias",
                name,
                "-keyalg",
                algorithm,
                "-dname",
                "CN=" + subject,
                "-ext",
                "san=dns:localhost,ip:127.0.0.1",
                "-validity",
                "100",
                "-keystore",
                store.toString(),
                "-storetype",
                "PKCS12",
                "-storepass",
                PASSWORD));
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("keytool.log").toFile())
                .start();
        assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue())
                .as(Files.readString(folder.resolve("keytool.log")))
                .isZero();
        KeyStore keys = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(store)) {
            keys.load(in, PASSWORD.toCharArray());
        }
        Certificate certificate = keys.getCertificate(name);
        Key key = keys.getKey(name, PASSWORD.toCharArray());
        return new Party(
                write(name + ".pem", "CERTIFICATE", certificate.getEncoded()),
                write(name + ".key", "PRIVATE KEY", key.getEncoded()),
                (X509Certificate) certificate,
                (PrivateKey) key);
    }

    TlsSpec server() throws Exception {
        Party server = make("server", "EC");
        return TlsSpec.of(server.certificate(), server.key());
    }

    Path write(String file, String kind, byte[] der) throws IOException {
        return Files.writeString(folder.resolve(file), pem(kind, der));
    }

    static String pem(String kind, byte[] der) {
        return "-----BEGIN " + kind + "-----\n"
                + Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(der) + "\n-----END " + kind
                + "-----\n";
    }

    /** A client's context that trusts the server and shows the party's certificate, if any. */
    static SSLContext client(X509Certificate server, Party... self) throws GeneralSecurityException, IOException {
        KeyStore trusted = KeyStore.getInstance("PKCS12");
        trusted.load(null, null);
        trusted.setCertificateEntry("server", server);
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(trusted);
        KeyStore own = KeyStore.getInstance("PKCS12");
        own.load(null, null);
        for (Party party : self) {
            own.setKeyEntry("self", party.privateKey(), new char[0], new Certificate[] {party.x509()});
        }
        KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(own, new char[0]);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(self.length == 0 ? new KeyManager[0] : keys.getKeyManagers(), trust.getTrustManagers(), null);
        return context;
    }

    @Override
    public void close() throws IOException {
        try (var files = Files.newDirectoryStream(folder)) {
            for (Path file : files) {
                Files.delete(file);
            }
        }
        Files.delete(folder);
    }
}
