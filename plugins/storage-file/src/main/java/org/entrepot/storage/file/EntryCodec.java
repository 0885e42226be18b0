package org.entrepot.storage.file;

import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.entrepot.spi.message.Annotations;
import org.entrepot.spi.message.Bytes;
import org.entrepot.spi.message.Death;
import org.entrepot.spi.message.DeathReason;
import org.entrepot.spi.message.Envelope;
import org.entrepot.spi.message.Message;
import org.entrepot.spi.message.MessageFormat;
import org.entrepot.spi.message.RoutingKey;

/**
 * The content of entries, version 1. Stateless.
 *
 * <p>An entry is: log, position, stamp (varints), flags (1 byte), exchange (length and bytes), routing key, priority plus one
 * (varint), time to live plus one, where flagged copies, blind copies, deaths, then the message: format's name, header, body;
 * or for a reference the place of the record with the message, and how many bytes the body has.
 */
final class EntryCodec {
    private static final int DURABLE = 1;
    private static final int COPIES = 2;
    private static final int DEATHS = 4;
    private static final int TRANSIENT = 8;

    private EntryCodec() {}

    /** More than the content takes without the message. */
    static int bound(Envelope envelope, Annotations annotations) {
        int bytes = 6 * Varints.BYTES_MAX
                + 3 * envelope.exchange().length()
                + envelope.routingKey().length();
        for (RoutingKey key : envelope.copies()) {
            bytes += Varints.BYTES_MAX + key.length();
        }
        for (RoutingKey key : envelope.blindCopies()) {
            bytes += Varints.BYTES_MAX + key.length();
        }
        for (Death death : annotations.deaths()) {
            bytes += bound(death);
        }
        Death first = annotations.first();
        return bytes + (first == null ? 0 : bound(first)) + 4 * Varints.BYTES_MAX;
    }

    private static int bound(Death death) {
        int bytes = 8 * Varints.BYTES_MAX
                + 3 * (death.queue().length() + death.exchange().length());
        for (RoutingKey key : death.routingKeys()) {
            bytes += Varints.BYTES_MAX + key.length();
        }
        return bytes;
    }

    /** More than a message takes. */
    static int bound(Message message) {
        return message.size() + 3 * message.format().name().length() + 3 * Varints.BYTES_MAX;
    }

    /**
     * Writes an entry without its message.
     *
     * @param lasting whether a restart is to find it
     */
    static void write(
            ByteBuf out,
            long log,
            long position,
            long stamp,
            boolean lasting,
            Envelope envelope,
            Annotations annotations) {
        Varints.write(out, log);
        Varints.write(out, position);
        Varints.write(out, stamp);
        boolean copies = !envelope.copies().isEmpty() || !envelope.blindCopies().isEmpty();
        boolean deaths = !annotations.deaths().isEmpty() || annotations.first() != null;
        out.writeByte((envelope.durable() ? DURABLE : 0)
                | (copies ? COPIES : 0)
                | (deaths ? DEATHS : 0)
                | (lasting ? 0 : TRANSIENT));
        Varints.writeText(out, envelope.exchange());
        writeKey(out, envelope.routingKey());
        Varints.write(out, envelope.priority() + 1L);
        Varints.write(out, envelope.ttlMillis() + 1L);
        if (copies) {
            writeKeys(out, envelope.copies());
            writeKeys(out, envelope.blindCopies());
        }
        if (deaths) {
            Varints.write(out, annotations.deaths().size());
            for (Death death : annotations.deaths()) {
                writeDeath(out, death);
            }
            Death first = annotations.first();
            out.writeBoolean(first != null);
            if (first != null) {
                writeDeath(out, first);
            }
        }
    }

    static void writeMessage(ByteBuf out, Message message) {
        Varints.writeText(out, message.format().name());
        Varints.write(out, message.header().length());
        message.header().writeTo(out);
        Varints.write(out, message.body().length());
        message.body().writeTo(out);
    }

    static void writeReference(ByteBuf out, long at, int bodyBytes) {
        Varints.write(out, at);
        Varints.write(out, bodyBytes);
    }

    /** An entry without its message. Immutable. */
    record Head(long log, long position, long stamp, boolean lasting, Envelope envelope, Annotations annotations) {}

    /** Reads what {@link #write} wrote; the reader index stands before the message or the reference then. */
    static Head read(ByteBuf in) throws DamagedException {
        long log = Varints.read(in);
        long position = Varints.read(in);
        long stamp = Varints.read(in);
        int flags = byteOf(in);
        String exchange = Varints.readText(in);
        RoutingKey key = readKey(in);
        long priority = Varints.read(in) - 1;
        long ttl = Varints.read(in) - 1;
        List<RoutingKey> copies = List.of();
        List<RoutingKey> blindCopies = List.of();
        if ((flags & COPIES) != 0) {
            copies = readKeys(in);
            blindCopies = readKeys(in);
        }
        Envelope envelope =
                new Envelope(exchange, key, copies, blindCopies, (flags & DURABLE) != 0, (int) priority, ttl);
        return new Head(
                log,
                position,
                stamp,
                (flags & TRANSIENT) == 0,
                envelope,
                (flags & DEATHS) == 0 ? Annotations.NONE : readAnnotations(in));
    }

    /**
     * Reads a message.
     *
     * @throws IOException where no plugin understands it for now: it is not damaged
     */
    static Message readMessage(ByteBuf in, Map<String, MessageFormat> formats) throws IOException, DamagedException {
        String name = Varints.readText(in);
        MessageFormat format = formats.get(name);
        if (format == null) {
            throw new IOException("a message is of the format " + name + ", which no installed plugin understands");
        }
        return new Message(format, readBytes(in), readBytes(in));
    }

    /** Bytes of the body of the message that follows. */
    static int bodyBytes(ByteBuf in) throws DamagedException {
        in.skipBytes(Varints.readLength(in));
        in.skipBytes(Varints.readLength(in));
        return Varints.readLength(in);
    }

    private static Annotations readAnnotations(ByteBuf in) throws DamagedException {
        long count = Varints.readLength(in);
        List<Death> deaths = new ArrayList<>();
        for (long i = 0; i < count; i++) {
            deaths.add(readDeath(in));
        }
        return new Annotations(List.copyOf(deaths), byteOf(in) == 0 ? null : readDeath(in));
    }

    private static void writeDeath(ByteBuf out, Death death) {
        Varints.writeText(out, death.queue());
        out.writeByte(codeOf(death.reason()));
        Varints.write(out, death.count());
        Varints.write(out, death.timeMillis());
        Varints.writeText(out, death.exchange());
        writeKeys(out, death.routingKeys());
        Varints.write(out, death.originalTtlMillis() + 1);
    }

    private static Death readDeath(ByteBuf in) throws DamagedException {
        String queue = Varints.readText(in);
        DeathReason reason = reasonOf(byteOf(in));
        long count = Varints.read(in);
        long time = Varints.read(in);
        String exchange = Varints.readText(in);
        List<RoutingKey> keys = readKeys(in);
        return new Death(queue, reason, count, time, exchange, keys, Varints.read(in) - 1);
    }

    private static int codeOf(DeathReason reason) {
        return switch (reason) {
            case REJECTED -> 1;
            case EXPIRED -> 2;
            case MAXLEN -> 3;
            case DELIVERY_LIMIT -> 4;
        };
    }

    private static DeathReason reasonOf(int code) throws DamagedException {
        return switch (code) {
            case 1 -> DeathReason.REJECTED;
            case 2 -> DeathReason.EXPIRED;
            case 3 -> DeathReason.MAXLEN;
            case 4 -> DeathReason.DELIVERY_LIMIT;
            default -> throw new DamagedException("a death for a reason " + code + ", which there is not");
        };
    }

    private static void writeKeys(ByteBuf out, List<RoutingKey> keys) {
        Varints.write(out, keys.size());
        for (RoutingKey key : keys) {
            writeKey(out, key);
        }
    }

    private static List<RoutingKey> readKeys(ByteBuf in) throws DamagedException {
        int count = Varints.readLength(in);
        List<RoutingKey> keys = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            keys.add(readKey(in));
        }
        return List.copyOf(keys);
    }

    private static void writeKey(ByteBuf out, RoutingKey key) {
        Varints.write(out, key.length());
        key.writeTo(out);
    }

    private static RoutingKey readKey(ByteBuf in) throws DamagedException {
        int length = Varints.readLength(in);
        RoutingKey key = RoutingKey.copyOf(in, in.readerIndex(), length);
        in.skipBytes(length);
        return key;
    }

    private static Bytes readBytes(ByteBuf in) throws DamagedException {
        int length = Varints.readLength(in);
        Bytes bytes = Bytes.copyOf(in, in.readerIndex(), length);
        in.skipBytes(length);
        return bytes;
    }

    private static int byteOf(ByteBuf in) throws DamagedException {
        if (!in.isReadable()) {
            throw new DamagedException("an entry ends too early");
        }
        return in.readByte();
    }
}
