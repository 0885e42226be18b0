package org.entrepot.amqp.v091.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.assertj.core.api.Assertions.entry;
import static org.assertj.core.api.InstanceOfAssertFactories.LIST;

import com.rabbitmq.client.LongString;
import com.rabbitmq.client.impl.ValueReader;
import com.rabbitmq.client.impl.ValueWriter;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.Arrays;
import java.util.Date;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.entrepot.spi.message.Bytes;
import org.entrepot.spi.message.MessageFormat;
import org.junit.jupiter.api.Test;

class FieldTableTest {
    /** One field of each letter, each with a value that another reading of the letter would get wrong. */
    private static final String EVERY_LETTER = """
            `t` 't' 02  `b` 'b' ff  `B` 'B' ff  `s` 's' fffe  `u` 'u' fffe  `I` 'I' fffffffd  `i` 'i' fffffffd
            `l` 'l' fffffffffffffffc  `L` 'L' fffffffffffffffb  `f` 'f' 3fc00000  `d` 'd' 3ff4000000000000
            `D` 'D' 02 000000ff  `S` 'S' ['a' c3a9]  `x` 'x' [6162]
            `A` 'A' [ 't' 00 'V' ]  `F` 'F' [ `k` 'b' 01 ]  `T` 'T' 0000000065000000  `V` 'V'
            """;

    @Test
    void readsEveryLetterOfRabbitMq() {
        assertThat(read(Wire.bytes(EVERY_LETTER)).values())
                .containsExactly(
                        entry("t", true),
                        entry("b", -1L),
                        entry("B", 255L),
                        entry("s", -2L),
                        entry("u", 65534L),
                        entry("I", -3L),
                        entry("i", 4294967293L),
                        entry("l", -4L),
                        entry("L", -5L),
                        entry("f", 1.5),
                        entry("d", 1.25),
                        entry("D", new BigDecimal("2.55")),
                        entry("S", "a\u00e9"),
                        entry("x", Bytes.utf8("ab")),
                        entry("A", List.of(false, MessageFormat.Absent.VALUE)),
                        entry("F", Map.of("k", 1L)),
                        entry("T", Instant.ofEpochSecond(0x65000000L)),
                        entry("V", MessageFormat.Absent.VALUE));
    }

    @Test
    void namesTheTypesAsRabbitMqDoes() {
        assertThat(read(Wire.bytes(EVERY_LETTER)).typed().values())
                .extracting(value -> value.type().label())
                .containsExactly(
                        "bool",
                        "byte",
                        "unsignedbyte",
                        "short",
                        "unsignedshort",
                        "signedint",
                        "unsignedint",
                        "long",
                        "long",
                        "float",
                        "double",
                        "decimal",
                        "longstr",
                        "binary",
                        "array",
                        "table",
                        "timestamp",
                        "void");
    }

    @Test
    void writesWhatItReads() {
        Random random = new Random(7);
        for (int round = 0; round < 300; round++) {
            Map<String, Object> values = new Tables(random).table(5);
            FieldTable table = FieldTable.of(values);
            FieldTable read = readWithLength(table);

            assertThat(read.values()).as("seed 7 round %d", round).isEqualTo(values);
            assertThat(read).isEqualTo(table).hasSameHashCodeAs(table);
            assertThat(List.copyOf(read.values().keySet())).isEqualTo(List.copyOf(values.keySet()));
        }
    }

    @Test
    void writesTypedValuesBackToTheByte() {
        // What is read of these is not written as it was: 02 is true, L is long, and nested values have lost their
        // types.
        byte[] bytes = Wire.bytes(EVERY_LETTER
                .replace("`t` 't' 02", "`t` 't' 01")
                .replace("`L` 'L'", "`L` 'l'")
                .replace("`k` 'b' 01", "`k` 'l' 0000000000000001"));

        assertThat(encoded(FieldTable.of(read(bytes).typed()))).isEqualTo(bytes);
    }

    @Test
    void writesIntegersAsSignedIntAndLongsAsLong() {
        assertThat(encoded(FieldTable.of(Map.of("k", 7)))).isEqualTo(Wire.bytes("`k` 'I' 00000007"));
        assertThat(encoded(FieldTable.of(Map.of("k", 7L)))).isEqualTo(Wire.bytes("`k` 'l' 0000000000000007"));
    }

    @Test
    void writesDecimalsThatDoNotFitAsText() {
        for (String number : new String[] {"3000000000", "1E+3"}) {
            BigDecimal decimal = new BigDecimal(number);

            assertThat(readWithLength(FieldTable.of(Map.of("k", decimal))).values())
                    .containsExactly(entry("k", decimal.toPlainString()));
        }
    }

    @Test
    void refusesToWriteWhatIsNoValue() {
        assertThatThrownBy(() -> FieldTable.of(Map.of("k", new Object()))).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> FieldTable.of(Map.of("k".repeat(256), 1)))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> FieldTable.of(nested(FieldTable.DEPTH_MAX + 1)))
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(FieldTable.of(nested(FieldTable.DEPTH_MAX)).isEmpty()).isFalse();
    }

    @Test
    @SuppressWarnings("JavaUtilDate") // It is the client's type.
    void theJavaClientReadsWhatItWrites() throws IOException {
        Map<String, Object> values = new LinkedHashMap<>();
        values.put("flag", true);
        values.put("int", 7);
        values.put("long", -7L);
        values.put("double", 0.5);
        values.put("decimal", new BigDecimal("-1.25"));
        values.put("text", "\u20ac");
        values.put("bytes", Bytes.utf8("b"));
        values.put("time", Instant.ofEpochSecond(1000));
        values.put("list", List.of(1, "x", List.of()));
        values.put("table", Map.of("k", Map.of()));
        ByteBuf out = Unpooled.buffer();
        FieldTable.of(values).writeTo(out);

        Map<String, Object> read =
                new ValueReader(new DataInputStream(new ByteArrayInputStream(Wire.bytes(out)))).readTable();

        assertThat(read).containsOnlyKeys(values.keySet());
        assertThat(read)
                .containsEntry("flag", true)
                .containsEntry("int", 7)
                .containsEntry("long", -7L)
                .containsEntry("double", 0.5)
                .containsEntry("decimal", new BigDecimal("-1.25"))
                .containsEntry("bytes", new byte[] {'b'})
                .containsEntry("time", new Date(1_000_000))
                .containsEntry("table", Map.of("k", Map.of()));
        assertThat(((LongString) read.get("text")).toString()).isEqualTo("\u20ac");
        assertThat(read.get("list")).asInstanceOf(LIST).hasSize(3).startsWith(1).endsWith(List.of());
    }

    @Test
    @SuppressWarnings("JavaUtilDate") // It is the client's type.
    void readsWhatTheJavaClientWrites() throws IOException {
        Map<String, Object> values = new LinkedHashMap<>();
        values.put("int", 7);
        values.put("long", 1L << 40);
        values.put("short", (short) -1);
        values.put("byte", (byte) -2);
        values.put("float", 0.5f);
        values.put("double", 0.25);
        values.put("decimal", new BigDecimal("-1.25"));
        values.put("text", "\u20ac");
        values.put("bytes", new byte[] {1});
        values.put("date", new Date(5000));
        values.put("none", null);
        values.put("list", Arrays.asList(true, null));
        values.put("table", Map.of("k", "v"));
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        ValueWriter writer = new ValueWriter(new DataOutputStream(bytes));
        writer.writeTable(values);
        writer.flush();
        ByteBuf buffer = Unpooled.wrappedBuffer(bytes.toByteArray());

        assertThat(FieldTable.read(buffer, 4, buffer.getInt(0), Methods.NONE).values())
                .containsExactly(
                        entry("int", 7L),
                        entry("long", 1L << 40),
                        entry("short", -1L),
                        entry("byte", -2L),
                        entry("float", 0.5),
                        entry("double", 0.25),
                        entry("decimal", new BigDecimal("-1.25")),
                        entry("text", "\u20ac"),
                        entry("bytes", Bytes.wrap(new byte[] {1})),
                        entry("date", Instant.ofEpochSecond(5)),
                        entry("none", MessageFormat.Absent.VALUE),
                        entry("list", List.of(true, MessageFormat.Absent.VALUE)),
                        entry("table", Map.of("k", "v")));
    }

    @Test
    void longStringsThatAreNotUtf8AreBytes() {
        assertThat(read(Wire.bytes("01'k' 'S' 00000002 c328")).values())
                .containsExactly(entry("k", Bytes.wrap(Wire.bytes("c328"))));
    }

    @Test
    void keysThatAreNotUtf8AreReadAsLatin1() {
        assertThat(read(Wire.bytes("02 c328 'V'  01 e9 'V'  02 c3a9 't' 01")).values())
                .containsExactly(
                        entry("\u00c3(", MessageFormat.Absent.VALUE), entry("\u00e9", MessageFormat.Absent.VALUE));
    }

    @Test
    void theFirstOfEqualKeysCounts() {
        FieldTable table = read(Wire.bytes("01'k' 'b' 01  01'o' 'V'  01'k' 'b' 02"));

        assertThat(table.values()).containsExactly(entry("k", 1L), entry("o", MessageFormat.Absent.VALUE));
        assertThat(table.get("k")).isEqualTo(new TypedValue(FieldType.BYTE, 1L));
        assertThat(table.get("x")).isNull();
    }

    @Test
    void takesTimesThatNoInstantReaches() {
        assertThat(read(Wire.bytes("01'k' 'T' 7fffffffffffffff")).values())
                .containsExactly(entry("k", Instant.ofEpochSecond(Instant.MAX.getEpochSecond())));
        assertThat(read(Wire.bytes("01'k' 'T' ffffffffffffffff")).values())
                .containsExactly(entry("k", Instant.ofEpochSecond(-1)));
    }

    @Test
    void refusesEveryTableThatIsCutShort() {
        byte[] whole = Wire.bytes(EVERY_LETTER.strip());
        int fieldEnds = 0;
        for (int length = 0; length < whole.length; length++) {
            byte[] cut = Arrays.copyOf(whole, length);
            WireException refusal = catchThrowableOfType(WireException.class, () -> read(cut));
            if (refusal == null) {
                fieldEnds++;
            } else {
                assertThat(refusal.code()).isEqualTo(ReplyCode.FRAME_ERROR);
            }
        }
        assertThat(fieldEnds).as("cuts between two fields").isEqualTo(18);
    }

    @Test
    void refusesLengthsBeyondTheTable() {
        for (String type : new String[] {"'S'", "'x'", "'A'", "'F'"}) {
            for (String length : new String[] {"00000002", "7fffffff", "80000000", "ffffffff"}) {
                assertRefused(
                        Wire.bytes("01'k'" + type + length + "00"), ReplyCode.FRAME_ERROR, "malformed field table");
            }
        }
    }

    @Test
    void refusesNestedLengthsBeyondTheirParent() {
        // The inner array would end with the table, its parent one byte before.
        assertRefused(
                Wire.bytes("01'k' 'A' 00000006 'A' 00000002 'V' 'V'"), ReplyCode.FRAME_ERROR, "malformed field table");
        // The number would end within the table, but not within its array.
        assertRefused(
                Wire.bytes("`k` 'A' [ 'I' 0000 ] `k` 'I' 00000000"), ReplyCode.FRAME_ERROR, "malformed field table");
        assertThat(read(Wire.bytes("`k` 'A' [ 'A' [ 'V' 'V' ] ]")).values()).containsKey("k");
    }

    @Test
    void refusesLettersThatDoNotExist() {
        for (int letter = 0; letter < 256; letter++) {
            byte[] field = Wire.bytes("01'k' 00 00000000 00000000");
            field[2] = (byte) letter;
            if ("tbBsuIilLfdDSxAFTV".indexOf(letter) < 0) {
                assertRefused(field, ReplyCode.INTERNAL_ERROR, "unknown field type");
                assertRefused(
                        Wire.join(Wire.bytes("01'a' 'A' 00000001"), new byte[] {(byte) letter}),
                        ReplyCode.INTERNAL_ERROR,
                        "unknown field type");
            }
        }
    }

    @Test
    void nestsAsDeepAsAllowedAndNoDeeper() {
        for (char container : new char[] {'F', 'A'}) {
            assertThat(read(Bombs.nested(container, FieldTable.DEPTH_MAX)).values())
                    .hasSize(1);
            assertRefused(
                    Bombs.nested(container, FieldTable.DEPTH_MAX + 1),
                    ReplyCode.FRAME_ERROR,
                    "field table nested more than 32 deep");
        }
    }

    @Test
    void nestingBombsCostNoStack() throws InterruptedException {
        Throwable[] thrown = new Throwable[1];
        byte[] bomb = Bombs.nested('F', 12_000);
        Thread small = new Thread(
                null,
                () -> {
                    try {
                        read(bomb);
                    } catch (Throwable e) {
                        thrown[0] = e;
                    }
                },
                "small stack",
                160 << 10);
        small.start();
        small.join();

        assertThat(thrown[0]).isInstanceOf(WireException.class);
    }

    @Test
    void chargesElementsThatHaveNoBytes() {
        assertThat(read(Bombs.voids('A', FieldTable.ELEMENTS_MAX - 1)).values()).hasSize(1);
        assertRefused(Bombs.voids('A', FieldTable.ELEMENTS_MAX), ReplyCode.FRAME_ERROR, "more than 16384 elements");
        assertThat(read(Bombs.voids('F', FieldTable.ELEMENTS_MAX - 1)).values()).hasSize(1);
        assertRefused(Bombs.voids('F', FieldTable.ELEMENTS_MAX), ReplyCode.FRAME_ERROR, "more than 16384 elements");
    }

    @Test
    void doesNotShowValues() {
        assertThat(FieldTable.of(Map.of("PASSWORD", "secret")).toString()).isEqualTo("{PASSWORD=longstr}");
    }

    private static Map<String, Object> nested(int depth) {
        return depth == 1 ? Map.of() : Map.of("k", nested(depth - 1));
    }

    private static FieldTable read(byte[] fields) {
        // Bytes around it that must not be touched.
        ByteBuf buffer =
                Unpooled.wrappedBuffer(Wire.join(new byte[] {1, 2, 3}, fields, Wire.bytes("'VVVVVVVVVVVVVVVV'")));
        return FieldTable.read(buffer, 3, fields.length, Methods.NONE);
    }

    private static FieldTable readWithLength(FieldTable table) {
        ByteBuf out = Unpooled.buffer();
        table.writeTo(out);
        assertThat(out.getInt(0)).isEqualTo(out.readableBytes() - 4);
        return FieldTable.read(out, 4, out.getInt(0), Methods.NONE);
    }

    private static byte[] encoded(FieldTable table) {
        ByteBuf out = Unpooled.buffer();
        table.writeTo(out);
        out.skipBytes(4);
        return Wire.bytes(out);
    }

    /** With bytes behind the table and without. */
    private static void assertRefused(byte[] fields, ReplyCode code, String text) {
        assertThatThrownBy(() -> FieldTable.read(Bytes.wrap(fields), Methods.NONE))
                .isInstanceOf(WireException.class)
                .hasMessageContaining(text);
        WireException refusal = catchThrowableOfType(WireException.class, () -> read(fields));
        assertThat(refusal).as("refusal").isNotNull();
        assertThat(refusal.code()).isEqualTo(code);
        assertThat(refusal.text()).contains(text);
    }
}
