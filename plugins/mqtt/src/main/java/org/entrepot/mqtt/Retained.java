package org.entrepot.mqtt;

import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.entrepot.spi.message.Envelope;
import org.entrepot.spi.message.Message;

/** The retained messages of a virtual host (specification 3.3.1.3). Any thread may call it. */
interface Retained {
    /**
     * Keeps a message as its topic's, in place of an older one; one without a payload removes that.
     *
     * @param caller the stage completes there: whether it is stored
     */
    CompletionStage<Boolean> put(Message message, Envelope envelope, Executor caller);

    /** Passes on what is retained for topics that a filter matches and has not expired, in no particular order. */
    void forEach(String topicFilter, Visitor visitor);

    /** Takes retained messages. */
    @FunctionalInterface
    interface Visitor {
        /** With an envelope whose time to live is what is left of it. */
        void visit(Message message, Envelope envelope);
    }
}
