package org.entrepot.spi.session;

import java.util.concurrent.CompletionStage;

/** A consumer of a queue. Vendors only call it. Owned by its session's loop. */
public interface Consumer {

    ConsumerSpec spec();

    QueueHandle queue();

    /**
     * Ends it. Nothing is delivered after the stage completes; what was delivered stays unsettled with the session.
     * Like every call that returns a stage it makes the session busy.
     */
    CompletionStage<Void> cancel();
}
