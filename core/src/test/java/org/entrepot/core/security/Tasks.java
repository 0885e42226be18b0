package org.entrepot.core.security;

import java.util.ArrayDeque;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/** An executor whose tasks run when the test says so. */
final class Tasks implements Executor {
    private final ArrayDeque<Runnable> waiting = new ArrayDeque<>();
    private int room = Integer.MAX_VALUE;

    void room(int most) {
        room = most;
    }

    @Override
    public void execute(Runnable task) {
        if (waiting.size() >= room) {
            throw new RejectedExecutionException("full");
        }
        waiting.add(task);
    }

    int size() {
        return waiting.size();
    }

    boolean runOne() {
        Runnable task = waiting.poll();
        if (task == null) {
            return false;
        }
        task.run();
        return true;
    }

    int runAll() {
        int ran = 0;
        while (runOne()) {
            ran++;
        }
        return ran;
    }
}
