package org.entrepot.core.listener;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.entrepot.core.listener.WebSocketClient.BINARY;
import static org.entrepot.core.listener.WebSocketClient.CLOSE;
import static org.entrepot.core.listener.WebSocketClient.CONTINUATION;
import static org.entrepot.core.listener.WebSocketClient.PING;
import static org.entrepot.core.listener.WebSocketClient.TEXT;
import static org.entrepot.core.listener.WebSocketClient.frame;
import static org.entrepot.core.listener.WebSocketClient.header;
import static org.entrepot.core.listener.WebSocketClient.join;
import static org.entrepot.core.listener.WebSocketClient.masked;

import com.code_intelligence.jazzer.junit.FuzzTest;
import com.code_intelligence.jazzer.mutation.annotation.NotNull;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.codec.http.websocketx.BinaryWebSocketFrame;
import io.netty.handler.codec.http.websocketx.CloseWebSocketFrame;
import io.netty.handler.codec.http.websocketx.ContinuationWebSocketFrame;
import io.netty.handler.codec.http.websocketx.TextWebSocketFrame;
import io.netty.handler.codec.http.websocketx.Utf8FrameValidator;
import io.netty.handler.codec.http.websocketx.WebSocket13FrameDecoder;
import io.netty.handler.codec.http.websocketx.WebSocketDecoderConfig;
import io.netty.handler.codec.http.websocketx.WebSocketFrame;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.entrepot.core.Effort;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Any bytes are read the same wherever the input is cut, cost no memory for what they announce, and are read as Netty's
 * decoder of the same frames reads them.
 */
class WebSocketFramesFuzzTest {
    /** For what a test's channel and its buffers are. */
    private static final int BYTES_MAX = 256 << 10;

    private static final WebSocketSpec SPEC = new WebSocketSpec("/ws", List.of(), true, false, List.of());

    /**
     * What became of bytes.
     *
     * @param passedOn what the protocol got
     * @param answers what the client got: pongs and a close frame
     */
    private record Reading(String passedOn, String answers, List<String> complaints, boolean open) {}

    @MethodSource("seeds")
    @FuzzTest
    void readsTheSameAtAnyCut(byte @NotNull [] data) throws Exception {
        Reading whole = Effort.within(BYTES_MAX + 4L * data.length, () -> read(data, data.length));
        for (int piece = 1; piece < data.length && piece < 16; piece++) {
            assertThat(read(data, piece)).as("in pieces of " + piece).isEqualTo(whole);
        }
        if (whole.complaints().isEmpty()) {
            agreesWithNetty(data, whole);
        }
    }

    private static Reading read(byte[] data, int piece) {
        List<String> complaints = new ArrayList<>();
        EmbeddedChannel channel = new EmbeddedChannel(new WebSocketFrames(SPEC, complaints::add, () -> false));
        // Without a watch on leaks, which would be most of what is allocated.
        channel.config().setAllocator(new UnpooledByteBufAllocator(false, true));
        for (int at = 0; at < data.length && channel.isOpen(); at += piece) {
            int end = Math.min(data.length, at + piece);
            channel.writeInbound(channel.alloc().buffer().writeBytes(data, at, end - at));
        }
        boolean open = channel.isOpen();
        ByteArrayOutputStream passedOn = new ByteArrayOutputStream();
        ByteArrayOutputStream answers = new ByteArrayOutputStream();
        for (ByteBuf in = channel.readInbound(); in != null; in = channel.readInbound()) {
            drain(in, passedOn);
        }
        channel.flush();
        for (ByteBuf out = channel.readOutbound(); out != null; out = channel.readOutbound()) {
            drain(out, answers);
        }
        channel.finishAndReleaseAll();
        return new Reading(passedOn.toString(ISO_8859_1), answers.toString(ISO_8859_1), complaints, open);
    }

    private static void drain(ByteBuf from, ByteArrayOutputStream to) {
        byte[] bytes = new byte[from.readableBytes()];
        from.readBytes(bytes).release();
        to.writeBytes(bytes);
    }

    /** Of a frame that is not complete Netty gives nothing, and we give what is there. */
    private static void agreesWithNetty(byte[] data, Reading ours) {
        EmbeddedChannel channel = new EmbeddedChannel(
                new WebSocket13FrameDecoder(WebSocketDecoderConfig.newBuilder()
                        .maxFramePayloadLength(Integer.MAX_VALUE)
                        .expectMaskedFrames(true)
                        .build()),
                new Utf8FrameValidator());
        ByteArrayOutputStream theirs = new ByteArrayOutputStream();
        boolean closed = false;
        try {
            channel.writeInbound(Unpooled.copiedBuffer(data));
        } catch (DecoderException stricter) {
            // Of lengths beyond what an array can hold, and of what is behind a close frame.
            assertThat(stricter).hasMessageMatching("(?s).*(length|close|frames).*");
        }
        for (WebSocketFrame frame = channel.readInbound(); frame != null; frame = channel.readInbound()) {
            closed |= frame instanceof CloseWebSocketFrame;
            if (!closed
                    && (frame instanceof BinaryWebSocketFrame
                            || frame instanceof TextWebSocketFrame
                            || frame instanceof ContinuationWebSocketFrame)) {
                drain(frame.content().retain(), theirs);
            }
            frame.release();
        }
        channel.finishAndReleaseAll();
        assertThat(ours.passedOn()).startsWith(theirs.toString(ISO_8859_1));
        if (closed) {
            assertThat(ours.open()).isFalse();
            assertThat(ours.passedOn().length()).isEqualTo(theirs.size());
        }
    }

    static Stream<byte[]> seeds() {
        byte[] long1 = new byte[126];
        byte[] long2 = new byte[65_536];
        return Stream.of(
                frame(BINARY, "hello"),
                frame(TEXT, "ü€😀"),
                join(
                        frame(false, TEXT, "a".getBytes(UTF_8)),
                        frame(PING, "between"),
                        frame(false, CONTINUATION, new byte[0]),
                        frame(true, CONTINUATION, "bcdefghij".getBytes(UTF_8)),
                        frame(CLOSE, "")),
                join(frame(true, BINARY, long1), frame(true, BINARY, long2), frame(BINARY, "x")),
                join(
                        frame(BINARY, "ab"),
                        frame(true, CLOSE, new byte[] {3, (byte) 0xe8, 'o', 'k'}),
                        frame(PING, "late")),
                join(header(0x80 | BINARY, Long.MAX_VALUE), "endless".getBytes(UTF_8)),
                join(frame(BINARY, "good"), new byte[] {(byte) 0x82, 1, 'x'}),
                join(frame(false, TEXT, new byte[] {(byte) 0xc3}), frame(true, CONTINUATION, new byte[] {(byte) 0xbc})),
                join(frame(false, TEXT, new byte[] {(byte) 0xed}), frame(true, CONTINUATION, new byte[] {(byte) 0xa0})),
                join(header(TEXT, 113), masked(new byte[] {0, 0, (byte) 0xd5, 0, 0, 4, (byte) 0xff})),
                header(0x80 | PING, 125));
    }
}
