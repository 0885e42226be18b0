package org.entrepot.bench;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.concurrent.TimeUnit;
import org.entrepot.amqp.v091.AmqpMessageFormat;
import org.entrepot.amqp.v091.wire.AckCursor;
import org.entrepot.amqp.v091.wire.DeliveryWriter;
import org.entrepot.amqp.v091.wire.FrameDecoder;
import org.entrepot.amqp.v091.wire.FrameSink;
import org.entrepot.amqp.v091.wire.HeaderCursor;
import org.entrepot.amqp.v091.wire.Method;
import org.entrepot.amqp.v091.wire.MethodWriter;
import org.entrepot.amqp.v091.wire.Methods;
import org.entrepot.amqp.v091.wire.PublishCursor;
import org.entrepot.amqp.v091.wire.ShortString;
import org.entrepot.spi.message.Bytes;
import org.entrepot.spi.message.Message;
import org.entrepot.spi.message.MessageFormat;
import org.entrepot.spi.message.RoutingKey;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * What bytes cost on the hot paths of AMQP 0-9-1: a publish from the read buffer to the message, an acknowledgement to
 * its tag, a delivery from the message to the write buffer. Times are of one message; a socket's read brings some
 * hundred.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(2)
public class AmqpCodecBenchmark {
    private static final int MESSAGES = 256;
    private static final int FRAME_MAX = 131_072;
    private static final MessageFormat FORMAT = new AmqpMessageFormat();
    private static final byte[] CONSUMER_TAG = ShortString.encode("amq.ctag-AAAAAAAAAAAAAAAAAAAAAA");
    private static final RoutingKey KEY = RoutingKey.of("orders.created");

    @Param({"16", "1024"})
    int bodyBytes;

    private final FrameDecoder decoder = new FrameDecoder(FRAME_MAX);
    private final DeliveryWriter writer = new DeliveryWriter(FRAME_MAX);
    private final Receiver receiver = new Receiver();
    private ByteBuf publishes = Unpooled.EMPTY_BUFFER;
    private ByteBuf acknowledgements = Unpooled.EMPTY_BUFFER;
    private ByteBuf out = Unpooled.EMPTY_BUFFER;
    private final Message[] messages = new Message[MESSAGES];

    @Setup
    public void fill() {
        out = Unpooled.directBuffer(MESSAGES * (bodyBytes + 256));
        publishes = Unpooled.directBuffer(MESSAGES * (bodyBytes + 256));
        acknowledgements = Unpooled.directBuffer(MESSAGES * 32);
        Bytes header = Bytes.wrap(new byte[] {0x10, 0, 2});
        for (int i = 0; i < MESSAGES; i++) {
            messages[i] = new Message(FORMAT, header, Bytes.wrap(new byte[bodyBytes]));
            MethodWriter.write(publishes, 1, new Method.BasicPublish(Bytes.utf8("orders"), KEY.bytes(), false, false));
            publishes.writeByte(2).writeShort(1).writeInt(12 + header.length());
            publishes.writeShort(Methods.BASIC).writeShort(0).writeLong(bodyBytes);
            header.writeTo(publishes);
            publishes.writeByte(0xCE);
            publishes
                    .writeByte(3)
                    .writeShort(1)
                    .writeInt(bodyBytes)
                    .writeZero(bodyBytes)
                    .writeByte(0xCE);
            MethodWriter.write(acknowledgements, 1, new Method.BasicAck(i, false));
        }
    }

    @TearDown
    public void release() {
        publishes.release();
        acknowledgements.release();
        out.release();
    }

    @Benchmark
    @OperationsPerInvocation(MESSAGES)
    public Object decodePublish() {
        publishes.readerIndex(0);
        decoder.read(publishes, receiver);
        return receiver;
    }

    @Benchmark
    @OperationsPerInvocation(MESSAGES)
    public Object decodeAck() {
        acknowledgements.readerIndex(0);
        decoder.read(acknowledgements, receiver);
        return receiver;
    }

    @Benchmark
    @OperationsPerInvocation(MESSAGES)
    public ByteBuf encodeDeliver() {
        out.clear();
        for (int i = 0; i < MESSAGES; i++) {
            Message message = messages[i];
            writer.deliver(out, 1, CONSUMER_TAG, i, false, "orders", KEY, message.header(), message.body());
        }
        return out;
    }

    /** Makes a message of each publish, as a channel does. */
    private static final class Receiver implements FrameSink {
        private final PublishCursor publish = new PublishCursor();
        private final HeaderCursor header = new HeaderCursor();
        private final AckCursor ack = new AckCursor();
        private byte[] bytes = new byte[0];
        private int filled;
        private Message last = new Message(FORMAT, Bytes.EMPTY, Bytes.EMPTY);
        private long tags;

        @Override
        public void method(int channel, int method, ByteBuf buffer, int index, int length) {
            if (method == Methods.BASIC_PUBLISH) {
                publish.parse(buffer, index, length);
            } else {
                ack.parse(method, buffer, index, length);
                tags += ack.deliveryTag();
            }
        }

        @Override
        public void header(int channel, ByteBuf buffer, int index, int length) {
            header.parse(buffer, index, length);
            bytes = new byte[header.headerLength() + (int) header.bodySize()];
            header.copyHeader(bytes, 0);
            filled = header.headerLength();
        }

        @Override
        public void body(int channel, ByteBuf buffer, int index, int length) {
            buffer.getBytes(index, bytes, filled, length);
            filled += length;
            if (filled == bytes.length) {
                int headerLength = header.headerLength();
                last = new Message(
                        FORMAT,
                        Bytes.wrap(bytes, 0, headerLength),
                        Bytes.wrap(bytes, headerLength, bytes.length - headerLength));
            }
        }

        @Override
        public void heartbeat() {}

        @Override
        public String toString() {
            return last.size() + " bytes after tags of " + tags;
        }
    }
}
