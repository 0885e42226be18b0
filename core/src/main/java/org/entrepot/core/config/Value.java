package org.entrepot.core.config;

import java.nio.file.Path;
import java.util.List;
import org.entrepot.spi.ConfigurationKey;

/** A checked value. Immutable. */
sealed interface Value {

    record Text(String text) implements Value {}

    record Items(List<String> items) implements Value {
        public Items {
            items = List.copyOf(items);
        }
    }

    /** A plain number, bytes or milliseconds. */
    record Quantity(long number) implements Value {}

    record Flag(boolean flag) implements Value {}

    record File(Path path) implements Value {}

    /** Characters nobody may see: not a record, so that none of its words are shown by accident. */
    final class Secret implements Value {
        private final String characters;

        Secret(String characters) {
            this.characters = characters;
        }

        char[] characters() {
            return characters.toCharArray();
        }

        @Override
        public String toString() {
            return "Secret[not shown]";
        }
    }

    /** Of a key that may stay unset. */
    record Unset() implements Value {}

    /**
     * A key's value with where it is from.
     *
     * @param written as it was written; of a secret only whether it is set
     */
    record Assigned(ConfigurationKey key, Value value, String written, Origin origin) {}
}
