package org.entrepot.core.boot;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;
import org.entrepot.core.admin.StatusReport;
import org.junit.jupiter.api.Test;

class ReadyLineTest {
    @Test
    void theLineTellsVersionTimeListenersAndWhatAConfirmIsWorth() {
        assertThat(line(
                        417,
                        List.of(
                                new StatusReport.Listener("amqp", "*:5672", false),
                                new StatusReport.Listener("amqp.tls", "[::1]:5671", true))))
                .isEqualTo("Entrepot 1.2.3 ready in 0.42 s: amqp on *:5672, amqp.tls on [::1]:5671; storage memory"
                        + " (confirms mean memory)");
    }

    @Test
    void aBrokerWithoutListenersSaysSo() {
        assertThat(line(12_053, List.of()))
                .isEqualTo("Entrepot 1.2.3 ready in 12.05 s: no listeners; storage memory (confirms mean memory)");
    }

    private static String line(long millis, List<StatusReport.Listener> listeners) {
        return ReadyLine.of(new StatusReport(
                "Entrepot",
                "1.2.3",
                "node",
                1,
                Instant.EPOCH,
                millis,
                "memory",
                "memory",
                listeners,
                0,
                List.of(),
                List.of(),
                new StatusReport.Memory(0, 0, 0, 0)));
    }
}
