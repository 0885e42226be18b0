package org.entrepot.core.config;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * What a broker is configured from, as text, nothing of it judged. Immutable.
 *
 * @param fileName what errors call the file
 * @param lines of the file; none where there is no file
 * @param environment all variables; those that begin with {@code ENTREPOT_} matter
 * @param overrides {@code KEY=VALUE} of the command line; of equal keys the last one counts
 * @param home what relative paths are relative to: where the broker is installed
 * @param workingDirectory the same for paths on the command line
 */
public record ConfigurationSources(
        String fileName,
        List<String> lines,
        Map<String, String> environment,
        List<String> overrides,
        Path home,
        Path workingDirectory) {
    private static final int FILE_BYTES_MAX = 1 << 20;
    private static final String BYTE_ORDER_MARK = "\ufeff";

    public ConfigurationSources {
        lines = List.copyOf(lines);
        environment = Map.copyOf(environment);
        overrides = List.copyOf(overrides);
    }

    /** Nothing but defaults. */
    public static ConfigurationSources none(Path home) {
        return new ConfigurationSources("entrepot.conf", List.of(), Map.of(), List.of(), home, home);
    }

    /** The same with the lines of a file. */
    public ConfigurationSources withFile(Path file) throws ConfigurationException {
        return withLines(String.valueOf(file.getFileName()), read(file));
    }

    /** The same with these lines. */
    public ConfigurationSources withLines(String name, List<String> text) {
        return new ConfigurationSources(name, text, environment, overrides, home, workingDirectory);
    }

    /** The same with these variables. */
    public ConfigurationSources withEnvironment(Map<String, String> variables) {
        return new ConfigurationSources(fileName, lines, variables, overrides, home, workingDirectory);
    }

    /** The same with {@code KEY=VALUE}s of a command line typed in {@code directory}. */
    public ConfigurationSources withOverrides(List<String> assignments, Path directory) {
        return new ConfigurationSources(fileName, lines, environment, assignments, home, directory);
    }

    private static List<String> read(Path file) throws ConfigurationException {
        byte[] bytes;
        try (InputStream in = Files.newInputStream(file)) {
            bytes = in.readNBytes(FILE_BYTES_MAX + 1);
        } catch (IOException unreadable) {
            throw problem(file, "cannot be read (" + unreadable.getClass().getSimpleName() + ")");
        }
        if (bytes.length > FILE_BYTES_MAX) {
            throw problem(file, "is longer than 1 MiB: this is no configuration file");
        }
        try {
            String text = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
            return (text.startsWith(BYTE_ORDER_MARK) ? text.substring(1) : text)
                    .lines()
                    .toList();
        } catch (CharacterCodingException notText) {
            throw problem(file, "is not UTF-8 text");
        }
    }

    private static ConfigurationException problem(Path file, String what) {
        return new ConfigurationException(List.of(new ConfigurationException.Problem(file.toString(), what)));
    }
}
