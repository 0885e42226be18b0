package org.entrepot.core.admin;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class StatusTextTest {
    private static final StatusReport REPORT = new StatusReport(
            "Entrepot",
            "1.2.3",
            "node-1",
            4711,
            Instant.parse("2026-11-30T12:00:00Z"),
            93_784_000,
            "memory",
            "memory",
            List.of(
                    new StatusReport.Listener("amqp", "*:5672", false),
                    new StatusReport.Listener("amqp.tls", "[::1]:5671", true)),
            7,
            List.of(
                    new StatusReport.Queue("/", "orders", 12, 3, 2),
                    new StatusReport.Queue("/", "evil\u001b[2J\u202e", 0, 0, 0)),
            List.of(new StatusReport.Alarm("memory", "low on memory")),
            new StatusReport.Memory(10 << 20, 512 << 20, 1 << 20, 90 << 20));

    @Test
    void aReportIsWrittenForPeople() {
        assertThat(StatusText.of(REPORT)).isEqualTo("""
                Entrepot 1.2.3, node node-1, process 4711, up 1 d 2 h
                storage      memory (confirms mean memory)
                memory       heap 10 MiB of 512 MiB, direct 1 MiB, resident 90 MiB
                alarms
                  memory: low on memory
                listeners
                  amqp on *:5672
                  amqp.tls on [::1]:5671 (TLS)
                connections  7
                queues       2
                  virtual host  name              ready     unsettled  consumers
                  /             orders               12             3          2
                  /             evil?[2J?             0             0          0
                """);
    }

    @Test
    void aReportIsWrittenForPrograms() {
        assertThat(StatusJson.of(REPORT))
                .contains("\"process_id\" : 4711", "\"started_at\" : \"2026-11-30T12:00:00Z\"")
                .contains("\"name\" : \"evil\\u001B[2J")
                .contains("\"ready\" : 12", "\"unsettled\" : 3", "\"consumers\" : 2")
                .endsWith("}\n");
    }

    @Test
    void theMemoryOfThisProcessIsTold() {
        StatusReport.Memory memory = StatusReport.Memory.now();

        assertThat(memory.heapUsed()).isPositive().isLessThanOrEqualTo(memory.heapMax());
    }
}
