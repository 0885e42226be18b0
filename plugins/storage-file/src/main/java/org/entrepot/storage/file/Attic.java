package org.entrepot.storage.file;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;

/** The folder in a store in which a repair keeps what it takes out; made when there is something. Used by one thread. */
final class Attic {
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss").withZone(ZoneOffset.UTC);
    private static final String ACCOUNT = "what-was-done.txt";

    private final Path store;
    private final Path folder;

    /** An attic of a directory, named by the time. */
    Attic(Path store, Instant now) {
        this.store = store;
        String name = "repaired-" + TIME.format(now);
        Path free = store.resolve(name);
        for (int i = 2; Files.exists(free); i++) {
            free = store.resolve(name + "-" + i);
        }
        this.folder = free;
    }

    Path folder() {
        return folder;
    }

    /** Keeps a file that is about to be replaced: it stays where it is, too. */
    void keep(String name) throws IOException {
        Files.createDirectories(folder);
        try {
            Files.createLink(folder.resolve(name), store.resolve(name));
        } catch (IOException | UnsupportedOperationException withoutLinks) {
            Files.copy(store.resolve(name), folder.resolve(name), StandardCopyOption.COPY_ATTRIBUTES);
        }
    }

    /** Keeps a file that is not to be in the store any more. */
    void move(String name) throws IOException {
        Files.createDirectories(folder);
        Files.move(store.resolve(name), folder.resolve(name), StandardCopyOption.ATOMIC_MOVE);
    }

    /** Writes down what was done. */
    void account(List<String> lines) throws IOException {
        Files.createDirectories(folder);
        Files.write(folder.resolve(ACCOUNT), lines);
    }
}
