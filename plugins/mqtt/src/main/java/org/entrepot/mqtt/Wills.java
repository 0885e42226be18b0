package org.entrepot.mqtt;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Future;
import org.entrepot.spi.message.Bytes;
import org.entrepot.spi.message.Envelope;
import org.entrepot.spi.message.Message;
import org.entrepot.spi.message.RoutingKey;
import org.entrepot.spi.session.Deliveries;

/**
 * Wills whose clients are gone, until they are published or the client is back (specification 3.1.3.2.2). Those that wait are
 * stored. Any thread may call it; the rest happens on the loop of the plugin's session.
 */
final class Wills {
    private static final long MILLIS_PER_SECOND = 1_000;

    private final OwnState own;
    private final Map<String, Pending> pending = new HashMap<>();

    /** A will, and what publishes it when its time comes. */
    private record Pending(Will will, Future<?> timer) {}

    Wills(OwnState own) {
        this.own = own;
    }

    /**
     * A client is gone without a goodbye.
     *
     * @param expirySeconds how long its session lasts
     */
    void left(String clientId, Will will, long expirySeconds) {
        long delay = Math.min(will.delaySeconds(), expirySeconds);
        own.execute(() -> {
            if (delay == 0) {
                publish(will);
                return;
            }
            long dueMillis = own.nowMillis() + delay * MILLIS_PER_SECOND;
            wait(clientId, will, dueMillis);
            store(clientId, encode(will, dueMillis));
        });
    }

    private void wait(String clientId, Will will, long dueMillis) {
        Pending before = pending.remove(clientId);
        if (before != null) {
            before.timer().cancel(false);
        }
        Future<?> timer = own.schedule(() -> due(clientId), Math.max(0, dueMillis - own.nowMillis()));
        pending.put(clientId, new Pending(will, timer));
    }

    private void due(String clientId) {
        Pending now = pending.remove(clientId);
        if (now != null) {
            Will will = now.will();
            retain(will);
            Envelope envelope =
                    Messages.envelope(own.settings().exchange(), will.key(), will.qos() > 0, will.expirySeconds());
            own.publishInstead(will.message(), envelope, OwnState.WILLS, RoutingKey.of(clientId));
        }
    }

    /** A client is back; with a clean start its session has ended, and the will is due. */
    void connected(String clientId, boolean cleanStart) {
        own.execute(() -> {
            Pending before = pending.get(clientId);
            if (before == null) {
                return;
            }
            before.timer().cancel(false);
            if (cleanStart) {
                due(clientId);
            } else {
                pending.remove(clientId);
                store(clientId, Bytes.EMPTY);
            }
        });
    }

    private void publish(Will will) {
        boolean durable = will.qos() > 0;
        own.publish(own.settings().exchange(), will.key(), will.message(), durable, will.expirySeconds());
        retain(will);
    }

    private void retain(Will will) {
        if (will.retain()) {
            own.retained()
                    .put(
                            will.message(),
                            Messages.envelope(own.settings().exchange(), will.key(), true, will.expirySeconds()),
                            own.loop());
        }
    }

    private void store(String clientId, Bytes body) {
        RoutingKey key = RoutingKey.of(clientId);
        own.store(OwnState.WILLS, Envelope.of("", key, true), SessionState.note(body));
    }

    // ---- what is stored

    private static Bytes encode(Will will, long dueMillis) {
        Message message = will.message();
        ByteBuf out = Unpooled.buffer(64 + message.size());
        out.writeLong(dueMillis);
        out.writeLong(will.expirySeconds());
        out.writeByte(will.qos()).writeBoolean(will.retain());
        out.writeShort(will.key().length());
        will.key().writeTo(out);
        out.writeInt(message.header().length());
        message.header().writeTo(out);
        message.body().writeTo(out);
        return Bytes.copyOf(out, 0, out.readableBytes());
    }

    /** What the table has, at the start. */
    void restored(Deliveries stored, int i) {
        byte[] bytes = stored.message(i).body().toArray();
        ByteBuf in = Unpooled.wrappedBuffer(bytes);
        long dueMillis = in.readLong();
        long expirySeconds = in.readLong();
        int qos = in.readByte();
        boolean retain = in.readBoolean();
        int keyLength = in.readUnsignedShort();
        RoutingKey key = RoutingKey.copyOf(in, in.readerIndex(), keyLength);
        in.skipBytes(keyLength);
        int headerLength = in.readInt();
        int header = in.readerIndex();
        Message message = new Message(
                MqttMessageFormat.INSTANCE,
                Bytes.wrap(bytes, header, headerLength),
                Bytes.wrap(bytes, header + headerLength, bytes.length - header - headerLength));
        String clientId = stored.envelope(i).routingKey().toString();
        wait(clientId, new Will(key, message, qos, retain, expirySeconds, 0), dueMillis);
    }
}
