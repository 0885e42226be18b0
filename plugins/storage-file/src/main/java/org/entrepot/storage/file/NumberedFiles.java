package org.entrepot.storage.file;

/** Files of one kind, named by it and a number. Immutable. */
record NumberedFiles(String kind) {
    private static final int DIGITS = 16;
    private static final int HEX = 16;

    String name(long number) {
        return kind + "-" + String.format("%016x", number);
    }

    /** The number of a file of this kind, or -1 when it is none. */
    long number(String name) {
        int begin = kind.length() + 1;
        if (!name.startsWith(kind + "-") || name.length() != begin + DIGITS) {
            return -1;
        }
        try {
            return Long.parseLong(name, begin, name.length(), HEX);
        } catch (NumberFormatException other) {
            return -1;
        }
    }
}
