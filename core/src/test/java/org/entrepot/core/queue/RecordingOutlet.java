package org.entrepot.core.queue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Consumer;
import org.entrepot.core.loop.Loop;

/** A session's end of a consumer that writes down what it hears. Owned by its loop; the news may be read anywhere. */
final class RecordingOutlet implements Outlet {
    private final Loop loop;
    /** What it was told, in order: deliveries as their messages' names, anything else as a sentence. */
    final LinkedBlockingQueue<String> news = new LinkedBlockingQueue<>();

    /** Called with each batch, after it was written down. */
    Consumer<DeliveryBatch> onBatch = batch -> {};

    RecordingOutlet(Loop loop) {
        this.loop = loop;
    }

    @Override
    public Loop loop() {
        return loop;
    }

    @Override
    public void deliver(DeliveryBatch batch) {
        assert loop.owns();
        for (int i = 0; i < batch.size(); i++) {
            news.add(TestMessages.name(batch.message(i)));
        }
        onBatch.accept(batch);
    }

    @Override
    public void wants(int messages) {
        say("wants " + messages);
    }

    @Override
    public void unused(int places) {
        say("unused " + places);
    }

    @Override
    public void active(boolean active) {
        say(active ? "active" : "inactive");
    }

    @Override
    public void revoked(String reason) {
        say("revoked: " + reason);
    }

    @Override
    public void leaseExpired(long leaseMillis) {
        say("late");
    }

    private void say(String what) {
        assert loop.owns();
        news.add(what);
    }

    List<String> heard() {
        return new ArrayList<>(news);
    }
}
