package org.entrepot.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.entrepot.spi.BrokerException;
import org.entrepot.spi.ErrorKind;
import org.entrepot.spi.protocol.Claim;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Who has the right to a name, when several want it. */
@Timeout(60)
class ClaimTest {
    private static final long PATIENCE_SECONDS = 20;

    private final DirectClients clients = new DirectClients();
    private final List<DirectClient> connected = new ArrayList<>();
    private EmbeddedBroker broker;

    @BeforeEach
    void start() {
        broker = EmbeddedBroker.with("direct", clients).set("loops=2").start();
    }

    @AfterEach
    void stop() {
        connected.forEach(DirectClient::close);
        broker.close();
    }

    @Test
    void aNameThatNobodyHasIsGrantedAtOnceAndAgainAfterItsRelease() {
        DirectClient one = connect();
        CountDownLatch lost = new CountDownLatch(1);
        Claim claim = get(claim(one, "n", lost));
        one.call(() -> {
            claim.release();
            claim.release();
            return null;
        });

        get(claim(connect(), "n", new CountDownLatch(0)));

        assertThat(lost.getCount()).isOne();
    }

    @Test
    void theNewestWinsAsSoonAsTheHolderGivesUp() throws Exception {
        DirectClient one = connect();
        CountDownLatch lost = new CountDownLatch(1);
        Claim claim = get(claim(one, "n", lost));

        CompletableFuture<Claim> second = claim(connect(), "n", new CountDownLatch(1));
        assertThat(lost.await(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(second).isNotDone();
        one.call(() -> {
            claim.release();
            return null;
        });

        assertThat(get(second)).isNotNull();
    }

    @Test
    void aConnectionThatGoesGivesUpWhatItHas() {
        DirectClient one = connect();
        get(claim(one, "n", new CountDownLatch(1)));
        CompletableFuture<Claim> second = claim(connect(), "n", new CountDownLatch(1));

        one.close();

        assertThat(get(second)).isNotNull();
    }

    @Test
    void whoIsOvertakenWhileItWaitsGetsNothing() throws Exception {
        DirectClient one = connect();
        CountDownLatch lost = new CountDownLatch(1);
        Claim claim = get(claim(one, "n", lost));
        CompletableFuture<Claim> second = claim(connect(), "n", new CountDownLatch(1));
        CompletableFuture<Claim> third = claim(connect(), "n", new CountDownLatch(1));

        assertThatThrownBy(() -> get(second))
                .isInstanceOfSatisfying(
                        BrokerException.class,
                        refusal -> assertThat(refusal.kind()).isEqualTo(ErrorKind.CONFLICT));
        assertThat(lost.await(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(third).isNotDone();
        one.call(() -> {
            claim.release();
            return null;
        });

        assertThat(get(third)).isNotNull();
    }

    @Test
    void aHolderThatDoesNotGiveUpIsCut() {
        get(claim(connect(), "n", new CountDownLatch(1)));

        assertThat(get(claim(connect(), "n", new CountDownLatch(1)))).isNotNull();
    }

    @Test
    void namesOfOthersAreNotInTheWay() {
        get(claim(connect(), "a", new CountDownLatch(1)));

        assertThat(get(claim(connect(), "b", new CountDownLatch(1)))).isNotNull();
    }

    /** However the calls of many meet, at most one has the name at a time, and the last one gets it. */
    @Test
    void ofManyWhoWantANameOneHasItAtATime() {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        List<DirectClient> all = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            all.add(connect());
        }
        AtomicInteger holders = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        List<CompletableFuture<Void>> ends = new ArrayList<>();
        for (int i = 0; i < 400; i++) {
            ends.add(holdBriefly(all.get(random.nextInt(all.size())), holders, most));
        }
        CompletableFuture<Claim> last = claim(connect(), "n", new CountDownLatch(1));

        assertThat(get(last)).as("seed %d", seed).isNotNull();
        ends.forEach(end -> DirectClient.get(end));
        assertThat(most).as("seed %d", seed).hasValue(1);
        assertThat(holders).as("seed %d", seed).hasValue(0);
    }

    /** Claims and gives up when it has lost; the stage completes when it has had the name or is refused. */
    private static CompletableFuture<Void> holdBriefly(DirectClient client, AtomicInteger holders, AtomicInteger most) {
        CompletableFuture<Void> over = new CompletableFuture<>();
        client.call(() -> {
            CompletableFuture<Claim> mine = new CompletableFuture<>();
            return client.connection()
                    .claim(
                            "n",
                            () -> mine.thenAccept(claim -> {
                                holders.decrementAndGet();
                                claim.release();
                                over.complete(null);
                            }))
                    .whenComplete((claim, refusal) -> {
                        if (refusal == null) {
                            most.accumulateAndGet(holders.incrementAndGet(), Math::max);
                            mine.complete(claim);
                        } else {
                            over.complete(null);
                        }
                    });
        });
        return over;
    }

    private DirectClient connect() {
        DirectClient client = clients.connect(broker);
        connected.add(client);
        return client;
    }

    private static CompletableFuture<Claim> claim(DirectClient client, String name, CountDownLatch lost) {
        return client.call(
                () -> client.connection().claim(name, lost::countDown).toCompletableFuture());
    }

    private static Claim get(CompletableFuture<Claim> stage) {
        return DirectClient.get(stage);
    }
}
