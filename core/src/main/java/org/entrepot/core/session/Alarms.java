package org.entrepot.core.session;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import org.entrepot.spi.intercept.BrokerListener.BrokerEvent;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether memory, disk or the storage engine let nobody publish, and what else an operator must know. Any thread may call
 * it.
 *
 * <p>Memory is checked whenever a connection has been read, since a fast publisher fills a heap within a second; that it
 * is enough again, and all about the disk, is seen by {@link #tick}.
 */
public final class Alarms {
    private static final Logger log = LoggerFactory.getLogger(Alarms.class);

    /** An alarm ends when this part of its limit is free again, so that it does not flicker. */
    private static final double CLEAR_AT = 0.9;

    private static final String STORAGE = "storage";

    private final LongSupplier residentBytes;
    private final long residentBytesMax;
    private final LongSupplier diskFreeBytes;
    private final long diskFreeBytesMin;
    private final Services services;
    private final Connections connections;
    private final AtomicBoolean lowOnMemory = new AtomicBoolean();
    private final AtomicBoolean lowOnDisk = new AtomicBoolean();
    private final CopyOnWriteArrayList<Alarm> notes = new CopyOnWriteArrayList<>();
    private volatile @Nullable String storageFull;
    private volatile @Nullable String storageFailed;

    /**
     * Something an operator must know. Immutable.
     *
     * @param name what it is about: "memory", "disk" or "storage"
     */
    public record Alarm(String name, String reason) {}

    /**
     * @param residentBytes bytes that messages take now
     * @param residentBytesMax and may take
     * @param diskFreeBytes bytes free where data is kept
     * @param diskFreeBytesMin and must be
     */
    public Alarms(
            LongSupplier residentBytes,
            long residentBytesMax,
            LongSupplier diskFreeBytes,
            long diskFreeBytesMin,
            Services services,
            Connections connections) {
        this.residentBytes = residentBytes;
        this.residentBytesMax = residentBytesMax;
        this.diskFreeBytes = diskFreeBytes;
        this.diskFreeBytesMin = diskFreeBytesMin;
        this.services = services;
        this.connections = connections;
    }

    /** Raises the memory alarm when it is time to; costs a few reads. */
    void checkMemory() {
        if (residentBytes.getAsLong() > residentBytesMax && lowOnMemory.compareAndSet(false, true)) {
            log.warn(
                    "Memory alarm: messages take more than {} MiB. Publishers are held back until consumers have made room.",
                    residentBytesMax >> 20);
            changed("memory", true);
        }
    }

    /** Looks at everything; called about once a second. */
    public void tick() {
        checkMemory();
        if (residentBytes.getAsLong() < residentBytesMax * CLEAR_AT && lowOnMemory.compareAndSet(true, false)) {
            log.info("Memory alarm is over.");
            changed("memory", false);
        }
        long free = diskFreeBytes.getAsLong();
        if (free < diskFreeBytesMin && lowOnDisk.compareAndSet(false, true)) {
            log.warn(
                    "Disk alarm: {} MiB free, {} MiB must be. Publishers are held back until there is room.",
                    free >> 20,
                    diskFreeBytesMin >> 20);
            changed("disk", true);
        } else if (free >= diskFreeBytesMin && lowOnDisk.compareAndSet(true, false)) {
            log.info("Disk alarm is over.");
            changed("disk", false);
        }
    }

    // Storage.

    /** The storage engine has no room. */
    void storageIsFull(String reason) {
        log.warn("Storage alarm: {}. Publishers are held back until there is room.", reason);
        storageFull = reason;
        raised(new Alarm(STORAGE, reason));
    }

    void storageHasRoom() {
        log.info("Storage alarm is over.");
        storageFull = null;
        changed("storage", false);
    }

    /** The storage engine promises nothing any more. */
    void storageHasFailed(String reason) {
        log.error(
                "Storage has failed: {}. Nothing is confirmed any more and publishers are held back until the broker is"
                        + " started again; consumers are served.",
                reason);
        storageFailed = reason;
        raised(new Alarm(STORAGE, "has failed: " + reason));
    }

    /** Something about the storage that stays so, and holds nobody back. */
    void note(String text) {
        Alarm note = new Alarm(STORAGE, text);
        if (!notes.addIfAbsent(note)) {
            return;
        }
        log.error("Storage: {}", text);
        services.tell(new BrokerEvent.AlarmRaised(note.name(), note.reason()));
    }

    private void changed(String name, boolean raised) {
        if (raised) {
            raised(new Alarm(name, "low on " + name));
        } else {
            holdBack();
            services.tell(new BrokerEvent.AlarmCleared(name));
        }
    }

    private void raised(Alarm alarm) {
        holdBack();
        services.tell(new BrokerEvent.AlarmRaised(alarm.name(), alarm.reason()));
    }

    /** One at a time, so that what is said last is what is so. */
    private synchronized void holdBack() {
        connections.alarm(reason());
    }

    /** What clients are told, in RabbitMQ's words where it has some. */
    private @Nullable String reason() {
        if (storageFailed != null) {
            return "storage has failed";
        }
        List<String> low = new ArrayList<>(3);
        if (lowOnMemory.get()) {
            low.add("memory");
        }
        if (lowOnDisk.get()) {
            low.add("disk");
        }
        if (storageFull != null) {
            low.add(STORAGE);
        }
        return low.isEmpty() ? null : "low on " + String.join(" & ", low);
    }

    /** The alarms that are on. */
    public List<Alarm> active() {
        List<Alarm> active = new ArrayList<>(2);
        if (lowOnMemory.get()) {
            active.add(new Alarm("memory", "low on memory"));
        }
        if (lowOnDisk.get()) {
            active.add(new Alarm("disk", "low on disk"));
        }
        String full = storageFull;
        if (full != null) {
            active.add(new Alarm(STORAGE, full));
        }
        String failed = storageFailed;
        if (failed != null) {
            active.add(new Alarm(STORAGE, "has failed: " + failed));
        }
        active.addAll(notes);
        return active;
    }
}
