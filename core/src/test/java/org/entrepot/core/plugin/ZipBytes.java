package org.entrepot.core.plugin;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/** Zip files that nobody should make. */
final class ZipBytes {
    private static final int ENTRY_SIGNATURE = 0x02014b50;

    private ZipBytes() {}

    /** A zip of entries given as name, text, name, text and so on; a name that ends in a slash is a folder. */
    static byte[] of(String... namesAndTexts) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ZipOutputStream out = new ZipOutputStream(bytes)) {
            for (int i = 0; i < namesAndTexts.length; i += 2) {
                out.putNextEntry(new ZipEntry(namesAndTexts[i]));
                out.write(namesAndTexts[i + 1].getBytes(StandardCharsets.UTF_8));
            }
        }
        return bytes.toByteArray();
    }

    /** A zip of one entry of so many zero bytes. */
    static byte[] ofZeros(String name, int count) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ZipOutputStream out = new ZipOutputStream(bytes)) {
            out.putNextEntry(new ZipEntry(name));
            out.write(new byte[count]);
        }
        return bytes.toByteArray();
    }

    /** The same zip, its first entry being of a Unix kind such as 0xA000, a symbolic link. */
    static byte[] withUnixKind(byte[] zip, int kind) {
        ByteBuffer buffer = ByteBuffer.wrap(zip.clone()).order(ByteOrder.LITTLE_ENDIAN);
        int at = table(buffer);
        buffer.put(at + 5, (byte) 3);
        buffer.putInt(at + 38, (kind | 0777) << 16);
        return buffer.array();
    }

    /** The same zip, with the flag of its first entry set that says it is encrypted. */
    static byte[] encrypted(byte[] zip) {
        ByteBuffer buffer = ByteBuffer.wrap(zip.clone()).order(ByteOrder.LITTLE_ENDIAN);
        int at = table(buffer);
        buffer.putShort(at + 8, (short) (buffer.getShort(at + 8) | 1));
        return buffer.array();
    }

    private static int table(ByteBuffer buffer) {
        int at = 0;
        while (buffer.getInt(at) != ENTRY_SIGNATURE) {
            at++;
        }
        return at;
    }
}
