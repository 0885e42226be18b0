package org.entrepot.abuse;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * What the machine alone costs a neighbour: numbers at a neighbour's rate that go over a socket to a thread which sends them
 * back, and the time each takes. No broker is involved. Its threads are its own; whoever made it may call it.
 */
final class Control {
    private static final long INTERVAL_NANOS = 1_000_000_000L / Neighbour.MESSAGES_PER_SECOND;

    private final ServerSocket server = new ServerSocket();
    private final Socket near = new Socket();
    private final Socket far;
    private final List<Long> taken = new ArrayList<>();
    private volatile boolean ended;

    Control(String host) throws IOException {
        server.bind(new InetSocketAddress(host, 0));
        near.connect(server.getLocalSocketAddress());
        far = server.accept();
        near.setTcpNoDelay(true);
        far.setTcpNoDelay(true);
        start("a control sends", this::send);
        start("a control sends back", () -> far.getInputStream().transferTo(far.getOutputStream()));
        start("a control receives", this::receive);
    }

    /** What one of its threads does. */
    @FunctionalInterface
    private interface Part {
        void play() throws IOException;
    }

    private void start(String name, Part part) {
        Thread thread = new Thread(
                () -> {
                    try {
                        part.play();
                    } catch (IOException e) {
                        if (!ended) {
                            throw new UncheckedIOException(e);
                        }
                    }
                },
                name);
        thread.setDaemon(true);
        thread.start();
    }

    private void send() throws IOException {
        DataOutputStream out = new DataOutputStream(near.getOutputStream());
        long due = System.nanoTime();
        while (!ended) {
            due += INTERVAL_NANOS;
            for (long left = due - System.nanoTime(); left > 0; left = due - System.nanoTime()) {
                LockSupport.parkNanos(left);
            }
            out.writeLong(due);
        }
    }

    private void receive() throws IOException {
        DataInputStream in = new DataInputStream(near.getInputStream());
        while (!ended) {
            long due = in.readLong();
            synchronized (taken) {
                taken.add(System.nanoTime() - due);
            }
        }
    }

    /** Forgets what was measured. */
    void begin() {
        synchronized (taken) {
            taken.clear();
        }
    }

    /** What was measured since it began. */
    Latencies latencies() {
        synchronized (taken) {
            return new Latencies(taken.stream().mapToLong(nanos -> nanos).toArray());
        }
    }

    void stop() throws IOException {
        ended = true;
        near.close();
        far.close();
        server.close();
    }
}
