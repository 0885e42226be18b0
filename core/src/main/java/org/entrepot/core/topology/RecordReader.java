package org.entrepot.core.topology;

import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import org.entrepot.spi.message.Bytes;

/** Reads what {@link RecordWriter} wrote. Stateless; fails like {@link ValueCodec}. */
final class RecordReader {
    private RecordReader() {}

    static TopologyRecord read(int kind, ByteBuf in) {
        return switch (kind) {
            case RecordKind.IDS_RESERVED -> new TopologyRecord.IdsReserved(in.readLong());
            case RecordKind.VIRTUAL_HOST_PUT ->
                new TopologyRecord.VirtualHostPut(
                        text(in),
                        text(in),
                        SpecCodec.readTexts(in),
                        Optional.ofNullable(SpecCodec.readOptionalText(in)));
            case RecordKind.VIRTUAL_HOST_GONE -> new TopologyRecord.VirtualHostGone(text(in));
            case RecordKind.VIRTUAL_HOST_LIMITED ->
                new TopologyRecord.VirtualHostLimited(
                        text(in),
                        new VirtualHostLimits(SpecCodec.readOptionalLong(in), SpecCodec.readOptionalLong(in)));
            case RecordKind.USER_PUT -> new TopologyRecord.UserPut(user(in));
            case RecordKind.USER_GONE -> new TopologyRecord.UserGone(text(in));
            case RecordKind.PERMISSIONS_SET ->
                new TopologyRecord.PermissionsSet(
                        text(in),
                        text(in),
                        in.readBoolean() ? new PermissionPatterns(text(in), text(in), text(in)) : null);
            case RecordKind.TOPIC_PERMISSIONS_SET ->
                new TopologyRecord.TopicPermissionsSet(
                        text(in), text(in), text(in), in.readBoolean() ? new TopicPatterns(text(in), text(in)) : null);
            case RecordKind.POLICY_PUT -> new TopologyRecord.PolicyPut(text(in), policy(in));
            case RecordKind.POLICY_GONE -> new TopologyRecord.PolicyGone(text(in), text(in), in.readBoolean());
            case RecordKind.EXCHANGE_ADDED ->
                new TopologyRecord.ExchangeAdded(text(in), in.readLong(), SpecCodec.readExchange(in));
            case RecordKind.EXCHANGE_GONE -> new TopologyRecord.ExchangeGone(text(in), text(in), in.readBoolean());
            case RecordKind.QUEUE_ADDED ->
                new TopologyRecord.QueueAdded(text(in), in.readLong(), in.readLong(), SpecCodec.readQueue(in));
            case RecordKind.QUEUE_LIMITED ->
                new TopologyRecord.QueueLimited(text(in), text(in), SpecCodec.readLimits(in), in.readBoolean());
            case RecordKind.QUEUE_GONE -> new TopologyRecord.QueueGone(text(in), text(in), in.readBoolean());
            case RecordKind.BOUND -> new TopologyRecord.Bound(text(in), SpecCodec.readBinding(in), in.readBoolean());
            case RecordKind.UNBOUND ->
                new TopologyRecord.Unbound(text(in), SpecCodec.readBinding(in), in.readBoolean());
            default ->
                throw new IllegalArgumentException("a record of kind " + kind + ", which this release does not know");
        };
    }

    private static User user(ByteBuf in) {
        String name = text(in);
        int size = in.readInt();
        List<Credential> credentials = new ArrayList<>();
        for (int i = 0; i < size; i++) {
            credentials.add(new Credential(text(in), Bytes.wrap(ValueCodec.readBytes(in))));
        }
        return new User(
                name,
                credentials,
                new HashSet<>(SpecCodec.readTexts(in)),
                new User.Limits(SpecCodec.readOptionalLong(in), SpecCodec.readOptionalLong(in)));
    }

    private static Policy policy(ByteBuf in) {
        String name = text(in);
        String pattern = text(in);
        String word = text(in);
        Policy.ApplyTo applyTo = Policy.ApplyTo.of(word)
                .orElseThrow(() -> new IllegalArgumentException("a policy for the unknown '" + word + "'"));
        return new Policy(name, pattern, applyTo, in.readInt(), ValueCodec.readMap(in), in.readBoolean());
    }

    private static String text(ByteBuf in) {
        return ValueCodec.readText(in);
    }
}
