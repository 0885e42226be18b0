package org.entrepot.amqp.v091.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.entrepot.spi.message.Bytes;
import org.entrepot.spi.message.MessageFormat;
import org.junit.jupiter.api.Test;

class TypedValueTest {

    @Test
    void comparesWholeNumbersByValue() {
        TypedValue sixty = new TypedValue(FieldType.SIGNED_INT, 60L);

        assertThat(sixty.equivalent(new TypedValue(FieldType.BYTE, 60L))).isTrue();
        assertThat(sixty.equivalent(new TypedValue(FieldType.LONG, 60L))).isTrue();
        assertThat(sixty.equivalent(new TypedValue(FieldType.LONG, 61L))).isFalse();
        assertThat(sixty.equivalent(new TypedValue(FieldType.LONG_STRING, "60")))
                .isFalse();
        assertThat(sixty.equivalent(new TypedValue(FieldType.TIMESTAMP, Instant.ofEpochSecond(60))))
                .isFalse();
    }

    @Test
    void comparesFractionsOfBothSizes() {
        assertThat(new TypedValue(FieldType.FLOAT, 0.5).equivalent(new TypedValue(FieldType.DOUBLE, 0.5)))
                .isTrue();
        assertThat(new TypedValue(FieldType.FLOAT, 0.5).equivalent(new TypedValue(FieldType.LONG, 1L)))
                .isFalse();
    }

    @Test
    void comparesTextOnlyWithText() {
        TypedValue text = new TypedValue(FieldType.LONG_STRING, "a");

        assertThat(text.equivalent(new TypedValue(FieldType.LONG_STRING, "a"))).isTrue();
        assertThat(text.equivalent(new TypedValue(FieldType.BINARY, Bytes.utf8("a"))))
                .isFalse();
    }

    @Test
    void showsValuesAsRabbitMqDoes() {
        assertThat(TypedValue.of(60000L).text()).isEqualTo("60000");
        assertThat(TypedValue.of("dlx").text()).isEqualTo("dlx");
        assertThat(TypedValue.of(true).text()).isEqualTo("true");
        assertThat(TypedValue.of(0.5).text()).isEqualTo("0.5");
        assertThat(TypedValue.of(Bytes.utf8("b")).text()).isEqualTo("b");
        assertThat(TypedValue.of(MessageFormat.Absent.VALUE).text()).isEqualTo("undefined");
        assertThat(TypedValue.of(new BigDecimal("1.5")).text()).isEqualTo("{1,15}");
        assertThat(TypedValue.of(Instant.ofEpochSecond(9)).text()).isEqualTo("9");
        assertThat(TypedValue.of(List.of("a", 1L)).text()).isEqualTo("[{longstr,<<\"a\">>},{signedint,1}]");
        assertThat(TypedValue.of(Map.of("k", "v")).text()).isEqualTo("[{<<\"k\">>,longstr,<<\"v\">>}]");
    }

    @Test
    void guessesTheTypeThatClientsUseMost() {
        assertThat(TypedValue.of(60000L).type().label()).isEqualTo("signedint");
        assertThat(TypedValue.of(1L << 31).type().label()).isEqualTo("long");
        assertThat(TypedValue.of("x").type().label()).isEqualTo("longstr");
    }
}
