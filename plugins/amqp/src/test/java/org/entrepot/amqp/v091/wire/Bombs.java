package org.entrepot.amqp.v091.wire;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

/** Tables that are small on the wire and large for a careless reader. */
final class Bombs {
    private Bombs() {}

    /** Fields with tables or arrays in one another, {@code depth} of them with the table itself. */
    static byte[] nested(char container, int depth) {
        int level = container == 'F' ? 7 : 5;
        ByteBuf out = Unpooled.buffer();
        for (int inner = depth - 1; inner > 0; inner--) {
            if (container == 'F' || inner == depth - 1) {
                out.writeByte(1).writeByte('k');
            }
            out.writeByte(container).writeInt((inner - 1) * level);
        }
        return Wire.bytes(out);
    }

    /** One field that has {@code count} elements of no value. */
    static byte[] voids(char container, int count) {
        ByteBuf out = Unpooled.buffer();
        out.writeByte(1).writeByte('k').writeByte(container);
        out.writeInt(container == 'F' ? 2 * count : count);
        for (int i = 0; i < count; i++) {
            if (container == 'F') {
                out.writeByte(0);
            }
            out.writeByte('V');
        }
        return Wire.bytes(out);
    }
}
