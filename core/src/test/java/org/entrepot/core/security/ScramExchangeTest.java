package org.entrepot.core.security;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Base64;
import java.util.Optional;
import org.entrepot.spi.message.Bytes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Section numbers are RFC 5802's, but for the example, which is RFC 7677's. */
class ScramExchangeTest {
    private static final ScramVerifier PENCIL = ScramVerifier.of(
                    "pencil", Base64.getDecoder().decode("W22ZaJ0SNY7soEsUEjb6gQ=="), 4096)
            .orElseThrow();
    private static final String CLIENT_NONCE = "rOprNGfwEbeRWgbNEkqO";
    private static final String SERVER_NONCE = "%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0";
    private static final String NONCE = CLIENT_NONCE + SERVER_NONCE;
    private static final String PROOF = "dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=";

    private static Optional<ScramExchange> begin(String message) {
        return ScramExchange.begin(Bytes.utf8(message));
    }

    private static ScramExchange begun() {
        ScramExchange exchange = begin("n,,n=user,r=" + CLIENT_NONCE).orElseThrow();
        exchange.challenge(PENCIL, SERVER_NONCE);
        return exchange;
    }

    private static Optional<Bytes> lastWord(String message) {
        return begun().proof(Bytes.utf8(message)).flatMap(proof -> proof.lastWord(PENCIL));
    }

    @Test
    void theExampleOfRfc7677() {
        ScramExchange exchange = begin("n,,n=user,r=" + CLIENT_NONCE).orElseThrow();

        assertThat(exchange.name()).isEqualTo("user");
        assertThat(exchange.challenge(PENCIL, SERVER_NONCE))
                .isEqualTo(Bytes.utf8("r=" + NONCE + ",s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096"));
        assertThat(exchange.proof(Bytes.utf8("c=biws,r=" + NONCE + ",p=" + PROOF))
                        .flatMap(proof -> proof.lastWord(PENCIL)))
                .contains(Bytes.utf8("v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4="));
    }

    @Test
    void aVerifierIsReadAsItWasWritten() {
        Bytes written = PENCIL.written();

        assertThat(written.toUtf8()).startsWith("SCRAM-SHA-256$4096:W22ZaJ0SNY7soEsUEjb6gQ==$");
        assertThat(ScramVerifier.read(written).map(ScramVerifier::written)).contains(written);
        for (String malformed : new String[] {"", "SCRAM-SHA-256$4096:W22Z$AAAA:AAAA", "SCRAM-SHA-1$4096:W22Z$A:A"}) {
            assertThat(ScramVerifier.read(Bytes.utf8(malformed))).as(malformed).isEmpty();
        }
    }

    @Test
    void everyByteOfAProofCounts() {
        byte[] proof = Base64.getDecoder().decode(PROOF);
        for (int i = 0; i < proof.length; i++) {
            byte[] wrong = proof.clone();
            wrong[i] ^= 1;
            assertThat(lastWord(
                            "c=biws,r=" + NONCE + ",p=" + Base64.getEncoder().encodeToString(wrong)))
                    .isEmpty();
        }
        assertThat(lastWord("c=biws,r=" + NONCE + ",p=" + Base64.getEncoder().encodeToString(new byte[0])))
                .isEmpty();
        assertThat(lastWord("c=biws,r=" + NONCE + ",p=" + Base64.getEncoder().encodeToString(new byte[64])))
                .isEmpty();
    }

    @Test
    void anExtensionIsPartOfWhatIsProved() {
        assertThat(begun().proof(Bytes.utf8("c=biws,r=" + NONCE + ",x=more,p=" + PROOF)))
                .isPresent();
        assertThat(lastWord("c=biws,r=" + NONCE + ",x=more,p=" + PROOF)).isEmpty();
    }

    /** Section 7, client-first-message. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "n",
                "n,",
                "n,,",
                "n,,n=user",
                "n,,r=x",
                "n,,n=,r=x",
                "n,,n=user,r=",
                "n,,r=x,n=user",
                "x,,n=user,r=x",
                ",,n=user,r=x",
                "n,,m=ext,n=user,r=x",
                "n,,n=us=er,r=x",
                "n,,n=us=2c,r=x",
                "n,,n=user=,r=x",
                "n,,n=user,r=a b",
                "n,,n=user,r=\u00e9",
                "n,a=other,n=user,r=x",
                "n,user,n=user,r=x",
                "p=tls-unique,,n=user,r=x"
            })
    void aMalformedBeginningIsNone(String message) {
        assertThat(begin(message)).isEmpty();
    }

    @Test
    void aBeginningIsTextWithinALimit() {
        assertThat(ScramExchange.begin(Bytes.wrap(new byte[] {'n', ',', ',', 'n', '=', -1, ',', 'r', '=', 'x'})))
                .isEmpty();
        assertThat(begin("n,,n=user,r=" + "x".repeat(ScramExchange.MESSAGE_BYTES_MAX)))
                .isEmpty();
        assertThat(begin("n,,n=" + "u".repeat(1025) + ",r=x")).isEmpty();
    }

    @Test
    void namesAreDecoded() {
        assertThat(begin("n,,n==2Ca=3Db=2C,r=x").map(ScramExchange::name)).contains(",a=b,");
        assertThat(begin("n,,n==3D2C,r=x").map(ScramExchange::name)).contains("=2C");
        assertThat(begin("y,a=user,n=user,r=x,ext=1").map(ScramExchange::name)).contains("user");
        assertThat(begin("n,,n=\u6771\u4eac,r=x").map(ScramExchange::name)).contains("\u6771\u4eac");
    }

    /** The header of the first message is repeated as channel binding data, so that nobody can have changed it (section 6). */
    @Test
    void theHeaderIsProvedToo() {
        ScramExchange exchange = begin("y,,n=user,r=" + CLIENT_NONCE).orElseThrow();
        exchange.challenge(PENCIL, SERVER_NONCE);
        String eSws = Base64.getEncoder().encodeToString("y,,".getBytes(UTF_8));

        assertThat(exchange.proof(Bytes.utf8("c=biws,r=" + NONCE + ",p=" + PROOF)))
                .isEmpty();
        assertThat(exchange.proof(Bytes.utf8("c=" + eSws + ",r=" + NONCE + ",p=" + PROOF)))
                .isPresent();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "p=AAAA",
                "c=biws,p=AAAA",
                "c=biws,r=NONCE",
                "r=NONCE,c=biws,p=AAAA",
                "c=biws,r=NONCEx,p=AAAA",
                "c=biws,r=x,p=AAAA",
                "c=biws,r=NONCE,p=*",
                "c=,r=NONCE,p=AAAA"
            })
    void aMalformedProofIsNone(String message) {
        assertThat(begun().proof(Bytes.utf8(message.replace("NONCE", NONCE)))).isEmpty();
    }
}
