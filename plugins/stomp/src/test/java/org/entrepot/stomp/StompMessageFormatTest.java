package org.entrepot.stomp;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import org.entrepot.spi.message.Bytes;
import org.entrepot.spi.message.PropertyNames;
import org.junit.jupiter.api.Test;

/** What other protocols, and exchanges that look into messages, see of STOMP's. */
class StompMessageFormatTest {
    private final StompMessageFormat format = new StompMessageFormat();

    private static final Bytes HEADER = Bytes.utf8("""
            content-type:text/plain
            b:2
            amqp-message-id:m
            a\\c:x\\ny
            timestamp:1700000000
            reply-to:/reply-queue/answers
            persistent:true
            user-id:me
            empty:
            """);

    @Test
    void headersAreTextInTheOrderInWhichTheyCame() {
        assertThat(format.headers(HEADER).entrySet())
                .extracting(Object::toString)
                .containsExactly("b=2", "a:=x\ny", "empty=");
        assertThat(format.headers(Bytes.EMPTY)).isEmpty();
    }

    @Test
    void propertiesHaveTheNamesThatProtocolsHaveInCommon() {
        assertThat(format.property(HEADER, PropertyNames.CONTENT_TYPE)).isEqualTo("text/plain");
        assertThat(format.property(HEADER, PropertyNames.MESSAGE_ID)).isEqualTo("m");
        assertThat(format.property(HEADER, PropertyNames.TIMESTAMP)).isEqualTo(Instant.ofEpochSecond(1_700_000_000));
        assertThat(format.property(HEADER, PropertyNames.REPLY_TO)).isEqualTo("answers");
        assertThat(format.property(HEADER, PropertyNames.REPLY_TO_TOPIC)).isNull();
        assertThat(format.property(HEADER, PropertyNames.USER_ID)).isEqualTo("me");
        assertThat(format.property(HEADER, PropertyNames.APP_ID)).isNull();
        assertThat(format.property(HEADER, PropertyNames.RETAIN)).isNull();
        assertThat(format.property(Bytes.utf8("reply-to:/topic/a.b\n"), PropertyNames.REPLY_TO_TOPIC))
                .isEqualTo("a/b");
    }
}
