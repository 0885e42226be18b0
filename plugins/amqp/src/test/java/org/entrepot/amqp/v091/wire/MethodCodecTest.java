package org.entrepot.amqp.v091.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.lang.reflect.Constructor;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.entrepot.spi.message.Bytes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class MethodCodecTest {
    private static final long SEED = 20261130;

    @ParameterizedTest
    @MethodSource("all")
    void readsWhatItWrites(Class<? extends Method> type) {
        Random random = new Random(SEED);
        for (int round = 0; round < 50; round++) {
            Method method = any(type, random);
            byte[] frame = Wire.frame(3, method);

            assertThat(Unpooled.wrappedBuffer(frame).getInt(3)).isEqualTo(frame.length - 8);
            assertThat(read(frame)).as("seed %d round %d", SEED, round).isEqualTo(method);
        }
    }

    @ParameterizedTest
    @MethodSource("all")
    void refusesEveryMethodThatIsCutShortOrTooLong(Class<? extends Method> type) {
        byte[] frame = Wire.frame(3, any(type, new Random(SEED)));
        for (int length = 11; length < frame.length - 1; length++) {
            assertCannotDecode(Arrays.copyOf(frame, length + 1));
        }
        assertCannotDecode(Arrays.copyOf(frame, frame.length + 1));
    }

    @Test
    void writesQueueDeclareOkToTheByte() {
        assertThat(Wire.frame(1, new Method.QueueDeclareOk("q1", 5, 2)))
                .isEqualTo(Wire.bytes("01 0001 0000000f 0032000b 02'q1' 00000005 00000002 ce"));
    }

    @Test
    void writesConnectionStartToTheByte() {
        Map<String, Object> capabilities = new LinkedHashMap<>();
        capabilities.put("basic.nack", true);
        Map<String, Object> properties = new LinkedHashMap<>();
        properties.put("product", "RabbitMQ");
        properties.put("capabilities", capabilities);

        byte[] frame = Wire.frame(
                0,
                new Method.ConnectionStart(
                        0, 9, FieldTable.of(properties), Bytes.utf8("PLAIN AMQPLAIN"), Bytes.utf8("en_US")));

        assertThat(frame).isEqualTo(Wire.bytes("""
                                01 0000 00000059 000a000a 00 09
                                00000034 07'product' 'S' 00000008'RabbitMQ' 0c'capabilities' 'F' 0000000d 0a'basic.nack' 't' 01
                                0000000e'PLAIN AMQPLAIN' 00000005'en_US' ce
                                """));
    }

    @Test
    void readsQueueDeclareFromTheWire() {
        Method method =
                read(Wire.bytes("01 0001 00000000 0032000a 0000 01'q' 15 00000013 0d'x-message-ttl' 'I' 0000ea60 ce"));

        assertThat(method).isInstanceOfSatisfying(Method.QueueDeclare.class, declare -> {
            assertThat(declare.queue()).isEqualTo("q");
            assertThat(declare.passive()).isTrue();
            assertThat(declare.durable()).isFalse();
            assertThat(declare.exclusive()).isTrue();
            assertThat(declare.autoDelete()).isFalse();
            assertThat(declare.noWait()).isTrue();
            assertThat(declare.arguments().get("x-message-ttl"))
                    .isEqualTo(new TypedValue(FieldType.SIGNED_INT, 60000L));
        });
    }

    @Test
    void ignoresReservedArgumentsAndBits() {
        assertThat(read(Wire.bytes("01 0000 00000000 000a0028 01'/' 03'abc' ff ce")))
                .isEqualTo(new Method.ConnectionOpen("/"));
        assertThat(read(Wire.bytes("01 0000 00000000 0014000a 04'oob!' ce"))).isEqualTo(new Method.ChannelOpen());
        assertThat(read(Wire.bytes("01 0001 00000000 0032001e 1234 01'q' fe ce")))
                .isEqualTo(new Method.QueuePurge("q", false));
    }

    @Test
    void namesTheBytesItCannotDecode() {
        WireException refusal = catchThrowableOfType(
                WireException.class, () -> read(Wire.bytes("01 0001 00000000 0032000a 0000 05'ab' ce")));

        assertThat(refusal.code()).isEqualTo(ReplyCode.FRAME_ERROR);
        assertThat(refusal.text()).isEqualTo("cannot decode <<0,0,5,97,98>>");
        assertThat(refusal.classId()).isEqualTo(50);
        assertThat(refusal.methodId()).isEqualTo(10);
    }

    @Test
    void refusesShortStringsThatAreNotUtf8() {
        WireException refusal = catchThrowableOfType(
                WireException.class, () -> read(Wire.bytes("01 0001 00000000 0032001e 0000 02 c328 00 ce")));

        assertThat(refusal.code()).isEqualTo(ReplyCode.FRAME_ERROR);
        assertThat(refusal.text()).isEqualTo("Malformed UTF-8 in shortstr");
    }

    @Test
    void refusesTableTypesThatDoNotExist() {
        WireException refusal = catchThrowableOfType(
                WireException.class,
                () -> read(Wire.bytes("01 0001 00000000 0032000a 0000 01'q' 00 00000005 01'k' 'Z' 0000 ce")));

        assertThat(refusal.code()).isEqualTo(ReplyCode.INTERNAL_ERROR);
        assertThat(refusal.text()).contains("'Z'");
        assertThat(refusal.method()).isEqualTo(Methods.QUEUE_DECLARE);
    }

    @Test
    void refusesClassesAndMethodsThatDoNotExist() {
        for (String id : new String[] {"0000 000a", "0063 000a", "003c 000c", "000a ffff", "0014 0000", "ffff ffff"}) {
            WireException refusal =
                    catchThrowableOfType(WireException.class, () -> read(Wire.bytes("01 0001 00000000 " + id + " ce")));

            assertThat(refusal.code()).isEqualTo(ReplyCode.NOT_IMPLEMENTED);
            assertThat(refusal.text()).startsWith("unknown ");
        }
    }

    @Test
    void cutsReplyTextsAndRefusesOtherLongShortStrings() {
        String tooLong = "x".repeat(300);

        assertThat(read(Wire.frame(1, new Method.ChannelClose(404, tooLong, 50, 10))))
                .isEqualTo(new Method.ChannelClose(404, "x".repeat(255), 50, 10));
        assertThatThrownBy(() -> Wire.frame(1, new Method.BasicConsumeOk(tooLong)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("300");
    }

    static Stream<Class<?>> all() {
        return Arrays.stream(Method.class.getPermittedSubclasses());
    }

    private static void assertCannotDecode(byte[] frame) {
        WireException refusal = catchThrowableOfType(WireException.class, () -> read(frame));
        assertThat(refusal).as("refusal of %s", Wire.hex(frame)).isNotNull();
        assertThat(refusal.code()).isEqualTo(ReplyCode.FRAME_ERROR);
        assertThat(refusal.text()).startsWith("cannot decode <<");
    }

    /** Reads the method of a frame, whose announced size does not count. */
    static Method read(byte[] frame) {
        ByteBuf buffer = Unpooled.wrappedBuffer(frame);
        return MethodReader.read(buffer.getInt(7), buffer, 11, frame.length - 12);
    }

    static Method any(Class<?> type, Random random) {
        try {
            RecordComponent[] components = type.getRecordComponents();
            Class<?>[] types = new Class<?>[components.length];
            Object[] values = new Object[components.length];
            for (int i = 0; i < components.length; i++) {
                types[i] = components[i].getType();
                values[i] = any(components[i], random);
            }
            Constructor<?> constructor = type.getDeclaredConstructor(types);
            return (Method) constructor.newInstance(values);
        } catch (ReflectiveOperationException e) {
            throw new LinkageError(e.getMessage(), e);
        }
    }

    private static Object any(RecordComponent component, Random random) {
        Class<?> type = component.getType();
        if (type == boolean.class) {
            return random.nextBoolean();
        } else if (type == int.class) {
            return random.nextInt(component.getName().startsWith("version") ? 256 : 65536);
        } else if (type == long.class) {
            return component.getName().equals("deliveryTag") ? random.nextLong() : random.nextLong(1L << 32);
        } else if (type == String.class) {
            return "n\u00e4me-" + random.nextInt();
        } else if (type == Bytes.class) {
            byte[] bytes = new byte[random.nextInt(40)];
            random.nextBytes(bytes);
            return Bytes.wrap(bytes);
        }
        return FieldTable.of(new Tables(random).table(3));
    }
}
