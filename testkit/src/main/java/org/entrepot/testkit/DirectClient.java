package org.entrepot.testkit;

import io.netty.channel.ChannelPipeline;
import java.io.IOException;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.entrepot.spi.BrokerException;
import org.entrepot.spi.message.Bytes;
import org.entrepot.spi.message.Envelope;
import org.entrepot.spi.message.Message;
import org.entrepot.spi.message.MessageFormat;
import org.entrepot.spi.message.RoutingKey;
import org.entrepot.spi.protocol.Connection;
import org.entrepot.spi.security.Login;
import org.entrepot.spi.session.Address;
import org.entrepot.spi.session.Deliveries;
import org.entrepot.spi.session.DeliverySink;
import org.entrepot.spi.session.Session;
import org.entrepot.spi.session.SessionListener;

/**
 * A client of {@link DirectClients}: has things done on its connection's loop and waits for what comes of them. Used by one
 * thread, which is no loop. What the broker refuses is thrown as it is.
 */
public final class DirectClient implements AutoCloseable {
    private final Socket socket;
    private final ChannelPipeline pipeline;
    private final Connection connection;
    private final DirectClients.Handler handler;
    private final MessageFormat format;
    private final LinkedBlockingQueue<SessionListener.Receipt> receipts = new LinkedBlockingQueue<>();
    private final Session session;

    DirectClient(Socket socket, DirectClients.Opened made) {
        this.socket = socket;
        this.pipeline = made.pipeline();
        this.connection = made.connection();
        this.handler = made.handler();
        Login.Step step = await(() -> connection.login("PLAIN").step(Bytes.utf8("\0guest\0guest")));
        if (!(step instanceof Login.Step.Success)) {
            throw new IllegalStateException("the login was refused: " + step);
        }
        await(() -> connection.enter("/"));
        this.session = call(() -> connection.openSession(new SessionListener() {
            @Override
            public void receipts(long first, long last, Receipt receipt) {
                for (long number = first; number <= last; number++) {
                    receipts.add(receipt);
                }
            }

            @Override
            public void failed(BrokerException reason) {
                handler.goodbyes.add(reason);
            }
        }));
        this.format = made.format();
    }

    /** Something to do on the connection's loop. */
    @FunctionalInterface
    public interface Call<T> {
        T call() throws Exception;
    }

    public Connection connection() {
        return connection;
    }

    /** To be used in what is given to {@link #call} and {@link #await}. */
    public Session session() {
        return session;
    }

    /** Does something on the loop and gives what comes of it. */
    public <T> T call(Call<T> work) {
        CompletableFuture<T> done = new CompletableFuture<>();
        pipeline.channel().eventLoop().execute(() -> {
            try {
                done.complete(work.call());
            } catch (Throwable failure) { // whatever it is: the test is to see it
                done.completeExceptionally(failure);
            }
        });
        return get(done);
    }

    /** Begins something on the loop and waits for its stage. */
    public <T> T await(Call<CompletionStage<T>> work) {
        return get(call(work).toCompletableFuture());
    }

    /** Waits for a stage that was begun before. */
    public static <T> T get(CompletableFuture<T> stage) {
        try {
            return stage.get(DirectClients.PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RuntimeException refusal) {
                throw refusal;
            }
            throw new IllegalStateException(e.getCause());
        } catch (TimeoutException e) {
            throw new IllegalStateException("no answer within " + DirectClients.PATIENCE_SECONDS + " s", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** A message of this text, without properties. */
    public Message message(String text) {
        return new Message(format, Bytes.EMPTY, Bytes.utf8(text));
    }

    /** Publishes a durable text to one queue and waits for the receipt. */
    public SessionListener.Receipt publish(String queue, String key, String text) {
        RoutingKey routingKey = RoutingKey.of(key);
        call(() -> {
            Address address = session.queueAddress(queue, routingKey);
            return session.publish(address, message(text), Envelope.of("", routingKey, true));
        });
        return receipt();
    }

    /** The next receipt. */
    public SessionListener.Receipt receipt() {
        return poll(receipts);
    }

    /** Why the broker wants the connection gone, which it must say soon. */
    public BrokerException goodbye() {
        return poll(handler.goodbyes);
    }

    /** All that is in a queue, as "key=text" in order, read so many bytes at a time. */
    public List<String> read(String queue, int bytesMax) {
        List<String> lines = new ArrayList<>();
        DeliverySink sink = found -> addLines(found, lines);
        long from = 0;
        while (from >= 0) {
            long next = from;
            from = await(() -> session.read(queue, next, bytesMax, sink));
        }
        return lines;
    }

    private static void addLines(Deliveries found, List<String> lines) {
        for (int i = 0; i < found.size(); i++) {
            lines.add(found.envelope(i).routingKey() + "="
                    + found.message(i).body().toUtf8());
        }
    }

    private static <T> T poll(LinkedBlockingQueue<T> queue) {
        try {
            T next = queue.poll(DirectClients.PATIENCE_SECONDS, TimeUnit.SECONDS);
            if (next == null) {
                throw new IllegalStateException("nothing came within " + DirectClients.PATIENCE_SECONDS + " s");
            }
            return next;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** Closes the socket. */
    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }
}
