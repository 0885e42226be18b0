package org.entrepot.storage.file;

import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.entrepot.spi.BrokerPlugin;
import org.entrepot.spi.ConfigurationKey;
import org.entrepot.spi.ConfigurationKey.Kind;
import org.entrepot.spi.PluginContext;
import org.entrepot.spi.Settings;
import org.entrepot.spi.storage.StorageEngine;
import org.entrepot.spi.storage.StoreInspector;
import org.jspecify.annotations.Nullable;

/** Adds the storage engine {@code file}. */
public final class FileStoragePlugin implements BrokerPlugin {
    private static final String DIRECTORY = "storage-file.directory";
    private static final String SYNC = "storage-file.sync";
    private static final String SYNC_INTERVAL = "storage-file.sync-interval";
    private static final String SYNC_DELAY = "storage-file.sync-delay-micros";
    private static final String SEGMENT_SIZE = "storage-file.segment-size";
    private static final String JOURNAL_SIZE = "storage-file.journal-size";
    private static final String MOVE_RATE = "storage-file.move-rate";

    /** Where the store is in the plugin's data directory. */
    static final String STORE = "store";

    private static final String KNOWN_STORE = "store-elsewhere";

    private static final String ALWAYS = "always";
    private static final String INTERVAL = "interval";
    private static final String OS = "os";

    private static final long MIB = 1L << 20;

    private @Nullable PluginContext context;

    @Override
    public List<ConfigurationKey> configuration() {
        return List.of(
                ConfigurationKey.optional(
                        DIRECTORY,
                        Kind.PATH,
                        "Where the store is. Unset means in the data directory. A disk of its own makes confirms faster."),
                ConfigurationKey.choice(
                        SYNC,
                        ALWAYS,
                        List.of(ALWAYS, INTERVAL, OS),
                        "When a message is confirmed: always means once it is on the disk and survives a power cut;"
                                + " interval and os mean once the operating system has it, which survives the end of the"
                                + " process only. With interval the disk follows so often, with os when the system likes."),
                ConfigurationKey.duration(SYNC_INTERVAL, "200 ms", "Time between syncs where they go by interval.")
                        .between(1, 60_000),
                ConfigurationKey.number(
                                SYNC_DELAY, 0, "For measurements: microseconds by which every sync takes longer.")
                        .between(0, 10_000_000),
                ConfigurationKey.size(
                                SEGMENT_SIZE,
                                "64 MiB",
                                "Size of the journal's files. One more is always kept ready, and one in reserve for the"
                                        + " day the disk is full.")
                        .between(32 * MIB, 1024 * MIB),
                ConfigurationKey.size(
                                JOURNAL_SIZE,
                                "256 MiB",
                                "Size of the journal beyond which the oldest messages are moved to tables. A start reads"
                                        + " the whole journal.")
                        .between(64 * MIB, 1024 * 1024 * MIB),
                ConfigurationKey.size(
                                MOVE_RATE,
                                "128 MiB",
                                "How much is moved to tables a second, at most; a disk that is shared may want less.")
                        .between(1 * MIB, 1024 * 1024 * MIB));
    }

    @Override
    public void start(PluginContext given) {
        context = given;
    }

    @Override
    public Optional<StorageEngine> storageEngine() {
        PluginContext given = Objects.requireNonNull(context);
        Settings settings = given.settings();
        Optional<Path> elsewhere = settings.path(DIRECTORY);
        return Optional.of(new FileStorage(
                () -> NioDisk.open(
                        elsewhere.orElseGet(() -> given.dataDirectory().resolve(STORE))),
                (disk, newStore) -> elsewhere.isPresent()
                        ? new KnownStore(given.dataDirectory().resolve(KNOWN_STORE)).of(disk, newStore)
                        : StoreIdentity.of(disk, newStore),
                new FileSettings(
                        syncOf(settings.choice(SYNC)),
                        settings.duration(SYNC_INTERVAL).toMillis(),
                        settings.number(SYNC_DELAY),
                        Math.toIntExact(settings.size(SEGMENT_SIZE)),
                        settings.size(JOURNAL_SIZE),
                        settings.size(MOVE_RATE)),
                new StoreMeters(given.meters())));
    }

    @Override
    public Optional<StoreInspector> storeInspector() {
        return Optional.of(new FileStoreInspector());
    }

    private static FileSettings.Sync syncOf(String chosen) {
        return switch (chosen) {
            case ALWAYS -> FileSettings.Sync.ALWAYS;
            case INTERVAL -> FileSettings.Sync.INTERVAL;
            case OS -> FileSettings.Sync.OS;
            default -> throw new IllegalArgumentException(SYNC + " cannot be " + chosen);
        };
    }
}
