package org.entrepot.amqp.v091;

import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.entrepot.amqp.v091.wire.Method;

/** How the parts of a channel answer its client. Called on the channel's loop, while a method is being performed. */
interface Replies {

    /** Sends a method on the channel. */
    void reply(Method method);

    /** Sends a method unless the client asked for no answer. */
    default void reply(boolean noWait, Method method) {
        if (!noWait) {
            reply(method);
        }
    }

    /**
     * Goes on when the stage has completed, unless the channel was closed meanwhile; a stage that fails, and what {@code
     * then} throws, closes the channel.
     */
    <T> void await(CompletionStage<? extends T> stage, Consumer<? super T> then);
}
