package org.entrepot.core.routing;

import java.nio.charset.StandardCharsets;
import org.entrepot.spi.message.RoutingKey;

/**
 * The hash that exchanges pick bindings by: the same on every machine and in every version, because what it picks must
 * not change with an upgrade. FNV-1a over the bytes, then mixed so that every bit of the result depends on every byte.
 */
final class Hash {
    private static final long OFFSET = 0xcbf29ce484222325L;
    private static final long PRIME = 0x100000001b3L;

    private Hash() {}

    static long of(RoutingKey key) {
        long hash = OFFSET;
        for (int i = 0; i < key.length(); i++) {
            hash = (hash ^ (key.at(i) & 0xff)) * PRIME;
        }
        return mix(hash);
    }

    static long of(byte[] bytes) {
        long hash = OFFSET;
        for (byte b : bytes) {
            hash = (hash ^ (b & 0xff)) * PRIME;
        }
        return mix(hash);
    }

    static long of(String text) {
        return of(text.getBytes(StandardCharsets.UTF_8));
    }

    /** A one-to-one map of longs in which each bit of the argument changes about half the bits of the result. */
    static long mix(long value) {
        long mixed = (value ^ (value >>> 30)) * 0xbf58476d1ce4e5b9L;
        mixed = (mixed ^ (mixed >>> 27)) * 0x94d049bb133111ebL;
        return mixed ^ (mixed >>> 31);
    }
}
