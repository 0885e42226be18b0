package org.entrepot.stomp.wire;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import com.code_intelligence.jazzer.mutation.annotation.NotNull;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.MethodSource;

/** Any bytes are frames or a clean refusal, and the same wherever the input is cut. */
class FrameDecoderFuzzTest {

    @MethodSource("seeds")
    @FuzzTest
    void readsTheSameAtAnyCut(byte @NotNull [] data) {
        List<String> whole = Recorder.read(data, Math.max(1, data.length));
        int hash = Arrays.hashCode(data);

        assertThat(Recorder.read(data, 1)).isEqualTo(whole);
        assertThat(Recorder.read(data, 2 + (hash & 15))).isEqualTo(whole);
        assertThat(Recorder.read(data, 8 + (hash >>> 4 & 255))).isEqualTo(whole);
    }

    static Stream<byte[]> seeds() {
        return Stream.of(
                        "",
                        "\n\0\r\n",
                        "SEND\ndestination:/queue/a\n\nhello\0\n",
                        "SEND\ndestination:/queue/a\ncontent-length:5\n\nhe\0lo\0SEND\n\n\0",
                        "CONNECT\r\naccept-version:1.1\r\nx\\c:y\\n\\\\\r\n\r\n\0",
                        "SEND\na:1\na:2\nb:c:d\n\n\0ACK\nid:T_1@@s@@7\n\nbody\0",
                        "SEND\ncontent-length:-3\n\n\0",
                        "SEND\ncontent-length:900\n\n" + "x".repeat(900) + "\0",
                        "SEND\ncontent-length:2000\n\n",
                        "SEND\nx:" + "y".repeat(70) + "\n\n\0",
                        "SEND\na:\nb:\nc:\nd:\ne:\nf:\ng:\nh:\ni:\nj:\nk:\n\n\0",
                        "WHAT\n\n\0",
                        "SEND\nx\\t:y\n\n\0")
                .map(text -> text.getBytes(StandardCharsets.ISO_8859_1));
    }
}
