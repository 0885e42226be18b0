package org.entrepot.amqp.v091.wire;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import org.entrepot.spi.message.Annotations;
import org.entrepot.spi.message.Bytes;
import org.entrepot.spi.message.Death;
import org.entrepot.spi.message.Envelope;
import org.entrepot.spi.message.RoutingKey;

/**
 * A message's header on its way to a client: everything that is not changed stays byte for byte. Belongs to one
 * rewriting; a header that needs none is never copied.
 */
public final class DeliveredHeader {
    /** Holds the further keys that consumers may see. */
    static final String COPIES = "CC";

    private static final String DEATHS = "x-death";
    private static final String DELIVERY_COUNT = "x-delivery-count";
    private static final String FIRST = "x-first-death-";
    private static final String LAST = "x-last-death-";

    /** What the broker says of deaths: nothing that a client sent under these names counts. */
    private static final Set<String> DEATH_FIELDS = Set.of(
            DEATHS,
            FIRST + "queue",
            FIRST + "reason",
            FIRST + "exchange",
            LAST + "queue",
            LAST + "reason",
            LAST + "exchange");

    private static final int ROOM = 512;

    private final ByteBuf header;
    private final PropertyScanner properties = new PropertyScanner();

    private DeliveredHeader(Bytes header) {
        this.header = Unpooled.wrappedBuffer(header.toArray());
        properties.scan(this.header, 0, header.length(), null);
    }

    /**
     * The header as it is delivered: the very same object when there is nothing to add or take away. Dead-lettering
     * adds x-death and its companions in place of what a client may have sent under these names, takes the expiration
     * away, and CC where the dead-letter key replaced it.
     *
     * @param returns how often it was returned, for queues that say so in x-delivery-count; 0 for others
     */
    public static Bytes render(Bytes header, Envelope envelope, Annotations annotations, int returns) {
        if (annotations.deaths().isEmpty() && returns == 0) {
            return header;
        }
        return new DeliveredHeader(header).annotated(envelope, annotations, returns);
    }

    /** The header with another reply-to, which takes the place of the one it has. */
    public static Bytes withReplyTo(Bytes header, String replyTo) {
        return new DeliveredHeader(header).replied(replyTo);
    }

    private Bytes annotated(Envelope envelope, Annotations annotations, int returns) {
        boolean died = !annotations.deaths().isEmpty();
        int flags = properties.flags() | 1 << PropertyScanner.HEADERS;
        if (died) {
            flags &= ~(1 << PropertyScanner.EXPIRATION);
        }
        ByteBuf out = Unpooled.buffer(header.readableBytes() + ROOM);
        out.writeShort(flags);
        copy(out, PropertyScanner.CONTENT_TYPE);
        copy(out, PropertyScanner.CONTENT_ENCODING);
        FieldWriter fields = new FieldWriter(out);
        out.writeInt(0);
        int begin = out.writerIndex();
        if (properties.has(PropertyScanner.HEADERS)) {
            boolean keyReplaced = died && envelope.copies().isEmpty();
            properties.headers(header, (buffer, key, letter, end) -> {
                String name = buffer.toString(key + 1, letter - key - 1, StandardCharsets.ISO_8859_1);
                boolean replaced = (died && DEATH_FIELDS.contains(name))
                        || (keyReplaced && name.equals(COPIES))
                        || (returns > 0 && name.equals(DELIVERY_COUNT));
                if (!replaced) {
                    out.writeBytes(buffer, key, end - key);
                }
            });
        }
        if (died) {
            deaths(fields, annotations);
        }
        if (returns > 0) {
            fields.longNumber(DELIVERY_COUNT, returns);
        }
        fields.end(begin);
        for (int property = PropertyScanner.DELIVERY_MODE; property >= PropertyScanner.CLUSTER_ID; property--) {
            if (!died || property != PropertyScanner.EXPIRATION) {
                copy(out, property);
            }
        }
        return bytes(out);
    }

    private Bytes replied(String replyTo) {
        ByteBuf out = Unpooled.buffer(header.readableBytes() + 1 + ShortString.BYTES_MAX);
        out.writeShort(properties.flags() | 1 << PropertyScanner.REPLY_TO);
        for (int property = PropertyScanner.CONTENT_TYPE; property >= PropertyScanner.CLUSTER_ID; property--) {
            if (property == PropertyScanner.REPLY_TO) {
                ShortString.write(out, replyTo);
            } else {
                copy(out, property);
            }
        }
        return bytes(out);
    }

    private void copy(ByteBuf out, int property) {
        if (properties.has(property)) {
            int start = properties.start(property);
            out.writeBytes(header, start, properties.end(property) - start);
        }
    }

    private static void deaths(FieldWriter fields, Annotations annotations) {
        List<Death> deaths = annotations.deaths();
        int array = fields.begin(DEATHS, FieldType.ARRAY);
        for (Death death : deaths) {
            int table = fields.begin(FieldType.TABLE);
            death(fields, death);
            fields.end(table);
        }
        fields.end(array);
        Death first = annotations.first() == null ? deaths.get(deaths.size() - 1) : annotations.first();
        companions(fields, FIRST, first);
        companions(fields, LAST, deaths.get(0));
    }

    private static void death(FieldWriter fields, Death death) {
        if (death.originalTtlMillis() != Envelope.NO_TTL) {
            fields.longString("original-expiration", Long.toString(death.originalTtlMillis()));
        }
        fields.longNumber("count", death.count());
        fields.longString("reason", reason(death));
        fields.longString("queue", death.queue());
        fields.timestamp("time", Math.floorDiv(death.timeMillis(), 1000L));
        fields.longString("exchange", death.exchange());
        int keys = fields.begin("routing-keys", FieldType.ARRAY);
        for (RoutingKey key : death.routingKeys()) {
            fields.longString(key);
        }
        fields.end(keys);
    }

    private static void companions(FieldWriter fields, String prefix, Death death) {
        fields.longString(prefix + "exchange", death.exchange());
        fields.longString(prefix + "queue", death.queue());
        fields.longString(prefix + "reason", reason(death));
    }

    private static String reason(Death death) {
        return switch (death.reason()) {
            case REJECTED -> "rejected";
            case EXPIRED -> "expired";
            case MAXLEN -> "maxlen";
            case DELIVERY_LIMIT -> "delivery_limit";
        };
    }

    private static Bytes bytes(ByteBuf out) {
        byte[] bytes = new byte[out.readableBytes()];
        out.readBytes(bytes).release();
        return Bytes.wrap(bytes);
    }
}
