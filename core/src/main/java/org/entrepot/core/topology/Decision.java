package org.entrepot.core.topology;

import java.util.List;

/**
 * What is to become of some changes, all of them or none. Immutable.
 *
 * @param before the topology that was decided on
 * @param after that topology with the records applied
 * @param records what was decided, in order
 * @param outcomes what came of each change
 * @param added queues that there are after and were not before
 * @param changed queues with other settings after, as they are then
 * @param removed queues that there were before and are not after
 */
record Decision(
        Topology before,
        Topology after,
        List<TopologyRecord> records,
        List<TopologyOutcome> outcomes,
        List<QueueNode> added,
        List<QueueNode> changed,
        List<QueueNode> removed) {}
