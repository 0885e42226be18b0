package org.entrepot.core.security;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Base64;
import javax.crypto.Mac;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;
import javax.crypto.spec.SecretKeySpec;
import org.entrepot.spi.message.Bytes;

/** The client's side of SCRAM-SHA-256, for tests: written by RFC 5802 section 3, from nothing of the server's. */
final class ScramClient {
    private final String password;
    private final String first;
    private byte[] salted = {};
    private String messages = "";

    ScramClient(String user, String password) {
        this.password = password;
        this.first = "n=" + user + ",r=client";
    }

    Bytes first() {
        return Bytes.utf8("n,," + first);
    }

    Bytes proof(Bytes challenge) {
        String serverFirst = challenge.toUtf8();
        String withoutProof = "c=biws,r=" + attribute(serverFirst, 0, "r=");
        byte[] salt = Base64.getDecoder().decode(attribute(serverFirst, 1, "s="));
        int iterations = Integer.parseInt(attribute(serverFirst, 2, "i="));
        messages = first + ',' + serverFirst + ',' + withoutProof;
        try {
            salted = SecretKeyFactory.getInstance("PBKDF2WithHmacSHA256")
                    .generateSecret(new PBEKeySpec(password.toCharArray(), salt, iterations, 256))
                    .getEncoded();
            byte[] proof = hmac(salted, "Client Key");
            byte[] signature = hmac(MessageDigest.getInstance("SHA-256").digest(proof), messages);
            for (int i = 0; i < proof.length; i++) {
                proof[i] ^= signature[i];
            }
            return Bytes.utf8(withoutProof + ",p=" + Base64.getEncoder().encodeToString(proof));
        } catch (GeneralSecurityException impossible) {
            throw new AssertionError(impossible);
        }
    }

    /** The server knows the verifier: it is no impostor. */
    void assertLastWord(Bytes lastWord) {
        String signature = Base64.getEncoder().encodeToString(hmac(hmac(salted, "Server Key"), messages));
        assertThat(lastWord).isEqualTo(Bytes.utf8("v=" + signature));
    }

    static String attribute(String message, int index, String name) {
        String attribute = message.split(",", -1)[index];
        assertThat(attribute).startsWith(name);
        return attribute.substring(name.length());
    }

    private static byte[] hmac(byte[] key, String text) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(key, "HmacSHA256"));
            return mac.doFinal(text.getBytes(UTF_8));
        } catch (GeneralSecurityException impossible) {
            throw new AssertionError(impossible);
        }
    }
}
