package org.entrepot.amqp.v091;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import org.entrepot.amqp.AmqpPlugin;
import org.entrepot.amqp.v091.wire.Method;
import org.entrepot.amqp.v091.wire.Methods;
import org.entrepot.spi.message.Bytes;
import org.entrepot.testkit.BrokerExtension;
import org.entrepot.testkit.EmbeddedBroker;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Frames (specification 4.2) of an open connection: sizes, order, and what is none. */
class FramingTest {
    @RegisterExtension
    static final BrokerExtension broker = new BrokerExtension(EmbeddedBroker.with("amqp", new AmqpPlugin())
            .set("amqp.refusal-delay=300 ms")
            .set("message.size-max=16 MiB"));

    private Client client;

    @BeforeEach
    void connect() {
        client = Client.withChannel(broker);
    }

    @AfterEach
    void disconnect() {
        client.close();
    }

    private static final Method.BasicPublish PUBLISH =
            new Method.BasicPublish(Bytes.EMPTY, Bytes.utf8("q"), false, false);

    private static byte[] header(long size) {
        return Client.frame(Client.HEADER, 1, Client.headerPayload(60, 0, size, new Props().bytes()));
    }

    private static byte[] body(String text) {
        return Client.frame(Client.BODY, 1, text.getBytes(StandardCharsets.UTF_8));
    }

    private void expectClose(int code, String text, int offender) {
        Method.ConnectionClose close = client.expect(0, Method.ConnectionClose.class);
        assertThat(close.replyText()).isEqualTo(text);
        assertThat(close.replyCode()).isEqualTo(code);
        assertThat(close.classId() << 16 | close.methodId()).isEqualTo(offender);
        client.send(0, new Method.ConnectionCloseOk());
        client.expectEnd();
    }

    // 4.2.3

    @Test
    void aFrameMustEnd() {
        byte[] frame = Client.bytes(1, new Method.BasicQos(0, 1, false));
        frame[frame.length - 1] = 0;
        client.raw(frame);
        Method.ConnectionClose close = client.expect(0, Method.ConnectionClose.class);
        assertThat(close.replyCode()).isEqualTo(501);
        assertThat(close.replyText()).startsWith("FRAME_ERROR - type 1").endsWith("{invalid_frame_end_marker,0}");
        assertThat(Client.millisUntil(client::expectEnd)).isGreaterThanOrEqualTo(250);
    }

    @Test
    void aFrameOverTheAgreedSizeIsAnError() {
        client.raw(Client.frame(Client.BODY, 1, new byte[131_073]));
        Method.ConnectionClose close = client.expect(0, Method.ConnectionClose.class);
        assertThat(close.replyCode()).isEqualTo(501);
        assertThat(close.replyText()).endsWith("{frame_too_large,131073,131064}");
        client.expectEnd();
    }

    @Test
    void anUnknownTypeOfFrameIsAnError() {
        client.raw(Client.frame(9, 1, new byte[] {1}));
        assertThat(client.expect(0, Method.ConnectionClose.class).replyCode()).isEqualTo(501);
        client.expectEnd();
    }

    @Test
    void everySplitOfTheBytesIsTheSame() {
        client.declareOwn(1, "split");
        byte[] bytes = Client.publishBytes(1, "", "split", "some text");
        for (byte one : bytes) {
            client.raw(new byte[] {one});
        }
        assertThat(client.get(1, "split", true).text()).isEqualTo("some text");
    }

    // 4.2.6 content

    @Test
    void aHeaderMustFollowAPublish() {
        client.send(1, PUBLISH).send(1, new Method.BasicQos(0, 1, false));
        expectClose(
                505,
                "UNEXPECTED_FRAME - expected content header for class 60, got non content header frame instead",
                Methods.BASIC_PUBLISH);
    }

    @Test
    void aBodyMustFollowAHeader() {
        client.send(1, PUBLISH).raw(header(5)).send(1, new Method.BasicQos(0, 1, false));
        expectClose(
                505,
                "UNEXPECTED_FRAME - expected content body, got non content body frame instead",
                Methods.BASIC_PUBLISH);
    }

    @Test
    void contentMustFollowAMethod() {
        client.raw(header(5));
        expectClose(
                505, "UNEXPECTED_FRAME - expected method frame, got non method frame instead", Methods.BASIC_PUBLISH);
    }

    @Test
    void contentOfAChannelThatIsNotOpenIsAnError() {
        client.raw(Client.frame(Client.BODY, 7, new byte[] {1}));
        expectClose(505, "UNEXPECTED_FRAME - expected method frame, got non method frame instead", Methods.NONE);
    }

    @Test
    void aBodyMustNotExceedItsAnnouncement() {
        client.send(1, PUBLISH).raw(header(3)).raw(body("four"));
        expectClose(501, "FRAME_ERROR - content body frame exceeds remaining content size", Methods.BASIC_PUBLISH);
    }

    @Test
    void anEmptyBodyAfterAnEmptyMessageIsOneTooMany() {
        client.send(1, PUBLISH).raw(header(0)).raw(body(""));
        expectClose(
                505, "UNEXPECTED_FRAME - expected method frame, got non method frame instead", Methods.BASIC_PUBLISH);
    }

    @Test
    void anEmptyFrameWithinABodyIsFine() {
        client.declareOwn(1, "q");
        client.send(1, PUBLISH).raw(header(4)).raw(body("ab")).raw(body("")).raw(body("cd"));
        assertThat(client.get(1, "q", true).text()).isEqualTo("abcd");
    }

    @Test
    void manySmallBodyFramesBecomeOneMessage() {
        client.declareOwn(1, "q");
        int size = 100_000;
        ByteBuf all = Unpooled.buffer();
        all.writeBytes(header(size));
        for (int i = 0; i < size; i += 10) {
            all.writeBytes(body("0123456789"));
        }
        client.send(1, PUBLISH).raw(Client.array(all));
        assertThat(client.get(1, "q", true).text()).isEqualTo("0123456789".repeat(size / 10));
    }

    @Test
    void channelsMayInterleave() {
        client.openChannel(2);
        client.declareOwn(1, "q");
        client.send(1, PUBLISH);
        client.send(2, new Method.BasicQos(0, 1, false));
        client.expect(2, Method.BasicQosOk.class);
        client.raw(header(2));
        client.publish(2, "", "q", "second");
        client.raw(body("1"));
        client.send(2, new Method.BasicQos(0, 1, false));
        client.expect(2, Method.BasicQosOk.class);
        client.raw(body("2"));
        assertThat(client.get(1, "q", true).text()).isEqualTo("second");
        assertThat(client.get(1, "q", true).text()).isEqualTo("12");
    }

    @Test
    void anotherClassAndAWeightAreErrors() {
        client.send(1, PUBLISH)
                .raw(Client.frame(Client.HEADER, 1, Client.headerPayload(50, 0, 1, new Props().bytes())));
        assertThat(client.expect(0, Method.ConnectionClose.class).replyCode()).isEqualTo(505);
    }

    @Test
    void anAnnouncementAboveAllLimitsIsAnError() {
        client.send(1, PUBLISH).raw(header(1L << 40));
        expectClose(
                501,
                "FRAME_ERROR - content body size 1099511627776 exceeds maximum allowed size 536870912",
                Methods.BASIC_PUBLISH);
    }

    @Test
    void whatIsBegunAndNotFinishedIsBounded() {
        int channels = 7;
        for (int channel = 2; channel < 2 + channels; channel++) {
            client.openChannel(channel);
        }
        byte[] part = new byte[131_064];
        try {
            for (int channel = 2; channel < 2 + channels && !client.hasHeardSomething(); channel++) {
                client.send(channel, PUBLISH);
                client.raw(Client.frame(
                        Client.HEADER, channel, Client.headerPayload(60, 0, 16_000_000, new Props().bytes())));
                for (int i = 0; i < 100; i++) {
                    client.raw(Client.frame(Client.BODY, channel, part));
                }
            }
        } catch (java.io.UncheckedIOException closed) {
            assertThat(closed).hasMessageContaining("Broken pipe");
        }
        expectClose(
                506,
                "RESOURCE_ERROR - unfinished messages of this connection take more than 67108864 bytes",
                Methods.BASIC_PUBLISH);
    }

    // methods

    @Test
    void unknownMethodsAreSaidNotToBeImplemented() {
        client.raw(Client.frame(Client.METHOD, 1, new byte[] {0, 60, 0, 99}));
        assertThat(client.expect(0, Method.ConnectionClose.class).replyCode()).isEqualTo(540);
    }

    @Test
    void truncatedArgumentsAreErrors() {
        client.raw(Client.frame(Client.METHOD, 1, new byte[] {0, 50, 0, 10, 0, 0, 5, 'a'}));
        Method.ConnectionClose close = client.expect(0, Method.ConnectionClose.class);
        assertThat(close.replyCode()).isEqualTo(501);
        assertThat(close.replyText()).startsWith("FRAME_ERROR - cannot decode");
        assertThat(close.classId()).isEqualTo(50);
        assertThat(close.methodId()).isEqualTo(10);
    }
}
