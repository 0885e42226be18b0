package org.entrepot.core.listener;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.Key;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.interfaces.ECPrivateKey;
import java.security.interfaces.RSAPrivateCrtKey;
import java.security.spec.ECGenParameterSpec;
import java.util.Arrays;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PemFilesTest {
    /** Made for this test with openssl, with the password "open": the JDK 17 cannot encode one. */
    private static final String ENCRYPTED = """
            -----BEGIN ENCRYPTED PRIVATE KEY-----
            MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAgyQlgNOlyfwgICCAAw
            DAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEEz4+9gJMxDkdhxSBpS5TyoEgZDe
            A7r6bjPYo6sV92juMDCBml2/0zLrPn8rAoRs/VYBduOZ3ct91yx30PkJPihGemaR
            Jz5oqsMbTTejkBINEabvHbrhIe8xqYi+60Cp1Z/yXpRF1m8dHebkoRct7Q3q+Z3v
            F+MCHJwjJjURBJVxpLwhbM3JrDfOTeKiqDjuIl3iRRpsnaJ2jc9uGoGBw8xde+4=
            -----END ENCRYPTED PRIVATE KEY-----
            """;

    private static final String ENCRYPTED_NUMBER = "a3bb344ee567186e8bda4188b3e1983b183ffd7ce32d6f3ea78e5e0d18d6c415";

    @TempDir
    Path folder;

    private Path write(String kind, byte[] der) throws IOException {
        return Files.writeString(folder.resolve("key.pem"), TestCertificates.pem(kind, der));
    }

    private static PrivateKey generate(String algorithm, int bits) throws Exception {
        KeyPairGenerator generator = KeyPairGenerator.getInstance(algorithm);
        generator.initialize(bits);
        return generator.generateKeyPair().getPrivate();
    }

    @Test
    void keysOfEveryAlgorithmAreRead() throws Exception {
        for (PrivateKey key : new PrivateKey[] {
            generate("RSA", 2048), generate("EC", 256), generate("Ed25519", 255), generate("RSASSA-PSS", 2048)
        }) {
            Key read = PemFiles.privateKey(write("PRIVATE KEY", key.getEncoded()), Optional.empty());
            assertThat(read.getEncoded()).isEqualTo(key.getEncoded());
        }
    }

    @Test
    void anRsaKeyInItsOwnFormIsRead() throws Exception {
        for (int bits : new int[] {512, 1024, 2048, 4096}) {
            RSAPrivateCrtKey key = (RSAPrivateCrtKey) generate("RSA", bits);
            // The last part of PKCS #8 is the key's own form; where it begins follows from the lengths before it.
            byte[] pkcs8 = key.getEncoded();
            int header = 3 + 15;
            int start = tagAndLength(pkcs8, 0) + header;
            byte[] pkcs1 = Arrays.copyOfRange(pkcs8, start + tagAndLength(pkcs8, start), pkcs8.length);
            RSAPrivateCrtKey read =
                    (RSAPrivateCrtKey) PemFiles.privateKey(write("RSA PRIVATE KEY", pkcs1), Optional.empty());
            assertThat(read.getModulus()).isEqualTo(key.getModulus());
            assertThat(read.getPrivateExponent()).isEqualTo(key.getPrivateExponent());
        }
    }

    private static int tagAndLength(byte[] der, int at) {
        int length = der[at + 1] & 0xff;
        return length < 0x80 ? 2 : 2 + (length & 0x7f);
    }

    @Test
    void anEcKeyInItsOwnFormIsRead() throws Exception {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
        generator.initialize(new ECGenParameterSpec("secp384r1"));
        ECPrivateKey key = (ECPrivateKey) generator.generateKeyPair().getPrivate();
        byte[] number = fixed(key.getS().toByteArray(), 48);
        byte[] curve = {0x06, 0x05, 0x2b, (byte) 0x81, 0x04, 0x00, 0x22};
        ByteArrayOutputStream sec1 = new ByteArrayOutputStream();
        sec1.writeBytes(new byte[] {0x30, (byte) (3 + 2 + 48 + 2 + curve.length), 2, 1, 1, 4, 48});
        sec1.writeBytes(number);
        sec1.writeBytes(new byte[] {(byte) 0xa0, (byte) curve.length});
        sec1.writeBytes(curve);
        String parameters = TestCertificates.pem("EC PARAMETERS", curve);
        Path file = Files.writeString(
                folder.resolve("key.pem"), parameters + TestCertificates.pem("EC PRIVATE KEY", sec1.toByteArray()));
        ECPrivateKey read = (ECPrivateKey) PemFiles.privateKey(file, Optional.empty());
        assertThat(read.getS()).isEqualTo(key.getS());
        assertThat(read.getParams().getOrder()).isEqualTo(key.getParams().getOrder());
    }

    private static byte[] fixed(byte[] number, int length) {
        byte[] fixed = new byte[length];
        int bytes = Math.min(number.length, length);
        System.arraycopy(number, number.length - bytes, fixed, length - bytes, bytes);
        return fixed;
    }

    @Test
    void anEncryptedKeyNeedsItsPassword() throws Exception {
        Path file = Files.writeString(folder.resolve("key.pem"), ENCRYPTED);

        ECPrivateKey key = (ECPrivateKey) PemFiles.privateKey(file, Optional.of("open"));
        assertThat(key.getS()).isEqualTo(new BigInteger(ENCRYPTED_NUMBER, 16));
        assertThatThrownBy(() -> PemFiles.privateKey(file, Optional.of("wrong")))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(file + " does not hold a private key that can be read with the password given");
        assertThatThrownBy(() -> PemFiles.privateKey(file, Optional.empty()))
                .hasMessage(file + " holds an encrypted key, and no password is configured for it");
    }

    @Test
    void whatCannotBeReadIsNamed() throws Exception {
        Path none = folder.resolve("none.pem");
        Path text = Files.writeString(folder.resolve("text.pem"), "hello");
        Path broken = Files.writeString(
                folder.resolve("broken.pem"), "-----BEGIN EC PRIVATE KEY-----\nMAM=\n-----END EC PRIVATE KEY-----\n");
        Path outdated = Files.writeString(
                folder.resolve("outdated.pem"),
                "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\nAAAA\n-----END RSA PRIVATE KEY-----\n");
        assertThatThrownBy(() -> PemFiles.certificates(none)).hasMessage(none + " does not exist");
        assertThatThrownBy(() -> PemFiles.certificates(text))
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith(text.toString());
        assertThatThrownBy(() -> PemFiles.privateKey(text, Optional.empty()))
                .hasMessage(text + " does not hold a private key in PEM form");
        assertThatThrownBy(() -> PemFiles.privateKey(broken, Optional.empty()))
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith(broken.toString());
        assertThatThrownBy(() -> PemFiles.privateKey(outdated, Optional.empty()))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("openssl pkcs8 -topk8");
    }
}
