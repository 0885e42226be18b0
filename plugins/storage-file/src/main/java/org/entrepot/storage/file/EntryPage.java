package org.entrepot.storage.file;

import org.entrepot.spi.message.Annotations;
import org.entrepot.spi.message.Envelope;
import org.entrepot.spi.message.Message;
import org.jspecify.annotations.Nullable;

/**
 * Entries of a log by position, in columns: those in memory, and those of the journal, in memory or not. Part of a {@link
 * FileLog}.
 */
final class EntryPage {
    static final int BITS = 6;
    static final int ENTRIES = 1 << BITS;

    final @Nullable Message[] messages = new Message[ENTRIES];
    final @Nullable Envelope[] envelopes = new Envelope[ENTRIES];
    final long[] stamps = new long[ENTRIES];
    /** Where an entry's record is in the journal, or {@link Place#NOWHERE}. */
    final long[] places = new long[ENTRIES];
    /** The length of that record. */
    final int[] lengths = new int[ENTRIES];
    /** Most entries have none, so this column is made when one does. */
    @Nullable Annotations @Nullable [] annotations;
    /** Which entries are known here, as bits. */
    long known;
    /** Which of them last through a restart. */
    long lasting;

    static long number(long position) {
        return position >>> BITS;
    }

    static int slot(long position) {
        return (int) position & (ENTRIES - 1);
    }

    boolean knows(int slot) {
        return (known & 1L << slot) != 0;
    }

    boolean lasts(int slot) {
        return (lasting & 1L << slot) != 0;
    }

    void know(int slot, boolean lasts) {
        known |= 1L << slot;
        lasting = lasts ? lasting | 1L << slot : lasting & ~(1L << slot);
    }

    @SuppressWarnings("ReferenceEquality") // nearly all annotations are this one object
    void put(int slot, long stamp, Message message, Envelope envelope, Annotations added) {
        messages[slot] = message;
        envelopes[slot] = envelope;
        stamps[slot] = stamp;
        if (added != Annotations.NONE) {
            if (annotations == null) {
                annotations = new Annotations[ENTRIES];
            }
            annotations[slot] = added;
        }
    }

    Annotations annotationsOf(int slot) {
        Annotations kept = annotations == null ? null : annotations[slot];
        return kept == null ? Annotations.NONE : kept;
    }

    /** Forgets what is in memory of an entry. */
    void unload(int slot) {
        messages[slot] = null;
        envelopes[slot] = null;
        if (annotations != null) {
            annotations[slot] = null;
        }
    }

    void forget(int slot) {
        unload(slot);
        places[slot] = Place.NOWHERE;
        known &= ~(1L << slot);
        lasting &= ~(1L << slot);
    }
}
