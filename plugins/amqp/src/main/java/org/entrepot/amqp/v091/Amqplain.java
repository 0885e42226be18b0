package org.entrepot.amqp.v091;

import java.io.ByteArrayOutputStream;
import java.util.Optional;
import org.entrepot.amqp.v091.wire.FieldTable;
import org.entrepot.amqp.v091.wire.Methods;
import org.entrepot.amqp.v091.wire.TypedValue;
import org.entrepot.amqp.v091.wire.WireException;
import org.entrepot.spi.message.Bytes;
import org.jspecify.annotations.Nullable;

/**
 * The mechanism AMQPLAIN: the fields of a table, without the length before it, in place of PLAIN's bytes. It is offered
 * where PLAIN is, and becomes that.
 */
final class Amqplain {
    static final String NAME = "AMQPLAIN";
    static final String PLAIN = "PLAIN";

    private Amqplain() {}

    /** The same as a response of PLAIN; empty where user or password are missing. */
    static Optional<Bytes> toPlain(Bytes response) {
        FieldTable table;
        try {
            table = FieldTable.read(response, Methods.CONNECTION_START_OK);
        } catch (WireException malformed) {
            return Optional.empty();
        }
        byte @Nullable [] user = text(table.get("LOGIN"));
        byte @Nullable [] password = text(table.get("PASSWORD"));
        if (user == null || password == null) {
            return Optional.empty();
        }
        ByteArrayOutputStream plain = new ByteArrayOutputStream();
        plain.write(0);
        plain.writeBytes(user);
        plain.write(0);
        plain.writeBytes(password);
        return Optional.of(Bytes.wrap(plain.toByteArray()));
    }

    private static byte @Nullable [] text(@Nullable TypedValue field) {
        if (field == null) {
            return null;
        }
        if (field.value() instanceof String string) {
            return Bytes.utf8(string).toArray();
        }
        return field.value() instanceof Bytes bytes ? bytes.toArray() : null;
    }
}
