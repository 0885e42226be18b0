package org.entrepot.core.listener;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.entrepot.spi.protocol.ConnectionFacts;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ComplaintLogTest {
    private final AtomicLong clock = new AtomicLong(Long.MAX_VALUE - 5);
    private final List<String> lines = new CopyOnWriteArrayList<>();
    private final ComplaintLog complaints = new ComplaintLog(clock::get, lines::add);

    private static InetSocketAddress address(int number, int port) {
        try {
            byte[] bytes = {10, (byte) (number >> 16), (byte) (number >> 8), (byte) number};
            return new InetSocketAddress(InetAddress.getByAddress(bytes), port);
        } catch (UnknownHostException e) {
            throw new AssertionError(e);
        }
    }

    private static ConnectionFacts client(int number, int port) {
        return new ConnectionFacts(
                address(number, port), address(number, port), address(0, 1), "echo", Optional.empty(), List.of());
    }

    private void passMinute() {
        clock.addAndGet(TimeUnit.MINUTES.toNanos(1));
        complaints.summarise();
    }

    @Test
    void theFirstComplaintIsWrittenAtOnceWithTheClientsAddress() {
        complaints.complain(client(1, 4711), "sent a frame that is too large");
        assertThat(lines).containsExactly("10.0.0.1:4711 on listener echo: sent a frame that is too large");
    }

    @Test
    void aProxyIsNamedToo() {
        complaints.complain(address(9, 1), address(1, 4711), "echo", "is odd", "");
        assertThat(lines).containsExactly("10.0.0.1:4711 behind 10.0.0.9:1 on listener echo: is odd");
    }

    @Test
    void repetitionsFromOneAddressAreCountedAndTheCountIsWrittenAfterAMinute() {
        for (int port = 1; port <= 42; port++) {
            complaints.complain(client(1, port), "is odd");
        }
        complaints.summarise();
        assertThat(lines).hasSize(1);
        passMinute();
        assertThat(lines).hasSize(2).last().isEqualTo("10.0.0.1: is odd: 41 more times within 60 s");
    }

    @Test
    void aFloodGoesOnAtOneLineAMinute() {
        for (int minute = 0; minute < 5; minute++) {
            complaints.complain(client(1, 1), "is odd");
            complaints.complain(client(1, 1), "is odd");
            passMinute();
        }
        assertThat(lines).hasSize(6);
    }

    @Test
    void aComplaintAfterAQuietMinuteIsWrittenAtOnceAgain() {
        complaints.complain(client(1, 1), "is odd");
        passMinute();
        complaints.complain(client(1, 2), "is odd");
        assertThat(lines).hasSize(2).last().isEqualTo("10.0.0.1:2 on listener echo: is odd");
    }

    @Test
    void otherReasonsAndOtherAddressesHaveLinesOfTheirOwn() {
        complaints.complain(client(1, 1), "is odd");
        complaints.complain(client(1, 1), "is loud");
        complaints.complain(client(2, 1), "is odd");
        assertThat(lines).hasSize(3);
    }

    @Test
    void theDetailIsOfTheFirstLineOnly() {
        complaints.complain(address(1, 1), address(1, 1), "echo", "is odd", "once");
        complaints.complain(address(1, 1), address(1, 1), "echo", "is odd", "twice");
        assertThat(lines).containsExactly("10.0.0.1:1 on listener echo: is odd (once)");
    }

    @Test
    void oneClientCannotUseUpTheLines() {
        for (int i = 0; i < 10_000; i++) {
            complaints.complain(client(1, 1), "is odd in way " + i);
        }
        assertThat(lines).hasSize(ComplaintLog.TALLIES_PER_SOURCE_MAX);
        complaints.complain(client(2, 1), "is odd");
        assertThat(lines).hasSize(ComplaintLog.TALLIES_PER_SOURCE_MAX + 1);
    }

    @Test
    void linesHaveALimitWhateverManyAddressesDo() {
        for (int i = 0; i < 10_000; i++) {
            complaints.complain(client(i, 1), "is odd");
        }
        assertThat(lines).hasSize(ComplaintLog.TALLIES_MAX);
        passMinute();
        assertThat(lines)
                .hasSize(ComplaintLog.TALLIES_MAX + 1)
                .last()
                .isEqualTo("complaints about clients that were not written, because there were too many: "
                        + (10_000 - ComplaintLog.TALLIES_MAX));
        lines.clear();
        complaints.complain(client(20_000, 1), "is odd");
        assertThat(lines).hasSize(1);
    }

    @Test
    void nothingCountedIsLostAtTheEnd() {
        for (int i = 0; i < 5; i++) {
            complaints.complain(client(1, 1), "is odd");
        }
        complaints.close();
        assertThat(lines).last().isEqualTo("10.0.0.1: is odd: 4 more times within 0 s");
    }

    @Test
    void whatClientsSayCannotForgeLines() {
        complaints.complain(client(1, 1), "named a queue \"x\r\n10.0.0.2:1 on listener echo: \u001b[2J\u202e\"");
        assertThat(lines)
                .containsExactly("10.0.0.1:1 on listener echo: named a queue \"x\\u000d\\u000a10.0.0.2:1 on listener"
                        + " echo: \\u001b[2J\\u202e\"");
    }

    @Test
    void complaintsOfSeveralThreadsAreAllCounted() throws Exception {
        int threads = 4;
        int each = 20_000;
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        for (int i = 0; i < threads; i++) {
            pool.execute(() -> {
                for (int n = 0; n < each; n++) {
                    complaints.complain(client(n % 10, 1), "is odd");
                    if (n % 1_000 == 0) {
                        complaints.summarise();
                    }
                }
            });
        }
        pool.shutdown();
        assertThat(pool.awaitTermination(30, TimeUnit.SECONDS)).isTrue();
        complaints.close();
        long counted = lines.stream()
                .filter(line -> line.endsWith(" within 0 s"))
                .mapToLong(line -> Long.parseLong(line.replaceAll(".*: (\\d+) more times.*", "$1")))
                .sum();
        assertThat(counted).isEqualTo((long) threads * each - 10);
    }
}
