package org.entrepot.amqp.v091.wire;

/** The reply codes of AMQP 0-9-1, by the names that RabbitMQ begins its reply texts with. */
public enum ReplyCode {
    REPLY_SUCCESS(200, false),
    CONTENT_TOO_LARGE(311, false),
    NO_ROUTE(312, false),
    NO_CONSUMERS(313, false),
    ACCESS_REFUSED(403, false),
    NOT_FOUND(404, false),
    RESOURCE_LOCKED(405, false),
    PRECONDITION_FAILED(406, false),
    CONNECTION_FORCED(320, true),
    INVALID_PATH(402, true),
    FRAME_ERROR(501, true),
    SYNTAX_ERROR(502, true),
    COMMAND_INVALID(503, true),
    CHANNEL_ERROR(504, true),
    UNEXPECTED_FRAME(505, true),
    RESOURCE_ERROR(506, true),
    NOT_ALLOWED(530, true),
    NOT_IMPLEMENTED(540, true),
    INTERNAL_ERROR(541, true);

    private final int number;
    private final boolean closesConnection;

    ReplyCode(int number, boolean closesConnection) {
        this.number = number;
        this.closesConnection = closesConnection;
    }

    /** The number on the wire. */
    public int number() {
        return number;
    }

    /** Whether the specification has it end the connection ("hard"); the others end a channel ("soft"). */
    public boolean closesConnection() {
        return closesConnection;
    }

    /**
     * The reply text of a close: the code's name, " - " and the explanation, cut to what a short string holds without
     * splitting a character.
     */
    public String closeText(String explanation) {
        return ShortString.cut(explanation.isEmpty() ? name() : name() + " - " + explanation);
    }
}
