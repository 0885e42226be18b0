package org.entrepot.amqp.v091.wire;

/**
 * What a client sent cannot be read, or must not be sent. Immutable. {@link #code} says whether it ends the connection
 * or one channel; the class and method of the offender, where they are known, go into the close.
 */
public final class WireException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final ReplyCode code;
    private final int method;

    /** With the method as {@link Methods} has it, or {@link Methods#NONE}. */
    public WireException(ReplyCode code, String text, int method) {
        super(text, null, false, false);
        this.code = code;
        this.method = method;
    }

    public ReplyCode code() {
        return code;
    }

    /** The explanation, without the code's name in front. */
    public String text() {
        return String.valueOf(getMessage());
    }

    /** The offending method as {@link Methods} has it, {@link Methods#NONE} where it is not known. */
    public int method() {
        return method;
    }

    /** The class of the offending method; 0 where it is not known. */
    public int classId() {
        return Methods.classId(method);
    }

    /** The offending method's number in its class; 0 where it is not known. */
    public int methodId() {
        return Methods.methodId(method);
    }
}
