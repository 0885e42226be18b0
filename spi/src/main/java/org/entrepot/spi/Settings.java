package org.entrepot.spi;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Checked values of configuration keys. Immutable. Vendors only call it. Asking for a key that was not declared, or as
 * another kind than it was declared with, is a fault of the caller: {@link IllegalArgumentException}.
 */
public interface Settings {

    /** Whether the key has a value; only one declared without a default may have none. */
    boolean isSet(String key);

    String text(String key);

    Optional<String> optionalText(String key);

    List<String> list(String key);

    long number(String key);

    /** Bytes. */
    long size(String key);

    Duration duration(String key);

    boolean flag(String key);

    String choice(String key);

    Optional<Path> path(String key);

    /** A secret's characters; never log them. */
    Optional<char[]> secret(String key);
}
