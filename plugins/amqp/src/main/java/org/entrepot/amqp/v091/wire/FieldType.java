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

    /** The type of a letter; throws {@link IllegalArgumentException} for one that is none. */
    static FieldType of(int letter) {
        return switch (letter) {
            case 't' -> BOOL;
            case 'b' -> BYTE;
            case 'B' -> UNSIGNED_BYTE;
            case 's' -> SHORT;
            case 'u' -> UNSIGNED_SHORT;
            case 'I' -> SIGNED_INT;
            case 'i' -> UNSIGNED_INT;
            case 'l', 'L' -> LONG;
            case 'f' -> FLOAT;
            case 'd' -> DOUBLE;
            case 'D' -> DECIMAL;
            case 'S' -> LONG_STRING;
            case 'x' -> BINARY;
            case 'A' -> ARRAY;
            case 'F' -> TABLE;
            case 'T' -> TIMESTAMP;
            case 'V' -> VOID;
            default -> throw new IllegalArgumentException("no field type " + letter);
        };
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

    /** Whether values are binary fractions. */
    public boolean isFraction() {
        return this == FLOAT || this == DOUBLE;
    }
}
