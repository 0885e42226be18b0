package org.entrepot.core.topology;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.entrepot.spi.topology.BindingSpec;

/**
 * What of a topology a restart must find, as few records as possible: what a log may keep in place of all records so
 * far. Stateless.
 */
public final class Checkpoint {
    private Checkpoint() {}

    /** Records that make the topology from nothing, but for what is not logged. */
    public static List<TopologyRecord> of(Topology topology) {
        List<TopologyRecord> records = new ArrayList<>();
        records.add(new TopologyRecord.IdsReserved(topology.idsReservedBelow()));
        for (User user : topology.users()) {
            records.add(new TopologyRecord.UserPut(user));
        }
        for (VirtualHost host : topology.virtualHosts()) {
            addAbout(records, host, topology);
            addContent(records, host);
        }
        return records;
    }

    private static void addAbout(List<TopologyRecord> records, VirtualHost host, Topology topology) {
        records.add(host.about());
        if (!host.limits().equals(VirtualHostLimits.NONE)) {
            records.add(new TopologyRecord.VirtualHostLimited(host.name(), host.limits()));
        }
        for (Map.Entry<String, PermissionPatterns> permission :
                host.permissions().entrySet()) {
            records.add(new TopologyRecord.PermissionsSet(permission.getKey(), host.name(), permission.getValue()));
        }
        for (User user : topology.users()) {
            for (Map.Entry<String, TopicPatterns> permission :
                    host.topicPermissions(user.name()).entrySet()) {
                records.add(new TopologyRecord.TopicPermissionsSet(
                        user.name(), host.name(), permission.getKey(), permission.getValue()));
            }
        }
        for (Policy policy : host.policies()) {
            records.add(new TopologyRecord.PolicyPut(host.name(), policy));
        }
    }

    private static void addContent(List<TopologyRecord> records, VirtualHost host) {
        for (Exchange exchange : host.exchanges()) {
            if (exchange.logged()) {
                records.add(new TopologyRecord.ExchangeAdded(host.name(), exchange.id(), exchange.spec()));
            }
        }
        for (QueueNode queue : host.queues()) {
            if (queue.logged()) {
                records.add(new TopologyRecord.QueueAdded(host.name(), queue.id(), queue.owner(), queue.spec()));
            }
        }
        for (Exchange exchange : host.exchanges()) {
            for (BindingSpec binding : exchange.bindings()) {
                if (host.logs(binding)) {
                    records.add(new TopologyRecord.Bound(host.name(), binding, true));
                }
            }
        }
    }
}
