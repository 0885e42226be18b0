package org.entrepot.amqp.v091.wire;

/**
 * The types of field values that RabbitMQ knows: its own errata to the specification, not the specification's. Names are
 * those that its texts use.
 */
public enum FieldType {
    BOOL('t', "bool"),
    BYTE('b', "byte"),
    UNSIGNED_BYTE('B', "unsignedbyte"),
    SHORT('s', "short"),
    UNSIGNED_SHORT('u', "unsignedshort"),
    SIGNED_INT('I', "signedint"),
    UNSIGNED_INT('i', "unsignedint"),
    /** Written 'l'; read as 'l' and 'L'. */
    LONG('l', "long"),
    FLOAT('f', "float"),
    DOUBLE('d', "double"),
    DECIMAL('D', "decimal"),
    LONG_STRING('S', "longstr"),
    BINARY('x', "binary"),
    ARRAY('A', "array"),
    TABLE('F', "table"),
    TIMESTAMP('T', "timestamp"),
    VOID('V', "void");

    private final char letter;
    private final String label;

    FieldType(char letter, String label) {
        this.letter = letter;
        this.label = label;
    }

    /** The letter on the wire. */
    public char letter() {
        return letter;
    }

    /** RabbitMQ's name of the type, as in "of type 'signedint'". */
    public String label() {
        return label;
    }

    /** Whether values are whole numbers, which are compared by value and not by type. */
    public boolean isInteger() {
        return switch (this) {
            case BYTE, UNSIGNED_BYTE, SHORT, UNSIGNED_SHORT, SIGNED_INT, UNSIGNED_INT, LONG -> true;
            case BOOL, FLOAT, DOUBLE, DECIMAL, LONG_STRING, BINARY, ARRAY, TABLE, TIMESTAMP, VOID -> false;
        };
    }
}
