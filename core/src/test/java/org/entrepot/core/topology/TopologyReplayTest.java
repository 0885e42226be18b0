package org.entrepot.core.topology;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import org.entrepot.spi.topology.BindingSpec;
import org.junit.jupiter.api.Test;

class TopologyReplayTest {
    private static final int SEEDS = 1_000;
    private static final int CHANGES = 60;

    @Test
    void replayingWhatWasLoggedGivesWhatIsDurable() {
        for (long seed = 0; seed < SEEDS; seed++) {
            List<TopologyRecord> log = new ArrayList<>();
            TopologyMachine live = run(seed, log);
            TopologyMachine replayed = replay(TopologyRecords.read(Unpooled.wrappedBuffer(TopologyRecords.bytes(log))));
            assertThat(Checkpoint.of(replayed.topology()))
                    .as("seed %d", seed)
                    .containsExactlyElementsOf(Checkpoint.of(live.topology()));
        }
    }

    @Test
    void aCheckpointStandsForAllRecordsBeforeIt() {
        for (long seed = 0; seed < SEEDS; seed++) {
            TopologyMachine live = run(seed, new ArrayList<>());
            List<TopologyRecord> checkpoint = Checkpoint.of(live.topology());
            assertThat(Checkpoint.of(replay(checkpoint).topology()))
                    .as("seed %d", seed)
                    .containsExactlyElementsOf(checkpoint);
        }
    }

    @Test
    void theTopologyHoldsTogetherWhateverIsChanged() {
        for (long seed = 0; seed < SEEDS; seed++) {
            Topology topology = run(seed, new ArrayList<>()).topology();
            for (VirtualHost host : topology.virtualHosts()) {
                assertHoldsTogether(topology, host, "seed " + seed);
            }
        }
    }

    private static void assertHoldsTogether(Topology topology, VirtualHost host, String seed) {
        int bindings = 0;
        for (Exchange exchange : host.exchanges()) {
            assertThat(exchange.under(host.policySet())).as(seed).isSameAs(exchange);
            for (BindingSpec binding : exchange.bindings()) {
                bindings++;
                assertThat(host.bindingsTo(binding.destination())).as(seed).contains(binding);
                boolean there = switch (binding.destination().kind()) {
                    case QUEUE -> host.queue(binding.destination().name()) != null;
                    case EXCHANGE -> host.exchange(binding.destination().name()) != null;
                };
                assertThat(there).as("%s: the end of %s", seed, binding).isTrue();
            }
        }
        assertThat(host.bindingCount()).as(seed).isEqualTo(bindings);
        for (QueueNode queue : host.queues()) {
            assertThat(queue.under(host.policySet())).as(seed).isSameAs(queue);
            assertThat(topology.queue(queue.id())).as(seed).isSameAs(queue);
            if (queue.owner() != 0) {
                assertThat(topology.ownedBy(queue.owner())).as(seed).contains(queue.id());
            }
        }
    }

    private static TopologyMachine run(long seed, List<TopologyRecord> log) {
        TopologyMachine machine = new TopologyMachine(Stage.TYPES, TopologyLimits.DEFAULT, Stage.STANDARD);
        RandomChanges changes = new RandomChanges(seed);
        for (int i = 0; i < CHANGES; i++) {
            changes.makeOne(machine, log);
        }
        return machine;
    }

    private static TopologyMachine replay(List<TopologyRecord> records) {
        TopologyMachine machine = new TopologyMachine(Stage.TYPES, TopologyLimits.DEFAULT, Stage.STANDARD);
        records.forEach(machine::apply);
        return machine;
    }
}
