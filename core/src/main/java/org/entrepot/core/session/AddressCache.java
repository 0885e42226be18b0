package org.entrepot.core.session;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import org.entrepot.spi.message.RoutingKey;
import org.jspecify.annotations.Nullable;

/**
 * The addresses published to recently on one loop, by their bytes. Owned by that loop. Of a fixed size: each address has
 * a few places that it may take, and where they are taken it drives another away.
 */
final class AddressCache {
    /** Places of one address. With fewer, some of a few thousand addresses in use would drive each other away for ever. */
    private static final int WAYS = 4;

    private static final int SLOTS = 1 << 14;

    /** Of what is in the slots, in an array of their own: a look at an address that is not it would cost a cache miss. */
    private final int[] hashes = new int[SLOTS];

    private final @Nullable PublishAddress[] slots = new PublishAddress[SLOTS];
    private int nextVictim;

    PublishAddress get(
            String virtualHost, ByteBuf buffer, int exchangeIndex, int exchangeLength, int keyIndex, int keyLength) {
        int hash =
                hash(hash(virtualHost.hashCode(), buffer, exchangeIndex, exchangeLength), buffer, keyIndex, keyLength);
        int first = (hash ^ hash >>> 16) & (SLOTS - WAYS);
        for (int slot = first; slot < first + WAYS; slot++) {
            PublishAddress address = hashes[slot] == hash ? slots[slot] : null;
            if (address != null
                    && address.is(virtualHost, buffer, exchangeIndex, exchangeLength, keyIndex, keyLength)) {
                return address;
            }
        }
        PublishAddress address = new PublishAddress(
                virtualHost,
                buffer.toString(exchangeIndex, exchangeLength, StandardCharsets.UTF_8),
                RoutingKey.copyOf(buffer, keyIndex, keyLength));
        int slot = slotFor(first);
        hashes[slot] = hash;
        slots[slot] = address;
        return address;
    }

    private int slotFor(int first) {
        for (int slot = first; slot < first + WAYS; slot++) {
            if (slots[slot] == null) {
                return slot;
            }
        }
        return first + (nextVictim++ & (WAYS - 1));
    }

    private static int hash(int seed, ByteBuf buffer, int index, int length) {
        int hash = seed;
        int i = index;
        int end = index + length;
        for (; i + Long.BYTES <= end; i += Long.BYTES) {
            long word = buffer.getLong(i) * 0x9E3779B97F4A7C15L;
            hash = hash * 31 + (int) (word ^ word >>> 32);
        }
        for (; i < end; i++) {
            hash = hash * 31 + buffer.getByte(i);
        }
        return hash * 31 + length;
    }
}
