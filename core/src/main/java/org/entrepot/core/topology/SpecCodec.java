package org.entrepot.core.topology;

import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.entrepot.spi.message.Bytes;
import org.entrepot.spi.message.RoutingKey;
import org.entrepot.spi.topology.BindingSpec;
import org.entrepot.spi.topology.BindingSpec.Destination;
import org.entrepot.spi.topology.DeadLetter;
import org.entrepot.spi.topology.ExchangeSpec;
import org.entrepot.spi.topology.QueueLimits;
import org.entrepot.spi.topology.QueueLimits.Overflow;
import org.entrepot.spi.topology.QueueSpec;
import org.entrepot.spi.topology.Retention;
import org.jspecify.annotations.Nullable;

/** Writes and reads what exchanges, queues and bindings are asked to be. Stateless; fails like {@link ValueCodec}. */
final class SpecCodec {
    private static final int DURABLE = 1;
    private static final int AUTO_DELETE = 2;
    private static final int INTERNAL = 4;
    private static final int EXCLUSIVE = 4;
    private static final int REPLICATED = 8;
    private static final int SINGLE_ACTIVE = 16;
    private static final int LATEST_PER_KEY = 32;

    private SpecCodec() {}

    static void writeExchange(ByteBuf out, ExchangeSpec spec) {
        ValueCodec.writeText(out, spec.name());
        ValueCodec.writeText(out, spec.type());
        out.writeByte((spec.durable() ? DURABLE : 0)
                | (spec.autoDelete() ? AUTO_DELETE : 0)
                | (spec.internal() ? INTERNAL : 0));
        writeOptionalText(out, spec.alternate());
        ValueCodec.writeMap(out, spec.arguments());
    }

    static ExchangeSpec readExchange(ByteBuf in) {
        String name = ValueCodec.readText(in);
        String type = ValueCodec.readText(in);
        int flags = in.readUnsignedByte();
        String alternate = readOptionalText(in);
        return new ExchangeSpec(
                name,
                type,
                (flags & DURABLE) != 0,
                (flags & AUTO_DELETE) != 0,
                (flags & INTERNAL) != 0,
                alternate,
                ValueCodec.readMap(in));
    }

    static void writeQueue(ByteBuf out, QueueSpec spec) {
        ValueCodec.writeText(out, spec.name());
        out.writeByte((spec.durable() ? DURABLE : 0)
                | (spec.autoDelete() ? AUTO_DELETE : 0)
                | (spec.exclusive() ? EXCLUSIVE : 0)
                | (spec.replicated() ? REPLICATED : 0)
                | (spec.singleActiveConsumer() ? SINGLE_ACTIVE : 0)
                | (spec.retention() == Retention.LATEST_PER_KEY ? LATEST_PER_KEY : 0));
        writeLimits(out, spec.limits());
        writeDeadLetter(out, spec.deadLetter());
        out.writeShort(spec.priorities());
        out.writeShort(spec.defaultPriority());
        writeOptionalLong(
                out,
                spec.deliveryLimit().isPresent()
                        ? OptionalLong.of(spec.deliveryLimit().getAsInt())
                        : OptionalLong.empty());
        writeOptionalLong(out, spec.leaseMillis());
        ValueCodec.writeMap(out, spec.extras());
    }

    static QueueSpec readQueue(ByteBuf in) {
        String name = ValueCodec.readText(in);
        int flags = in.readUnsignedByte();
        Retention retention = (flags & LATEST_PER_KEY) != 0 ? Retention.LATEST_PER_KEY : Retention.SETTLED;
        QueueLimits limits = readLimits(in);
        DeadLetter deadLetter = readDeadLetter(in);
        int priorities = in.readUnsignedShort();
        int defaultPriority = in.readUnsignedShort();
        OptionalLong deliveryLimit = readOptionalLong(in);
        OptionalLong leaseMillis = readOptionalLong(in);
        return new QueueSpec(
                name,
                (flags & DURABLE) != 0,
                (flags & EXCLUSIVE) != 0,
                (flags & AUTO_DELETE) != 0,
                (flags & REPLICATED) != 0,
                limits,
                deadLetter,
                priorities,
                defaultPriority,
                (flags & SINGLE_ACTIVE) != 0,
                deliveryLimit.isPresent()
                        ? OptionalInt.of(Math.toIntExact(deliveryLimit.getAsLong()))
                        : OptionalInt.empty(),
                leaseMillis,
                retention,
                ValueCodec.readMap(in));
    }

    static void writeLimits(ByteBuf out, QueueLimits limits) {
        writeOptionalLong(out, limits.messages());
        writeOptionalLong(out, limits.bytes());
        out.writeByte(code(limits.overflow()));
        writeOptionalLong(out, limits.messageTtlMillis());
        writeOptionalLong(out, limits.idleMillis());
    }

    static QueueLimits readLimits(ByteBuf in) {
        return new QueueLimits(
                readOptionalLong(in),
                readOptionalLong(in),
                overflow(in.readUnsignedByte()),
                readOptionalLong(in),
                readOptionalLong(in));
    }

    static void writeBinding(ByteBuf out, BindingSpec binding) {
        ValueCodec.writeText(out, binding.source());
        out.writeByte(
                switch (binding.destination().kind()) {
                    case QUEUE -> 0;
                    case EXCHANGE -> 1;
                });
        ValueCodec.writeText(out, binding.destination().name());
        ValueCodec.writeBytes(out, binding.key().bytes().toArray());
        ValueCodec.writeMap(out, binding.arguments());
    }

    static BindingSpec readBinding(ByteBuf in) {
        String source = ValueCodec.readText(in);
        int kind = in.readUnsignedByte();
        String name = ValueCodec.readText(in);
        Destination destination = switch (kind) {
            case 0 -> Destination.queue(name);
            case 1 -> Destination.exchange(name);
            default -> throw new IllegalArgumentException("a binding to something of the unknown kind " + kind);
        };
        RoutingKey key = RoutingKey.of(Bytes.wrap(ValueCodec.readBytes(in)));
        return new BindingSpec(source, destination, key, ValueCodec.readMap(in));
    }

    static void writeOptionalText(ByteBuf out, @Nullable String text) {
        out.writeBoolean(text != null);
        if (text != null) {
            ValueCodec.writeText(out, text);
        }
    }

    static @Nullable String readOptionalText(ByteBuf in) {
        return in.readBoolean() ? ValueCodec.readText(in) : null;
    }

    static void writeOptionalLong(ByteBuf out, OptionalLong number) {
        out.writeBoolean(number.isPresent());
        if (number.isPresent()) {
            out.writeLong(number.getAsLong());
        }
    }

    static OptionalLong readOptionalLong(ByteBuf in) {
        return in.readBoolean() ? OptionalLong.of(in.readLong()) : OptionalLong.empty();
    }

    static void writeTexts(ByteBuf out, Iterable<String> texts, int size) {
        out.writeInt(size);
        for (String text : texts) {
            ValueCodec.writeText(out, text);
        }
    }

    static List<String> readTexts(ByteBuf in) {
        int size = in.readInt();
        List<String> texts = new ArrayList<>();
        for (int i = 0; i < size; i++) {
            texts.add(ValueCodec.readText(in));
        }
        return texts;
    }

    private static void writeDeadLetter(ByteBuf out, @Nullable DeadLetter deadLetter) {
        out.writeBoolean(deadLetter != null);
        if (deadLetter == null) {
            return;
        }
        ValueCodec.writeText(out, deadLetter.exchange());
        RoutingKey key = deadLetter.routingKey();
        out.writeBoolean(key != null);
        if (key != null) {
            ValueCodec.writeBytes(out, key.bytes().toArray());
        }
        out.writeBoolean(deadLetter.atLeastOnce());
    }

    private static @Nullable DeadLetter readDeadLetter(ByteBuf in) {
        if (!in.readBoolean()) {
            return null;
        }
        String exchange = ValueCodec.readText(in);
        RoutingKey key = in.readBoolean() ? RoutingKey.of(Bytes.wrap(ValueCodec.readBytes(in))) : null;
        return new DeadLetter(exchange, key, in.readBoolean());
    }

    private static int code(Overflow overflow) {
        return switch (overflow) {
            case DROP_HEAD -> 0;
            case REJECT_PUBLISH -> 1;
            case REJECT_PUBLISH_DEAD_LETTER -> 2;
        };
    }

    private static Overflow overflow(int code) {
        return switch (code) {
            case 0 -> Overflow.DROP_HEAD;
            case 1 -> Overflow.REJECT_PUBLISH;
            case 2 -> Overflow.REJECT_PUBLISH_DEAD_LETTER;
            default -> throw new IllegalArgumentException("an overflow of the unknown kind " + code);
        };
    }
}
