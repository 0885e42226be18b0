package org.entrepot.distribution;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A ledger notices everything that a broker must not do. */
class ConfirmLedgerTest {
    private static final int BOTH = 0b11;

    private final ConfirmLedger ledger = new ConfirmLedger(42, 2);
    private LedgerBody message;

    @BeforeEach
    void publish() {
        for (int i = 0; i < 10_000; i++) {
            ledger.published(0, 1);
        }
        message = ledger.published(1, BOTH);
    }

    @Test
    void whatWasConfirmedAndIsThereIsGood() {
        ledger.confirmed(message);
        ledger.found(0, body());
        ledger.found(1, body());
        assertThat(ledger.result().good()).isTrue();
        assertThat(ledger.result().confirmed()).isEqualTo(1);
    }

    @Test
    void whatWasNotConfirmedMayBeThereOrNot() {
        ledger.found(1, body());
        assertThat(ledger.result().good()).isTrue();
    }

    @Test
    void whatWasConfirmedAndIsMissingInOneQueueIsLost() {
        ledger.confirmed(message);
        ledger.found(0, body());
        ConfirmLedger.Result result = ledger.result();
        assertThat(result.lost()).isEqualTo(1);
        assertThat(result.good()).isFalse();
        assertThat(result.examples()).singleElement().asString().contains("number=0", "queues of bits 10");
    }

    @Test
    void whatWasSettledMayBeMissingOrComeBack() {
        ledger.confirmed(message);
        ledger.delivered(0, body());
        ledger.settled(message, 0);
        ledger.settled(message, 1);
        ledger.found(1, body());
        assertThat(ledger.result().good()).isTrue();
    }

    @Test
    void whatWasSettledForSureMustNotComeBack() {
        ledger.confirmed(message);
        ledger.settled(message, 0);
        ledger.settledForSure(message, 0);
        ledger.found(1, body());
        assertThat(ledger.result().good()).isTrue();
        ledger.delivered(0, body());
        assertThat(ledger.result().back()).isEqualTo(1);
    }

    @Test
    void whatNobodyPublishedIsAPhantom() {
        byte[] damaged = body();
        damaged[20] ^= 1;
        assertThatThrownBy(() -> ledger.delivered(0, damaged)).hasMessageContaining("wrong checksum");
        assertThatThrownBy(() -> ledger.delivered(0, new byte[3])).hasMessageContaining("3 bytes");
        assertThatThrownBy(() -> ledger.delivered(2, body())).hasMessageContaining("number=0");
        ledger.found(0, new LedgerBody(41, 1, 0).encoded(5));
        ledger.found(0, new LedgerBody(42, 1, 1).encoded(5));
        ledger.found(0, new LedgerBody(42, 2, 0).encoded(5));
        assertThat(ledger.result().phantoms()).isEqualTo(6);
    }

    @Test
    void whatIsThereTwiceIsAPhantom() {
        ledger.found(0, body());
        ledger.found(0, body());
        assertThat(ledger.result().phantoms()).isEqualTo(1);
    }

    @Test
    void aMissingQueueIsNoticed() {
        ledger.queueGone(1);
        assertThat(ledger.result().good()).isFalse();
    }

    @Test
    void waitsForConfirmsForAWhile() throws InterruptedException {
        assertThat(ledger.awaitConfirmed(1, 1)).isFalse();
        ledger.confirmed(message);
        assertThat(ledger.awaitConfirmed(1, 1)).isTrue();
    }

    private byte[] body() {
        return message.encoded(30);
    }
}
