package org.entrepot.core.session;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import org.entrepot.spi.intercept.BrokerListener.BrokerEvent;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether memory or disk are short. Any thread may call it.
 *
 * <p>Memory is checked whenever a connection has been read, since a fast publisher fills a heap within a second; that it
 * is enough again, and all about the disk, is seen by {@link #tick}.
 */
public final class Alarms {
    private static final Logger log = LoggerFactory.getLogger(Alarms.class);

    /** An alarm ends when this part of its limit is free again, so that it does not flicker. */
    private static final double CLEAR_AT = 0.9;

    private final LongSupplier residentBytes;
    private final long residentBytesMax;
    private final LongSupplier diskFreeBytes;
    private final long diskFreeBytesMin;
    private final Services services;
    private final Connections connections;
    private final AtomicBoolean lowOnMemory = new AtomicBoolean();
    private final AtomicBoolean lowOnDisk = new AtomicBoolean();

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

    private void changed(String name, boolean raised) {
        connections.alarm(reason());
        services.tell(
                raised ? new BrokerEvent.AlarmRaised(name, "low on " + name) : new BrokerEvent.AlarmCleared(name));
    }

    private @Nullable String reason() {
        List<String> active = active();
        return active.isEmpty() ? null : "low on " + String.join(" & ", active);
    }

    /** The alarms that are on: "memory", "disk". */
    public List<String> active() {
        List<String> active = new ArrayList<>(2);
        if (lowOnMemory.get()) {
            active.add("memory");
        }
        if (lowOnDisk.get()) {
            active.add("disk");
        }
        return active;
    }
}
