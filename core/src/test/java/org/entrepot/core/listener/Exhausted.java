package org.entrepot.core.listener;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.Closeable;
import java.io.FileInputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.entrepot.core.loop.Loops;

/**
 * A process that listens, uses up its file descriptors, and frees them when it has complained. It says its port, then
 * "full", then each complaint.
 */
final class Exhausted {
    private Exhausted() {}

    public static void main(String[] args) throws Exception {
        CountDownLatch complained = new CountDownLatch(1);
        ComplaintLog complaints = new ComplaintLog(System::nanoTime, line -> {
            System.out.println(line);
            complained.countDown();
        });
        Listeners listeners = new Listeners(
                ListenerSettings.defaults(),
                new Loops(1, System::currentTimeMillis),
                (channel, loop, protocol, facts) -> channel.pipeline().addLast(new Fixture.Echo()),
                complaints,
                new SimpleMeterRegistry(),
                Runnable::run);
        listeners.open(List.of(Fixture.plain(Fixture.ECHO)));
        System.out.println(listeners.bound().get(0).address().getPort());

        // This and the first connection have all classes loaded whose files could not be opened later.
        new ComplaintLog(System::nanoTime, line -> {}).complain("nobody", "nothing", "none");
        System.in.read();
        List<Closeable> held = useUp();
        System.out.println("full");
        complained.await(30, TimeUnit.SECONDS);
        for (Closeable file : held) {
            file.close();
        }
        System.in.read();
    }

    private static List<Closeable> useUp() {
        List<Closeable> held = new ArrayList<>();
        while (true) {
            try {
                held.add(new FileInputStream("/dev/null"));
            } catch (IOException full) {
                return held;
            }
        }
    }
}
