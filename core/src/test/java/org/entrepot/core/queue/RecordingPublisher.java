package org.entrepot.core.queue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.entrepot.core.loop.Loop;

/** A publisher that writes down its receipts. Owned by its loop. */
final class RecordingPublisher implements Publisher {
    private final Loop loop;
    final List<Long> stored = new ArrayList<>();
    final List<Long> refused = new ArrayList<>();
    int holds;
    int held;
    private int awaited = Integer.MAX_VALUE;
    private CompletableFuture<Void> enough = new CompletableFuture<>();

    RecordingPublisher(Loop loop) {
        this.loop = loop;
    }

    /** Completes when so many receipts have come. Called on the loop. */
    CompletableFuture<Void> receipts(int count) {
        assert loop.owns();
        enough = new CompletableFuture<>();
        awaited = count;
        look();
        return enough;
    }

    private void look() {
        if (stored.size() + refused.size() >= awaited) {
            enough.complete(null);
        }
    }

    @Override
    public Loop loop() {
        return loop;
    }

    @Override
    public void receipt(long number, boolean ok) {
        assert loop.owns();
        (ok ? stored : refused).add(number);
        look();
    }

    @Override
    public void hold() {
        assert loop.owns();
        holds++;
        held++;
    }

    @Override
    public void resume() {
        assert loop.owns();
        held--;
        assert held >= 0;
    }
}
