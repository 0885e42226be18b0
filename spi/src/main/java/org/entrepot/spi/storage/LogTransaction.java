package org.entrepot.spi.storage;

import java.util.concurrent.Executor;
import java.util.function.Consumer;

/**
 * Records of several logs of one engine that last as a whole or not at all. Vendors implement it.
 *
 * <p>It is filled by the owners of the logs, each with {@link Log#append(LogTransaction, long, long,
 * org.entrepot.spi.message.Message, org.entrepot.spi.message.Envelope, org.entrepot.spi.message.Annotations, boolean)},
 * {@link Log#append(LogTransaction, io.netty.buffer.ByteBuf)} and {@link Log#release(LogTransaction, long, long)}, which may
 * happen at the same time on several threads. Whoever has heard from all of them that they are done commits it, once, on any
 * thread. One that is never committed leaves no trace of its facts and releases, now and after a restart; its entries are in
 * the memory of their logs until their owners release them.
 *
 * <p>What is in it is taken to be appended at the moment of the commit: after everything that was appended before to whatever
 * log, before everything that is appended later. What was for a log that was {@linkplain StorageEngine#delete deleted}
 * meanwhile is left out.
 */
public interface LogTransaction {

    /**
     * Appends everything that is in it. Before the call returns, each log that takes part has been given {@link
     * LogListener#committed} to run on its owner.
     *
     * @param owner runs {@code answer}
     * @param answer hears once whether all of it is as durable as it will be; false where the engine fails, and nobody knows
     * @throws IllegalArgumentException where it is more than the engine can write as a whole; nothing has happened then
     */
    void commit(Executor owner, Consumer<Boolean> answer);
}
