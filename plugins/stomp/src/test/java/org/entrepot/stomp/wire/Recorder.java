package org.entrepot.stomp.wire;

import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Writes down what a decoder passes on. */
final class Recorder implements FrameSink {
    static final FrameLimits LIMITS = new FrameLimits(10, 64);
    static final int FRAME_MAX = 1024;
    static final int WINDOW = 128;

    final List<String> frames = new ArrayList<>();
    long taken;

    FrameDecoder decoder() {
        return new FrameDecoder(new byte[WINDOW], LIMITS, FRAME_MAX, new BodyRoom() {
            @Override
            public void take(int bytes) {
                taken += bytes;
            }

            @Override
            public void giveBack(long bytes) {
                taken -= bytes;
            }
        });
    }

    @Override
    public void frame(FrameHead head, FrameBody body) {
        StringBuilder frame = new StringBuilder(head.command().name());
        if (head.command() == Command.UNKNOWN) {
            frame.append('(').append(head.commandText()).append(')');
        }
        LineBuffer lines = new LineBuffer();
        for (int i = 0; i < head.size(); i++) {
            head.writeLine(i, lines);
        }
        byte[] copy = new byte[body.length()];
        body.copyTo(copy, 0);
        if (!Arrays.equals(copy, body.toBytes().toArray())) {
            throw new AssertionError("a body that differs from itself");
        }
        frame.append(' ').append(new String(lines.toArray(), StandardCharsets.ISO_8859_1));
        frames.add(frame.append('|')
                .append(new String(copy, StandardCharsets.ISO_8859_1))
                .toString());
    }

    /** What comes of the input in reads of so many bytes, and of what is wrong with it. */
    static List<String> read(byte[] data, int size) {
        Recorder recorder = new Recorder();
        FrameDecoder decoder = recorder.decoder();
        try {
            for (int at = 0; at < data.length; at += size) {
                decoder.read(Unpooled.wrappedBuffer(data, at, Math.min(size, data.length - at)), recorder);
            }
        } catch (WireException e) {
            recorder.frames.add("refused");
        }
        decoder.stop();
        if (recorder.taken != 0) {
            throw new AssertionError(recorder.taken + " bytes were not given back");
        }
        return recorder.frames;
    }
}
