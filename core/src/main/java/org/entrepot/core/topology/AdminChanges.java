package org.entrepot.core.topology;

import java.util.Collection;
import java.util.List;
import org.entrepot.spi.BrokerException;
import org.entrepot.spi.ErrorKind;
import org.entrepot.spi.topology.ExchangeSpec;
import org.jspecify.annotations.Nullable;

/** The rules of what operators change: virtual hosts, users, permissions, policies. Immutable. */
final class AdminChanges {
    private final ClientChanges clientChanges;
    private final TopologyLimits limits;
    private final List<ExchangeSpec> standardExchanges;

    AdminChanges(ClientChanges clientChanges, TopologyLimits limits, Collection<ExchangeSpec> standardExchanges) {
        this.clientChanges = clientChanges;
        this.limits = limits;
        this.standardExchanges = List.copyOf(standardExchanges);
    }

    /** Judges one change and drafts what follows from it. */
    TopologyOutcome judge(Draft draft, AdminChange change) {
        if (change instanceof AdminChange.PutVirtualHost put) {
            return putVirtualHost(draft, put);
        }
        if (change instanceof AdminChange.DeleteVirtualHost delete) {
            return deleteVirtualHost(draft, delete.name());
        }
        if (change instanceof AdminChange.SetVirtualHostLimits set) {
            boolean differs = !draft.virtualHost(set.name()).limits().equals(set.limits());
            return draftIf(differs, draft, new TopologyRecord.VirtualHostLimited(set.name(), set.limits()));
        }
        if (change instanceof AdminChange.PutUser put) {
            return putUser(draft, put.user());
        }
        if (change instanceof AdminChange.DeleteUser delete) {
            boolean there = draft.topology().user(delete.name()) != null;
            return draftIf(there, draft, new TopologyRecord.UserGone(delete.name()));
        }
        if (change instanceof AdminChange.SetPermissions set) {
            return setPermissions(draft, set);
        }
        if (change instanceof AdminChange.ClearPermissions clear) {
            boolean there = draft.virtualHost(clear.virtualHost()).permissions(clear.user()) != null;
            return draftIf(there, draft, new TopologyRecord.PermissionsSet(clear.user(), clear.virtualHost(), null));
        }
        if (change instanceof AdminChange.SetTopicPermissions set) {
            return setTopicPermissions(draft, set);
        }
        if (change instanceof AdminChange.ClearTopicPermissions clear) {
            return clearTopicPermissions(draft, clear);
        }
        if (change instanceof AdminChange.SetPolicy set) {
            return setPolicy(draft, set.virtualHost(), set.policy());
        }
        if (change instanceof AdminChange.ClearPolicy clear) {
            return clearPolicy(draft, clear);
        }
        if (change instanceof AdminChange.Change inside) {
            return clientChanges.judge(draft, inside.virtualHost(), 0, true, inside.change());
        }
        throw new AssertionError("a change of no known kind: " + change);
    }

    /** Adds the standard exchanges that a virtual host lacks. */
    void addStandardExchanges(Draft draft, String virtualHost) {
        for (ExchangeSpec spec : standardExchanges) {
            if (draft.virtualHost(virtualHost).exchange(spec.name()) == null) {
                draft.addExchange(virtualHost, spec);
            }
        }
    }

    private TopologyOutcome putVirtualHost(Draft draft, AdminChange.PutVirtualHost put) {
        TopologyRecord.VirtualHostPut fact =
                new TopologyRecord.VirtualHostPut(put.name(), put.description(), put.tags(), put.defaultQueueType());
        VirtualHost existing = draft.topology().virtualHost(put.name());
        if (existing != null) {
            return draftIf(!existing.about().equals(fact), draft, fact);
        }
        if (put.name().isEmpty()) {
            throw refused("a vhost needs a name");
        }
        if (draft.topology().virtualHosts().size() >= limits.virtualHosts()) {
            throw refused("cannot create vhost '" + put.name() + "': vhost limit of " + limits.virtualHosts()
                    + " is reached");
        }
        draft.record(fact);
        addStandardExchanges(draft, put.name());
        return new TopologyOutcome.Done(true);
    }

    private static TopologyOutcome deleteVirtualHost(Draft draft, String name) {
        VirtualHost host = draft.topology().virtualHost(name);
        if (host == null) {
            return new TopologyOutcome.Done(false);
        }
        draft.removeVirtualHost(host);
        return new TopologyOutcome.Done(true);
    }

    private TopologyOutcome putUser(Draft draft, User user) {
        User existing = draft.topology().user(user.name());
        if (existing == null) {
            if (user.name().isEmpty()) {
                throw refused("a user needs a name");
            }
            if (draft.topology().users().size() >= limits.users()) {
                throw refused(
                        "cannot create user '" + user.name() + "': user limit of " + limits.users() + " is reached");
            }
        }
        return draftIf(!user.equals(existing), draft, new TopologyRecord.UserPut(user));
    }

    private static TopologyOutcome setPermissions(Draft draft, AdminChange.SetPermissions set) {
        VirtualHost host = draft.virtualHost(set.virtualHost());
        requireUser(draft, set.user());
        PermissionPatterns patterns = set.patterns();
        for (String pattern : List.of(patterns.configure(), patterns.write(), patterns.read())) {
            PatternCost.check(pattern, "permissions of user '" + set.user() + "' in " + host);
        }
        return draftIf(
                !patterns.equals(host.permissions(set.user())),
                draft,
                new TopologyRecord.PermissionsSet(set.user(), host.name(), patterns));
    }

    private static TopologyOutcome setTopicPermissions(Draft draft, AdminChange.SetTopicPermissions set) {
        VirtualHost host = draft.virtualHost(set.virtualHost());
        requireUser(draft, set.user());
        TopicPatterns patterns = set.patterns();
        for (String pattern : List.of(patterns.write(), patterns.read())) {
            PatternCost.check(pattern, "topic permissions of user '" + set.user() + "' in " + host);
        }
        return draftIf(
                !patterns.equals(host.topicPermissions(set.user(), set.exchange())),
                draft,
                new TopologyRecord.TopicPermissionsSet(set.user(), host.name(), set.exchange(), patterns));
    }

    private static TopologyOutcome clearTopicPermissions(Draft draft, AdminChange.ClearTopicPermissions clear) {
        VirtualHost host = draft.virtualHost(clear.virtualHost());
        String one = clear.exchange();
        Collection<String> exchanges = one != null
                ? List.of(one)
                : List.copyOf(host.topicPermissions(clear.user()).keySet());
        boolean any = false;
        for (String exchange : exchanges) {
            if (host.topicPermissions(clear.user(), exchange) != null) {
                draft.record(new TopologyRecord.TopicPermissionsSet(clear.user(), host.name(), exchange, null));
                any = true;
            }
        }
        return new TopologyOutcome.Done(any);
    }

    private TopologyOutcome setPolicy(Draft draft, String virtualHost, Policy policy) {
        Policies policies = draft.virtualHost(virtualHost).policySet();
        PolicyKeys.check(policy);
        PatternCost.check(policy.pattern(), "policy '" + policy.name() + "'");
        Policy existing = policies.policy(policy.name(), policy.operator());
        if (policy.equals(existing)) {
            return new TopologyOutcome.Done(false);
        }
        if (existing == null && policies.all().size() >= limits.policies()) {
            throw refused(
                    "cannot set policy '" + policy.name() + "': policy limit of " + limits.policies() + " is reached");
        }
        draft.govern(virtualHost, new TopologyRecord.PolicyPut(virtualHost, policy));
        return new TopologyOutcome.Done(true);
    }

    private static TopologyOutcome clearPolicy(Draft draft, AdminChange.ClearPolicy clear) {
        Policies policies = draft.virtualHost(clear.virtualHost()).policySet();
        if (policies.policy(clear.name(), clear.operator()) == null) {
            return new TopologyOutcome.Done(false);
        }
        draft.govern(
                clear.virtualHost(),
                new TopologyRecord.PolicyGone(clear.virtualHost(), clear.name(), clear.operator()));
        return new TopologyOutcome.Done(true);
    }

    private static TopologyOutcome draftIf(boolean differs, Draft draft, TopologyRecord fact) {
        if (differs) {
            draft.record(fact);
        }
        return new TopologyOutcome.Done(differs);
    }

    private static void requireUser(Draft draft, String name) {
        @Nullable User user = draft.topology().user(name);
        if (user == null) {
            throw BrokerException.session(ErrorKind.NOT_FOUND, "no user '" + name + "'");
        }
    }

    private static BrokerException refused(String text) {
        return BrokerException.session(ErrorKind.PRECONDITION_FAILED, text);
    }
}
