package org.entrepot.testkit.storage;

import org.entrepot.spi.message.Annotations;
import org.entrepot.spi.message.Bytes;
import org.entrepot.spi.message.Envelope;
import org.entrepot.spi.message.Message;

/** One thing that was done to a durable log. Immutable. */
sealed interface Step {

    /** The log that it was done to. */
    long log();

    /** An entry was appended. */
    record Entry(
            long log,
            long position,
            long stamp,
            Message message,
            Envelope envelope,
            Annotations annotations,
            boolean durable)
            implements Step {
        @Override
        public String toString() {
            return (durable ? "entry " : "transient entry ") + position + " of log " + log;
        }
    }

    /** A fact was appended. */
    record Fact(long log, Bytes bytes) implements Step {
        @Override
        public String toString() {
            return "a fact of log " + log;
        }
    }

    /** A checkpoint was kept. */
    record Checkpoint(long log, Bytes state) implements Step {
        @Override
        public String toString() {
            return "a checkpoint of log " + log;
        }
    }

    /** Positions, both included, were released. */
    record Release(long log, long from, long to) implements Step {
        @Override
        public String toString() {
            return "the release of " + from + " to " + to + " of log " + log;
        }
    }

    /** The log was deleted. */
    record Deletion(long log) implements Step {
        @Override
        public String toString() {
            return "the deletion of log " + log;
        }
    }
}
