package org.entrepot.spi.message;

/**
 * The names of the properties that protocols have in common: what {@link MessageFormat#property} is asked by, and with
 * {@link MessageFormat#headers} all that a protocol needs to deliver a message of another one. Constants only.
 *
 * <p>A format answers each with a value of the type given here, or null: where the message does not have it, where the
 * protocol has no word for it, and where what was sent is of another kind. Texts are {@link String}; one that its
 * publisher sent in bytes that are not UTF-8 may be {@link Bytes}, which who converts leaves out.
 *
 * <p>Not among them is what the {@link Envelope} says of every message: whether it is durable, its priority, and its time to
 * live. docs/conversions.md says what each protocol makes of each name.
 */
public final class PropertyNames {

    /** A name that the application gave the message, a {@link String}. */
    public static final String MESSAGE_ID = "message-id";

    /** What the message answers or belongs to: a {@link String}, or {@link Bytes} where it is no text. */
    public static final String CORRELATION_ID = "correlation-id";

    /**
     * Where answers are to go, a {@link String}: a queue's name, which the default exchange takes for a key, unless
     * applications have agreed on something else.
     */
    public static final String REPLY_TO = "reply-to";

    /**
     * The topic that answers are to be published to, a {@link String}: its levels with a '/' between them and literal dots
     * within them, as MQTT writes it. Nobody has checked that it is a valid topic of any protocol.
     */
    public static final String REPLY_TO_TOPIC = "reply-to-topic";

    /** The MIME type of the body, a {@link String}. */
    public static final String CONTENT_TYPE = "content-type";

    /** How the body is encoded ("gzip"), a {@link String}. */
    public static final String CONTENT_ENCODING = "content-encoding";

    /** The application's name for this kind of message, a {@link String}. */
    public static final String TYPE = "type";

    /** When the application made the message, an {@link java.time.Instant}. */
    public static final String TIMESTAMP = "timestamp";

    /**
     * Who published it, a {@link String}. Consumers trust it: a format answers it only where its protocol holds it against
     * the login when a message is published, or writes it itself.
     */
    public static final String USER_ID = "user-id";

    /** The application that published it, a {@link String}. */
    public static final String APP_ID = "app-id";

    /** A {@link String} without a meaning of its own, which AMQP 0-9-1 has kept from its early days. */
    public static final String CLUSTER_ID = "cluster-id";

    /** {@link Boolean#TRUE} where the publisher said that the body is text in UTF-8; nobody has checked it. */
    public static final String UTF8 = "utf8";

    /** {@link Boolean#TRUE} where the message is to be kept for later subscribers of its topic. */
    public static final String RETAIN = "retain";

    private PropertyNames() {}
}
