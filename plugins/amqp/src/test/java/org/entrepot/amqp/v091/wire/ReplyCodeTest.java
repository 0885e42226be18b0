package org.entrepot.amqp.v091.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class ReplyCodeTest {

    @Test
    void beginsWithItsName() {
        assertThat(ReplyCode.NOT_FOUND.closeText("no queue 'x' in vhost '/'"))
                .isEqualTo("NOT_FOUND - no queue 'x' in vhost '/'");
        assertThat(ReplyCode.INTERNAL_ERROR.closeText("")).isEqualTo("INTERNAL_ERROR");
    }

    @Test
    void isCutToAShortStringBetweenCharacters() {
        for (int length = 200; length < 300; length++) {
            for (String character : new String[] {"x", "\u00e9", "\u20ac", "\ud83d\ude00"}) {
                String explanation = "y".repeat(length % 4) + character.repeat(length);
                String text = ReplyCode.NOT_FOUND.closeText(explanation);
                int bytes = text.getBytes(StandardCharsets.UTF_8).length;
                int whole = ("NOT_FOUND - " + explanation).getBytes(StandardCharsets.UTF_8).length;

                assertThat("NOT_FOUND - " + explanation).startsWith(text);
                assertThat(text).doesNotContain("\ufffd");
                assertThat(bytes).isBetween(Math.min(whole, 252), 255);
            }
        }
    }

    @Test
    void closesWhatTheSpecificationSays() {
        assertThat(Arrays.stream(ReplyCode.values()).filter(code -> !code.closesConnection()))
                .extracting(ReplyCode::number)
                .containsExactly(200, 311, 312, 313, 403, 404, 405, 406);
        assertThat(Arrays.stream(ReplyCode.values()).filter(ReplyCode::closesConnection))
                .extracting(ReplyCode::number)
                .containsExactly(320, 402, 501, 502, 503, 504, 505, 506, 530, 540, 541);
    }
}
