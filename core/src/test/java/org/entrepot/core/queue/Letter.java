package org.entrepot.core.queue;

import org.entrepot.core.loop.Loop;
import org.entrepot.spi.message.Envelope;
import org.entrepot.spi.message.Message;

/** A dead letter of a simulation. */
record Letter(SimulatedQueue from, long position, Message message, Envelope envelope) {

    /** Waits for the queue that the letter was offered to. */
    record Receipts(Letter letter) implements Publisher {

        /** Whose loop hears of the receipt. */
        SimulatedQueue queue() {
            return letter.from;
        }

        @Override
        public void receipt(long number, boolean stored) {
            letter.from.deadLettered(letter, stored);
        }

        @Override
        public Loop loop() {
            throw new AssertionError("a simulation has no loops");
        }

        @Override
        public void hold() {
            throw new AssertionError("a machine holds nobody");
        }

        @Override
        public void resume() {
            throw new AssertionError("a machine holds nobody");
        }

        /** Each attempt has a receipt of its own. */
        @Override
        public boolean equals(Object other) {
            return this == other;
        }

        @Override
        public int hashCode() {
            return System.identityHashCode(this);
        }
    }
}
