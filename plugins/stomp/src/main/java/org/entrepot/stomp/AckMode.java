package org.entrepot.stomp;

/** How messages of a subscription are acknowledged. */
enum AckMode {
    /** By being sent. */
    AUTO("auto"),
    /** By the client, all up to one at once. */
    CLIENT("client"),
    /** By the client, one by one. */
    INDIVIDUAL("client-individual");

    private final String text;

    AckMode(String text) {
        this.text = text;
    }

    /** The mode of this name; throws RabbitMQ's refusal for any other. */
    static AckMode of(String text) {
        for (AckMode mode : values()) {
            if (mode.text.equals(text)) {
                return mode;
            }
        }
        throw new Refusal("Processing error", "Processing error");
    }
}
