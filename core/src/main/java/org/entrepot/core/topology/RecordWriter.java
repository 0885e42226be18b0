package org.entrepot.core.topology;

import io.netty.buffer.ByteBuf;

/** Appends what a record says to a buffer; {@link RecordReader} is its reverse. Owned by the call that makes it. */
final class RecordWriter implements TopologyRecord.Visitor<ByteBuf> {
    private final ByteBuf out;

    RecordWriter(ByteBuf out) {
        this.out = out;
    }

    @Override
    public ByteBuf idsReserved(TopologyRecord.IdsReserved fact) {
        return out.writeLong(fact.below());
    }

    @Override
    public ByteBuf virtualHostPut(TopologyRecord.VirtualHostPut fact) {
        text(fact.name());
        text(fact.description());
        SpecCodec.writeTexts(out, fact.tags(), fact.tags().size());
        SpecCodec.writeOptionalText(out, fact.defaultQueueType().orElse(null));
        return out;
    }

    @Override
    public ByteBuf virtualHostGone(TopologyRecord.VirtualHostGone fact) {
        return text(fact.name());
    }

    @Override
    public ByteBuf virtualHostLimited(TopologyRecord.VirtualHostLimited fact) {
        text(fact.name());
        SpecCodec.writeOptionalLong(out, fact.limits().connections());
        SpecCodec.writeOptionalLong(out, fact.limits().queues());
        return out;
    }

    @Override
    public ByteBuf userPut(TopologyRecord.UserPut fact) {
        User user = fact.user();
        text(user.name());
        out.writeInt(user.credentials().size());
        for (Credential credential : user.credentials()) {
            text(credential.kind());
            ValueCodec.writeBytes(out, credential.verifier().toArray());
        }
        SpecCodec.writeTexts(out, user.tags(), user.tags().size());
        SpecCodec.writeOptionalLong(out, user.limits().connections());
        SpecCodec.writeOptionalLong(out, user.limits().sessions());
        return out;
    }

    @Override
    public ByteBuf userGone(TopologyRecord.UserGone fact) {
        return text(fact.name());
    }

    @Override
    public ByteBuf permissionsSet(TopologyRecord.PermissionsSet fact) {
        text(fact.user());
        text(fact.virtualHost());
        PermissionPatterns patterns = fact.patterns();
        out.writeBoolean(patterns != null);
        if (patterns != null) {
            text(patterns.configure());
            text(patterns.write());
            text(patterns.read());
        }
        return out;
    }

    @Override
    public ByteBuf topicPermissionsSet(TopologyRecord.TopicPermissionsSet fact) {
        text(fact.user());
        text(fact.virtualHost());
        text(fact.exchange());
        TopicPatterns patterns = fact.patterns();
        out.writeBoolean(patterns != null);
        if (patterns != null) {
            text(patterns.write());
            text(patterns.read());
        }
        return out;
    }

    @Override
    public ByteBuf policyPut(TopologyRecord.PolicyPut fact) {
        Policy policy = fact.policy();
        text(fact.virtualHost());
        text(policy.name());
        text(policy.pattern());
        text(policy.applyTo().word());
        out.writeInt(policy.priority());
        ValueCodec.writeMap(out, policy.definition());
        return out.writeBoolean(policy.operator());
    }

    @Override
    public ByteBuf policyGone(TopologyRecord.PolicyGone fact) {
        text(fact.virtualHost());
        text(fact.name());
        return out.writeBoolean(fact.operator());
    }

    @Override
    public ByteBuf exchangeAdded(TopologyRecord.ExchangeAdded fact) {
        text(fact.virtualHost());
        out.writeLong(fact.id());
        SpecCodec.writeExchange(out, fact.spec());
        return out;
    }

    @Override
    public ByteBuf exchangeGone(TopologyRecord.ExchangeGone fact) {
        text(fact.virtualHost());
        text(fact.name());
        return out.writeBoolean(fact.logged());
    }

    @Override
    public ByteBuf queueAdded(TopologyRecord.QueueAdded fact) {
        text(fact.virtualHost());
        out.writeLong(fact.id());
        out.writeLong(fact.owner());
        SpecCodec.writeQueue(out, fact.spec());
        return out;
    }

    @Override
    public ByteBuf queueLimited(TopologyRecord.QueueLimited fact) {
        text(fact.virtualHost());
        text(fact.name());
        SpecCodec.writeLimits(out, fact.limits());
        return out.writeBoolean(fact.logged());
    }

    @Override
    public ByteBuf queueGone(TopologyRecord.QueueGone fact) {
        text(fact.virtualHost());
        text(fact.name());
        return out.writeBoolean(fact.logged());
    }

    @Override
    public ByteBuf bound(TopologyRecord.Bound fact) {
        text(fact.virtualHost());
        SpecCodec.writeBinding(out, fact.binding());
        return out.writeBoolean(fact.logged());
    }

    @Override
    public ByteBuf unbound(TopologyRecord.Unbound fact) {
        text(fact.virtualHost());
        SpecCodec.writeBinding(out, fact.binding());
        return out.writeBoolean(fact.logged());
    }

    private ByteBuf text(String text) {
        ValueCodec.writeText(out, text);
        return out;
    }
}
