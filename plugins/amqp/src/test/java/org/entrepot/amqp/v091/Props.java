package org.entrepot.amqp.v091;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.entrepot.amqp.v091.wire.FieldTable;

/** Message properties as they stand on the wire: flags, then those that are set, in the specification's order. */
final class Props {
    private final Map<Integer, Consumer<ByteBuf>> fields = new TreeMap<>();

    private Props shortString(int index, String value) {
        byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
        fields.put(index, out -> out.writeByte(bytes.length).writeBytes(bytes));
        return this;
    }

    Props contentType(String value) {
        return shortString(0, value);
    }

    Props headers(Map<String, ?> value) {
        FieldTable table = FieldTable.of(value);
        fields.put(2, table::writeTo);
        return this;
    }

    Props deliveryMode(int value) {
        fields.put(3, out -> out.writeByte(value));
        return this;
    }

    Props priority(int value) {
        fields.put(4, out -> out.writeByte(value));
        return this;
    }

    Props correlationId(String value) {
        return shortString(5, value);
    }

    Props replyTo(String value) {
        return shortString(6, value);
    }

    Props expiration(String value) {
        return shortString(7, value);
    }

    Props messageId(String value) {
        return shortString(8, value);
    }

    Props timestamp(long seconds) {
        fields.put(9, out -> out.writeLong(seconds));
        return this;
    }

    Props type(String value) {
        return shortString(10, value);
    }

    Props userId(String value) {
        return shortString(11, value);
    }

    Props appId(String value) {
        return shortString(12, value);
    }

    Props clusterId(String value) {
        return shortString(13, value);
    }

    byte[] bytes() {
        int flags = 0;
        for (int index : fields.keySet()) {
            flags |= 1 << (15 - index);
        }
        ByteBuf out = Unpooled.buffer();
        out.writeShort(flags);
        fields.values().forEach(field -> field.accept(out));
        return Client.array(out);
    }
}
