package org.entrepot.core.session;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import org.entrepot.spi.message.RoutingKey;
import org.jspecify.annotations.Nullable;

/**
 * The addresses published to recently on one loop, by their bytes. Owned by that loop. Of a fixed size: an address that
 * falls on another's place takes it.
 */
final class AddressCache {
    private static final int SLOTS = 1 << 14;

    private final @Nullable PublishAddress[] slots = new PublishAddress[SLOTS];

    PublishAddress get(
            String virtualHost, ByteBuf buffer, int exchangeIndex, int exchangeLength, int keyIndex, int keyLength) {
        int hash =
                hash(hash(virtualHost.hashCode(), buffer, exchangeIndex, exchangeLength), buffer, keyIndex, keyLength);
        int slot = (hash ^ hash >>> 16) & (SLOTS - 1);
        PublishAddress address = slots[slot];
        if (address == null
                || !address.is(virtualHost, hash, buffer, exchangeIndex, exchangeLength, keyIndex, keyLength)) {
            address = new PublishAddress(
                    virtualHost,
                    buffer.toString(exchangeIndex, exchangeLength, StandardCharsets.UTF_8),
                    RoutingKey.copyOf(buffer, keyIndex, keyLength),
                    hash);
            slots[slot] = address;
        }
        return address;
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
