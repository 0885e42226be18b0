package org.entrepot.core.config;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** A file that holds a secret: its text without the line break at its end. Errors name the file, never the text. */
final class SecretFile {
    private static final String PREFIX = "file:";
    private static final int BYTES_MAX = 64 << 10;

    private SecretFile() {}

    static boolean names(String written) {
        return written.startsWith(PREFIX);
    }

    static String nameIn(String written) {
        return written.substring(PREFIX.length()).strip();
    }

    static String read(Path file) throws Notation.Unfit {
        byte[] bytes;
        try (InputStream in = Files.newInputStream(file)) {
            bytes = in.readNBytes(BYTES_MAX + 1);
        } catch (IOException unreadable) {
            throw new Notation.Unfit("the file " + Notation.quoted(file.toString()) + " cannot be read ("
                    + unreadable.getClass().getSimpleName() + ")");
        }
        if (bytes.length > BYTES_MAX) {
            throw new Notation.Unfit("the file " + Notation.quoted(file.toString()) + " is longer than 64 KiB");
        }
        String text;
        try {
            text = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
        } catch (CharacterCodingException notText) {
            throw new Notation.Unfit("the file " + Notation.quoted(file.toString()) + " is not UTF-8 text");
        }
        return withoutLineEnd(text);
    }

    private static String withoutLineEnd(String text) {
        int end = text.length();
        if (end > 0 && text.charAt(end - 1) == '\n') {
            end--;
        }
        if (end > 0 && text.charAt(end - 1) == '\r') {
            end--;
        }
        return text.substring(0, end);
    }
}
