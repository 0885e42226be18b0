package org.entrepot.amqp.v091;

/** Values as RabbitMQ's texts print them, which clients and their tests match on. */
final class ErlangTerms {
    private ErlangTerms() {}

    /** A text as a term: in double quotes. */
    static String string(String text) {
        return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
    }

    /** A text as it is, anything else as a term. */
    static String plain(Object value) {
        return String.valueOf(value);
    }
}
