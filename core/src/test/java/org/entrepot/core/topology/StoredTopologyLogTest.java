package org.entrepot.core.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.entrepot.core.topology.Stage.HOST;
import static org.entrepot.core.topology.Stage.OWNER;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.entrepot.core.loop.Loop;
import org.entrepot.core.loop.Loops;
import org.entrepot.core.storage.KeepingStorage;
import org.entrepot.spi.topology.TopologyChange;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class StoredTopologyLogTest {
    private final Loops loops = new Loops(1, System::currentTimeMillis);
    private final Loop home = loops.get(0);
    private KeepingStorage storage = KeepingStorage.prompt();
    private TopologyService service;

    @AfterEach
    void stop() throws Exception {
        finish(loops.close());
    }

    @Test
    void aRestartFindsWhatLastsAndItsIds() throws Exception {
        start();
        finish(service.administer(List.of(Stage.virtualHost(HOST)), home));
        change(Stage.declareQueue("q"), Stage.declareExclusiveQueue("e"), Stage.declareTransientQueue("t"));
        change(Stage.bind("amq.direct", "q", "k"));
        long id = service.current().virtualHost(HOST).queue("q").id();

        restart();

        assertThat(service.current().virtualHost(HOST).queues())
                .extracting(QueueNode::name)
                .containsExactly("q");
        assertThat(service.current().virtualHost(HOST).queue("q").id()).isEqualTo(id);
        assertThat(service.current().virtualHost(HOST).exchange("amq.direct").bindings())
                .containsExactly(Stage.toQueue("amq.direct", "q", "k"));
        change(Stage.declareQueue("r"));
        assertThat(service.current().virtualHost(HOST).queue("r").id()).isGreaterThan(id + 2);
    }

    @Test
    void aCheckpointStandsForWhatCameBefore() throws Exception {
        start();
        finish(service.administer(List.of(Stage.virtualHost(HOST)), home));
        change(Stage.declareQueue("q"), Stage.declareExclusiveQueue("e"));
        CompletableFuture<Void> written = new CompletableFuture<>();
        home.post(() -> {
            storage.log(StoredTopologyLog.ID).wantCheckpoint();
            written.complete(null);
        });
        finish(written);
        change(Stage.declareQueue("r"), Stage.deleteQueue("q"));

        restart();

        assertThat(service.current().virtualHost(HOST).queues())
                .extracting(QueueNode::name)
                .containsExactly("r");
    }

    @Test
    void aLogThatCannotBeReadFailsTheStart() throws Exception {
        start();
        finish(service.stop());
        storage.unreadable(StoredTopologyLog.ID);
        storage = storage.restarted();
        service = service();

        assertThat(service.start().toCompletableFuture())
                .failsWithin(10, TimeUnit.SECONDS)
                .withThrowableOfType(ExecutionException.class)
                .withMessageContaining("unreadable");
    }

    private void start() throws Exception {
        service = service();
        finish(service.start());
    }

    private void restart() throws Exception {
        finish(service.stop());
        storage = storage.restarted();
        start();
    }

    private TopologyService service() {
        return new TopologyService(
                home,
                new StoredTopologyLog(storage, home),
                Stage.TYPES,
                new Nobody(),
                TopologyLimits.DEFAULT,
                Stage.STANDARD);
    }

    private void change(TopologyChange... changes) throws Exception {
        finish(service.change(HOST, OWNER, List.of(changes), home));
    }

    private static <T> T finish(CompletionStage<T> stage) throws Exception {
        return stage.toCompletableFuture().get(10, TimeUnit.SECONDS);
    }

    private static final class Nobody implements TopologyListener {
        @Override
        public void queueAdded(QueueNode queue) {}

        @Override
        public void queueChanged(QueueNode queue) {}

        @Override
        public void queueRemoved(QueueNode queue) {}
    }
}
