package org.entrepot.storage.file;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.entrepot.spi.message.Envelope;
import org.entrepot.spi.message.Message;
import org.entrepot.spi.storage.Log;
import org.entrepot.spi.storage.LogListener;
import org.entrepot.spi.storage.LogReplay;
import org.entrepot.spi.storage.StorageEngine;

/** Starts an engine on a store and reads everything of one log that should be there. The log is the owner's. */
final class ReadBack implements LogListener, LogReplay {
    private static final int SECONDS_MAX = 60;
    private static final int LOAD_BYTES = 1 << 14;

    private final Owner owner;
    private final CountDownLatch replayed = new CountDownLatch(1);
    private final TreeSet<Long> missing = new TreeSet<>();
    private final CopyOnWriteArrayList<String> failures = new CopyOnWriteArrayList<>();
    private volatile CountDownLatch loading = new CountDownLatch(0);
    private volatile long loadedFrom;
    private Log log;

    ReadBack(Owner owner) {
        this.owner = owner;
    }

    /** What a start makes of a store, and what it told of it. Everything that it gives back is what was written. */
    record Result(int missing, List<String> told) {}

    /** Reads all of a store's logs; counts what is not there. */
    static Result of(Path directory, SampleStore store, Owner owner) throws Exception {
        Told told = new Told();
        FileStorage engine = SampleStore.start(directory, told);
        int missing = 0;
        try {
            for (ModelLog expected : store.logs()) {
                ReadBack read = new ReadBack(owner);
                read.read(engine, expected);
                missing += read.missing();
            }
        } finally {
            engine.close();
        }
        return new Result(missing, told.lines);
    }

    void open(StorageEngine engine, long id) throws InterruptedException {
        owner.tell(() -> {
            log = engine.open(id, true, this, owner);
            log.replay(this);
        });
        assertThat(replayed.await(SECONDS_MAX, TimeUnit.SECONDS)).isTrue();
    }

    void release(long from, long to) {
        owner.tell(() -> log.release(from, to));
    }

    /** Opens the log, reads what should be in it, and closes it. */
    void read(StorageEngine engine, ModelLog expected) throws InterruptedException {
        open(engine, expected.id);
        for (long position : expected.lasting()) {
            byte[] body = body(position);
            if (body.length == 0) {
                missing.add(position);
            } else {
                assertThat(body)
                        .as("entry " + position + " of log " + expected.id)
                        .isEqualTo(expected.expectedBody(position));
            }
        }
        assertThat(failures).isEmpty();
        owner.tell(() -> log.close());
    }

    /** Entries that were not there. */
    int missing() {
        return missing.size();
    }

    /** The body at a position; nothing where there is no entry, for every entry has one. */
    private byte[] body(long position) throws InterruptedException {
        while (true) {
            byte[] body = owner.ask(() -> {
                Message message = log.message(position);
                return message == null ? new byte[0] : message.body().toArray();
            });
            if (body.length > 0) {
                return body;
            }
            CountDownLatch waiting = new CountDownLatch(1);
            loading = waiting;
            loadedFrom = -1;
            owner.tell(() -> log.load(position, LOAD_BYTES));
            assertThat(waiting.await(SECONDS_MAX, TimeUnit.SECONDS)).isTrue();
            if (loadedFrom > position || owner.ask(() -> log.message(position) == null)) {
                return new byte[0];
            }
        }
    }

    // The owner's side.

    @Override
    public void checkpoint(ByteBuf state) {}

    @Override
    public void entry(long position, long stamp, Envelope envelope, int bytes) {}

    @Override
    public void released(long from, long to) {}

    @Override
    public void fact(ByteBuf fact) {}

    @Override
    public void ended(long position) {
        replayed.countDown();
    }

    @Override
    public void failed(String reason) {
        failures.add(reason);
        replayed.countDown();
        loading.countDown();
    }

    @Override
    public void durable(long index) {}

    @Override
    public void loaded(long from, long to) {
        loadedFrom = from;
        loading.countDown();
    }

    @Override
    public void lost(long from, long to) {
        log.release(from, to);
    }

    @Override
    public void checkpointWanted() {
        log.checkpoint(Unpooled.EMPTY_BUFFER);
    }
}
