package org.entrepot.core.security;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.List;
import org.entrepot.core.config.ConfigurationException;
import org.entrepot.core.config.ConfigurationLoader;
import org.entrepot.core.config.ConfigurationSources;
import org.entrepot.core.config.CoreKeys;
import org.entrepot.spi.message.Bytes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PasswordHashesTest {
    private final PasswordHashes hashes = new PasswordHashes(new SecureRandom(), 10);

    private static byte[] bytes(String text) {
        return text.getBytes(UTF_8);
    }

    /** The first is the example of RabbitMQ's guide to passwords; the others were made with another implementation. */
    @ParameterizedTest
    @CsvSource({
        "rabbit_password_hashing_sha256, kI3GCqW5JLMJa4iX1lo7X4D6XbYqlLgxIs30+P6tENUV2POR, test12",
        "rabbit_password_hashing_sha256, AQIDBE9skmuBchcwuhKDvVscFGTND++y2wcv/NL1rVA61/5C, pässword",
        "rabbit_password_hashing_sha512,"
                + " AQIDBFX7b5898G6MIFbTNk/v0gVfH38vNlUz8970Zz/KAf5H6OYNQIf1/lXcUWP716GWSO88NEHvdaUXlQA5nLUddAU=,"
                + " pässword",
        "rabbit_password_hashing_md5, AQIDBN4qdpi6Jz9WZ8PBw2TFod0=, pässword",
        "pbkdf2_hmac_sha512,"
                + " 1000:AAECAwQFBgcICQoLDA0ODw==:"
                + "y/eRj2FwHgs6A0d8wKheOWOR5PjlKZUVEID5K8lrpY3fVCUnILd/a7SvXHROar5bA9d3J9zVifnM9vYjy0q8ZQ==,"
                + " pässword",
    })
    void storedHashesAreUnderstood(String kind, String hash, String password) {
        Credential credential = PasswordHashes.parse(kind, hash);

        assertThat(hashes.fits(credential, bytes(password))).isTrue();
        assertThat(hashes.fits(credential, bytes(password + "x"))).isFalse();
        assertThat(hashes.fits(credential, bytes("x"))).isFalse();
        assertThat(hashes.fits(credential, new byte[0])).isFalse();
        assertThat(PasswordHashes.text(credential)).isEqualTo(hash);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"rabbit_password_hashing_sha256", "rabbit_password_hashing_sha512", "rabbit_password_hashing_md5"
            })
    void hashesAreMadeWithASaltOfTheirOwn(String kind) {
        Credential first = hashes.makeSalted(kind, bytes("secret"));
        Credential second = hashes.makeSalted(kind, bytes("secret"));

        assertThat(first).isNotEqualTo(second);
        assertThat(hashes.fits(first, bytes("secret"))).isTrue();
        assertThat(hashes.fits(PasswordHashes.parse(kind, PasswordHashes.text(second)), bytes("secret")))
                .isTrue();
    }

    @Test
    void newHashesAreSlowOnesWithTheirRoundsStored() {
        Credential credential = configured().make(bytes("guest"));

        assertThat(credential.kind()).isEqualTo("pbkdf2_hmac_sha512");
        assertThat(PasswordHashes.text(credential)).startsWith("210000:");
        assertThat(PasswordHashes.slow(credential)).isTrue();
        assertThat(hashes.fits(credential, bytes("guest"))).isTrue();
        assertThat(hashes.make(bytes("guest"))).isNotEqualTo(hashes.make(bytes("guest")));
    }

    @Test
    void malformedHashesAreRefusedByNameNotByContent() {
        assertThatThrownBy(() -> PasswordHashes.parse("rabbit_password_hashing_sha256", "c2VjcmV0"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("6 bytes; allowed: 36")
                .hasMessageNotContaining("c2VjcmV0");
        assertThatThrownBy(() -> PasswordHashes.parse("rabbit_password_hashing_sha256", "!"))
                .hasMessageContaining("is not base64");
        assertThatThrownBy(() -> PasswordHashes.parse("bcrypt", "x"))
                .hasMessageContaining("'bcrypt'; allowed: pbkdf2_hmac_sha512, rabbit_password_hashing_sha256");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "1000",
                "0:AAECAwQFBgcICQoLDA0ODw==:y/eRj2FwHgs6A0d8wKheOWOR5PjlKZUVEID5K8lrpY0=",
                "99999999:AAECAwQFBgcICQoLDA0ODw==:y/eRj2FwHgs6A0d8wKheOWOR5PjlKZUVEID5K8lrpY0=",
                "1000:AAEC:y/eRj2FwHgs6A0d8wKheOWOR5PjlKZUVEID5K8lrpY0=",
                "1000:AAECAwQFBgcICQoLDA0ODw==:y/eR",
                "1000:AAECAwQFBgcICQoLDA0ODw==:====",
                "-5:AAECAwQFBgcICQoLDA0ODw==:y/eRj2FwHgs6A0d8wKheOWOR5PjlKZUVEID5K8lrpY0=",
            })
    void malformedOrUnboundedSlowHashesAreRefusedAndFitNothing(String text) {
        assertThatThrownBy(() -> PasswordHashes.parse("pbkdf2_hmac_sha512", text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("ROUNDS:SALT:HASH");
        assertThat(hashes.fits(new Credential("pbkdf2_hmac_sha512", Bytes.utf8(text)), bytes("secret")))
                .isFalse();
    }

    @Test
    void whatIsStoredWrongFitsNothing() {
        assertThat(hashes.fits(new Credential("plain", Bytes.utf8("secret")), bytes("secret")))
                .isFalse();
        assertThat(hashes.fits(new Credential("rabbit_password_hashing_sha256", Bytes.EMPTY), bytes("secret")))
                .isFalse();
    }

    @Test
    void bytesThatAreNoTextFitNoSlowHash() {
        byte[] noText = {'a', (byte) 0xff};
        Credential credential = hashes.make(bytes("a\ufffd"));

        assertThat(hashes.fits(credential, bytes("a\ufffd"))).isTrue();
        assertThat(hashes.fits(credential, noText)).isFalse();
        assertThatThrownBy(() -> hashes.make(noText)).hasMessageContaining("not UTF-8");
    }

    @Test
    void passwordsHaveBounds() {
        byte[] longest = new byte[PasswordHashes.PASSWORD_BYTES_MAX];
        Arrays.fill(longest, (byte) 'x');
        byte[] tooLong = Arrays.copyOf(longest, longest.length + 1);

        assertThat(hashes.fits(hashes.make(longest), longest)).isTrue();
        assertThat(hashes.fits(hashes.make(longest), tooLong)).isFalse();
        assertThatThrownBy(() -> hashes.make(tooLong)).hasMessageContaining("allowed: 1 to 4096");
        assertThatThrownBy(() -> hashes.makeSalted("rabbit_password_hashing_md5", new byte[0]))
                .hasMessageContaining("0 bytes");
        assertThatCode(() -> hashes.work(new byte[0])).doesNotThrowAnyException();
        assertThatCode(() -> hashes.work(tooLong)).doesNotThrowAnyException();
    }

    @Test
    void aBrokerWithoutUsersBeginsWithGuest() {
        DefaultUser guest = DefaultUser.guest(hashes);

        assertThat(guest.user().name()).isEqualTo("guest");
        assertThat(guest.user().tags()).containsExactly("administrator");
        assertThat(guest.virtualHost()).isEqualTo("/");
        assertThat(guest.permission()).isEqualTo(new PermissionRecord(".*", ".*", ".*"));
        assertThat(guest.user().credentials())
                .extracting(Credential::kind)
                .containsExactly("rabbit_password_hashing_sha256", "scram_sha_256");
        assertThat(hashes.fits(guest.user().credentials().get(0), bytes("guest")))
                .isTrue();
    }

    private static PasswordHashes configured(String... lines) {
        try {
            return new PasswordHashes(
                    new SecureRandom(),
                    new ConfigurationLoader(
                                    ConfigurationSources.none(Path.of("/")).withLines("test.conf", List.of(lines)))
                            .load(CoreKeys.groups()));
        } catch (ConfigurationException impossible) {
            throw new AssertionError(impossible);
        }
    }

    @Test
    void aPasswordThatIsKnownHasAVerifierBesideItsHash() {
        assertThat(hashes.credentials(bytes("secret")))
                .extracting(Credential::kind)
                .containsExactly("pbkdf2_hmac_sha512", "scram_sha_256");
        assertThat(hashes.credentials(bytes("bell\u0007")))
                .extracting(Credential::kind)
                .containsExactly("pbkdf2_hmac_sha512");
    }

    @Test
    void aVerifierHasTheIterationsOfTheConfiguration() {
        assertThat(verifier(configured())).startsWith("SCRAM-SHA-256$15000:");
        assertThat(verifier(configured("security.scram-iterations = 4096"))).startsWith("SCRAM-SHA-256$4096:");
    }

    private static String verifier(PasswordHashes hashes) {
        return hashes.makeScram(bytes("secret")).orElseThrow().verifier().toUtf8();
    }

    @Test
    void aVerifierIsNoPasswordHash() {
        Credential verifier = hashes.makeScram(bytes("secret")).orElseThrow();

        assertThat(hashes.fits(verifier, bytes("secret"))).isFalse();
        assertThat(hashes.fits(verifier, verifier.verifier().toArray())).isFalse();
        assertThat(hashes.makeScram(bytes("secret")))
                .as("another salt")
                .isNotEqualTo(hashes.makeScram(bytes("secret")));
    }
}
