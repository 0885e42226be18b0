package org.entrepot.core.listener;

import java.io.ByteArrayOutputStream;
import java.util.Arrays;

/**
 * Wraps the older encodings of private keys in PKCS #8's PrivateKeyInfo (RFC 5208), the only one that the JDK reads.
 * Stateless.
 */
final class PrivateKeyInfo {
    private static final int INTEGER = 0x02;
    private static final int OCTET_STRING = 0x04;
    private static final int NULL = 0x05;
    private static final int OBJECT_ID = 0x06;
    private static final int SEQUENCE = 0x30;
    private static final int PARAMETERS = 0xa0;

    private static final byte[] VERSION = element(INTEGER, new byte[] {0});

    /** 1.2.840.113549.1.1.1. */
    private static final byte[] RSA_ENCRYPTION =
            element(OBJECT_ID, bytes(0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01));

    /** 1.2.840.10045.2.1. */
    private static final byte[] EC_PUBLIC_KEY = element(OBJECT_ID, bytes(0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01));

    private PrivateKeyInfo() {}

    /** From an RSAPrivateKey of RFC 8017. */
    static byte[] ofRsa(byte[] key) {
        return element(SEQUENCE, VERSION, element(SEQUENCE, RSA_ENCRYPTION, element(NULL)), element(OCTET_STRING, key));
    }

    /**
     * From an ECPrivateKey of RFC 5915, which must name its curve.
     *
     * @throws IllegalArgumentException when it is not one
     */
    static byte[] ofEc(byte[] key) {
        Reader fields = new Reader(key, 0, key.length).enter(SEQUENCE);
        fields.enter(INTEGER);
        fields.enter(OCTET_STRING);
        byte[] curve = fields.enter(PARAMETERS).rest();
        return element(SEQUENCE, VERSION, element(SEQUENCE, EC_PUBLIC_KEY, curve), element(OCTET_STRING, key));
    }

    private static byte[] element(int tag, byte[]... contents) {
        int length = 0;
        for (byte[] content : contents) {
            length += content.length;
        }
        ByteArrayOutputStream out = new ByteArrayOutputStream(length + 5);
        out.write(tag);
        if (length < 0x80) {
            out.write(length);
        } else if (length < 0x100) {
            out.write(0x81);
            out.write(length);
        } else if (length < 0x10000) {
            out.write(0x82);
            out.write(length >> 8);
            out.write(length);
        } else {
            throw new IllegalArgumentException("a key of " + length + " bytes");
        }
        for (byte[] content : contents) {
            out.writeBytes(content);
        }
        return out.toByteArray();
    }

    private static byte[] bytes(int... values) {
        byte[] bytes = new byte[values.length];
        for (int i = 0; i < values.length; i++) {
            bytes[i] = (byte) values[i];
        }
        return bytes;
    }

    /** Reads DER elements one after the other. Used by one thread. */
    private static final class Reader {
        private final byte[] der;
        private int at;
        private final int end;

        Reader(byte[] der, int at, int end) {
            this.der = der;
            this.at = at;
            this.end = end;
        }

        /** Passes the next element, which must have the tag; returns a reader of what is in it. */
        Reader enter(int tag) {
            if (next() != tag) {
                throw new IllegalArgumentException("the key is not encoded as its heading says");
            }
            int length = next();
            if (length >= 0x80) {
                int count = length & 0x7f;
                length = 0;
                if (count > 2) {
                    throw new IllegalArgumentException("the key is not encoded as its heading says");
                }
                for (int i = 0; i < count; i++) {
                    length = length << 8 | next();
                }
            }
            if (length > end - at) {
                throw new IllegalArgumentException("the key is cut off");
            }
            Reader content = new Reader(der, at, at + length);
            at += length;
            return content;
        }

        byte[] rest() {
            return Arrays.copyOfRange(der, at, end);
        }

        private int next() {
            if (at >= end) {
                throw new IllegalArgumentException("the key is cut off");
            }
            return der[at++] & 0xff;
        }
    }
}
