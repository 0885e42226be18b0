package org.entrepot.amqp.v091.wire;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.entrepot.spi.message.Bytes;
import org.entrepot.spi.message.MessageFormat;

/** Random tables of the values that leave a format. */
final class Tables {
    private final Random random;

    Tables(Random random) {
        this.random = random;
    }

    /** A table that nests at most so deep. */
    Map<String, Object> table(int depth) {
        Map<String, Object> table = new LinkedHashMap<>();
        for (int i = random.nextInt(6); i > 0; i--) {
            table.put("k" + random.nextInt(1000) + "\u20ac".repeat(random.nextInt(3)), value(depth));
        }
        return table;
    }

    private List<Object> array(int depth) {
        List<Object> array = new ArrayList<>();
        for (int i = random.nextInt(6); i > 0; i--) {
            array.add(value(depth));
        }
        return array;
    }

    private Object value(int depth) {
        return switch (random.nextInt(depth > 1 ? 10 : 8)) {
            case 0 -> random.nextBoolean();
            case 1 -> random.nextLong() >> random.nextInt(64);
            case 2 -> random.nextDouble();
            case 3 -> new BigDecimal(BigInteger.valueOf(random.nextInt()), random.nextInt(256));
            case 4 -> "t\u00e9xt " + random.nextInt();
            case 5 -> Bytes.wrap(new byte[] {(byte) 0xC3, (byte) random.nextInt()});
            case 6 -> Instant.ofEpochSecond(random.nextInt());
            case 7 -> MessageFormat.Absent.VALUE;
            case 8 -> table(depth - 1);
            default -> array(depth - 1);
        };
    }
}
