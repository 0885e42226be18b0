package org.entrepot.testkit.storage;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.entrepot.spi.message.Annotations;
import org.entrepot.spi.message.Bytes;
import org.entrepot.spi.message.Death;
import org.entrepot.spi.message.DeathReason;
import org.entrepot.spi.message.Envelope;
import org.entrepot.spi.message.Message;
import org.entrepot.spi.message.RoutingKey;
import org.entrepot.spi.storage.LogTransaction;
import org.entrepot.spi.storage.StorageContext;
import org.entrepot.spi.storage.StorageEngine;
import org.entrepot.spi.storage.StorageException;
import org.entrepot.spi.storage.StorageListener;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * What every {@link StorageEngine} and its logs promise, as tests. Extend it and say how the engine is made; more tests of
 * your own may stand beside these.
 *
 * <p>Entries are read as the broker reads them: what is not in memory is loaded first.
 */
@Timeout(120)
public abstract class StorageContract {
    private static final Envelope ENVELOPE = Envelope.of("exchange", RoutingKey.of("a.key"), true);

    private @Nullable StorageEngine engine;

    /** The engine to be tested, with nothing in it; it may keep files in the directory. */
    protected abstract StorageEngine open(Path directory);

    private final Complaints complaints = new Complaints();

    @BeforeEach
    public final void openEngine(@TempDir Path directory) throws StorageException {
        StorageEngine opened = open(directory);
        opened.start(new StorageContext(Map.of(PlainFormat.INSTANCE.name(), PlainFormat.INSTANCE), complaints));
        engine = opened;
    }

    @AfterEach
    public final void closeEngine() {
        engine().close();
        assertThat(complaints.heard).isEmpty();
    }

    /** What an engine has to complain of; any thread may call. */
    private static final class Complaints implements StorageListener {
        private final List<String> heard = new CopyOnWriteArrayList<>();

        @Override
        public void full(String reason) {
            heard.add("full: " + reason);
        }

        @Override
        public void hasRoom() {
            heard.add("has room");
        }

        @Override
        public void failed(String reason) {
            heard.add("failed: " + reason);
        }

        @Override
        public void checkpointWanted(long log) {
            // A wish, not a complaint; it may wait.
        }

        @Override
        public void alarm(String text) {
            heard.add("alarm: " + text);
        }
    }

    private StorageEngine engine() {
        return Objects.requireNonNull(engine);
    }

    // The engine.

    @Test
    public void theEngineHasAShortNameAndSaysHowSafeItIs() {
        assertThat(engine().name()).matches("[a-z][a-z0-9-]{0,30}");
        assertThat(engine().durability()).isNotNull();
    }

    @Test
    public void aLogThatNobodyHasOpenedBeforeIsEmpty() {
        try (ContractLog log = openLog(1, true)) {
            assertThat(log.residentBytes()).isZero();
            assertThat(log.append(0, 1_000, message("first", 10), ENVELOPE, Annotations.NONE, true))
                    .isEqualTo(1);
        }
    }

    @Test
    public void forgettingALogThatIsNotThereIsFine() {
        engine().delete(4_711);
    }

    @Test
    public void aForgottenLogIsEmptyWhenItIsOpenedAgain() {
        try (ContractLog log = openLog(1, true)) {
            log.awaitDurable(log.append(0, 1_000, message("before", 100), ENVELOPE, Annotations.NONE, true));
        }
        engine().delete(1);
        try (ContractLog log = openLog(1, true)) {
            assertThat(log.residentBytes()).isZero();
            assertThat(log.append(0, 2_000, message("after", 10), ENVELOPE, Annotations.NONE, true))
                    .isEqualTo(1);
            assertThat(log.stamp(0)).isEqualTo(2_000);
        }
    }

    @Test
    public void logsDoNotMix() {
        try (ContractLog first = openLog(1, true);
                ContractLog second = openLog(2, false)) {
            Message one = message("one", 100);
            Message two = message("two", 200);
            first.append(0, 1_000, one, ENVELOPE, Annotations.NONE, true);
            second.append(0, 1_001, two, ENVELOPE, Annotations.NONE, true);
            first.release(0, 0);

            assertSame(second.message(0), two);
            assertThat(second.stamp(0)).isEqualTo(1_001);
            assertThat(first.residentBytes()).isZero();
        }
    }

    @Test
    public void aMessageMayBeInManyLogs() {
        Message message = message("everywhere", 1_000);
        try (ContractLog first = openLog(1, true);
                ContractLog second = openLog(2, true)) {
            first.append(0, 1_000, message, ENVELOPE, Annotations.NONE, true);
            second.append(7, 1_000, message, ENVELOPE, Annotations.NONE, false);
            first.release(0, 0);

            assertSame(second.message(7), message);
        }
    }

    // Entries and facts.

    @Test
    public void anEntryIsReadAsItWasAppended() {
        Death death =
                new Death("queue", DeathReason.EXPIRED, 3, 999, "exchange", List.of(RoutingKey.of("old.key")), 60_000);
        Annotations annotations = new Annotations(List.of(death), death);
        Envelope envelope = new Envelope(
                "exchange",
                RoutingKey.of("a.key"),
                List.of(RoutingKey.of("copy")),
                List.of(RoutingKey.of("blind")),
                true,
                7,
                30_000);
        Message message = message("body and soul", 300);
        try (ContractLog log = openLog(1, true)) {
            log.append(5, 1_234, message, envelope, annotations, true);
            log.append(6, 1_235, message("plain", 20), ENVELOPE, Annotations.NONE, false);

            assertSame(log.message(5), message);
            assertThat(log.envelope(5)).isEqualTo(envelope);
            assertThat(log.annotations(5)).isEqualTo(annotations);
            assertThat(log.stamp(5)).isEqualTo(1_234);
            assertThat(log.annotations(6)).isEqualTo(Annotations.NONE);
        }
    }

    @Test
    public void recordsAreCountedFromOneWhetherEntriesOrFacts() {
        ByteBuf fact = Unpooled.wrappedBuffer(new byte[] {1, 2, 3});
        try (ContractLog log = openLog(1, true)) {
            assertThat(log.append(0, 1, message("a", 10), ENVELOPE, Annotations.NONE, true))
                    .isEqualTo(1);
            assertThat(log.append(fact)).isEqualTo(2);
            assertThat(log.append(fact)).isEqualTo(3);
            assertThat(log.append(1, 1, message("b", 10), ENVELOPE, Annotations.NONE, true))
                    .isEqualTo(4);
        }
        assertThat(fact.refCnt()).isOne();
    }

    @Test
    public void whatIsAppendedBecomesDurableInOrder() {
        try (ContractLog log = openLog(1, true)) {
            long last = 0;
            for (int i = 0; i < 1_000; i++) {
                last = log.append(i, i, message("m" + i, 50), ENVELOPE, Annotations.NONE, i % 3 != 0);
            }
            log.awaitDurable(last);

            assertThat(log.durableIndex()).isEqualTo(last);
            assertThat(log.toldDurable()).isSorted();
            assertThat(log.toldDurable()).allMatch(index -> index <= 1_000);
        }
    }

    @Test
    public void positionsMayHaveGaps() {
        try (ContractLog log = openLog(1, true)) {
            Message low = message("low", 10);
            Message high = message("high", 10);
            log.append(3, 1, low, ENVELOPE, Annotations.NONE, true);
            log.append(1L << 20, 2, high, ENVELOPE, Annotations.NONE, true);

            assertSame(log.message(3), low);
            assertSame(log.message(1L << 20), high);
        }
    }

    // Transactions.

    @Test
    public void aCommitIsToldToEachLogThatTakesPartAndAnsweredWhenItIsDurable() {
        try (ContractLog first = openLog(1, true);
                ContractLog second = openLog(2, true);
                ContractLog third = openLog(3, false);
                ContractLog other = openLog(4, true)) {
            LogTransaction transaction = engine().begin();
            first.append(transaction, 0, 1_000, message("a", 10), ENVELOPE, true);
            first.append(transaction, 1, 1_000, message("b", 10), ENVELOPE, true);
            second.append(transaction, Unpooled.wrappedBuffer(new byte[] {1}));
            third.append(transaction, 0, 1_000, message("c", 10), ENVELOPE, true);
            assertThat(first.committed()).isEmpty();

            assertThat(commit(transaction)).isTrue();

            for (ContractLog log : List.of(first, second, third)) {
                assertThat(log.committed()).containsExactly(transaction);
            }
            assertThat(other.committed()).isEmpty();
        }
    }

    @Test
    public void anEntryOfATransactionIsReadAsItWasAppendedBeforeAndAfterTheCommit() {
        Message message = message("in many logs", 300);
        try (ContractLog first = openLog(1, true);
                ContractLog second = openLog(2, true)) {
            LogTransaction transaction = engine().begin();
            first.append(transaction, 3, 1_234, message, ENVELOPE, true);
            second.append(transaction, 5, 1_234, message, ENVELOPE, true);
            first.append(4, 1_235, message("not in it", 10), ENVELOPE, Annotations.NONE, true);
            assertSame(first.message(3), message);
            commit(transaction);
            first.unload(0, 10);
            second.unload(0, 10);

            assertSame(first.message(3), message);
            assertSame(second.message(5), message);
            assertThat(first.stamp(3)).isEqualTo(1_234);
            assertThat(second.envelope(5)).isEqualTo(ENVELOPE);
            assertThat(second.annotations(5)).isEqualTo(Annotations.NONE);
            assertThat(first.read(4)).isTrue();
        }
    }

    @Test
    public void whatIsReleasedInATransactionIsThereUntilTheCommit() {
        try (ContractLog log = openLog(1, true)) {
            for (int i = 0; i < 100; i++) {
                log.append(i, i, message("m" + i, 100), ENVELOPE, Annotations.NONE, i % 2 == 0);
            }
            LogTransaction transaction = engine().begin();
            log.release(transaction, 10, 89);
            assertThat(log.read(50)).isTrue();
            commit(transaction);

            assertThat(log.committed()).containsExactly(transaction);
            assertThat(log.residentBytes()).isLessThanOrEqualTo(20 * 100);
            assertThat(log.read(9)).isTrue();
            assertThat(log.read(90)).isTrue();
        }
    }

    @Test
    public void aTransactionThatIsGivenUpIsNotThere() {
        try (ContractLog log = openLog(1, true)) {
            Message kept = message("kept", 100);
            log.append(0, 1, kept, ENVELOPE, Annotations.NONE, true);
            LogTransaction transaction = engine().begin();
            log.append(transaction, 1, 2, message("given up", 100), ENVELOPE, true);
            log.release(transaction, 0, 0);
            log.release(1, 1);
            log.awaitDurable(log.append(2, 3, message("later", 100), ENVELOPE, Annotations.NONE, true));

            assertThat(log.committed()).isEmpty();
            assertThat(log.residentBytes()).isEqualTo(200);
            assertSame(log.message(0), kept);
        }
    }

    @Test
    public void aTransactionInWhichNothingLastsIsAnsweredToo() {
        try (ContractLog log = openLog(1, true)) {
            LogTransaction transaction = engine().begin();
            log.append(transaction, 0, 1, message("passing", 10), ENVELOPE, false);
            assertThat(commit(transaction)).isTrue();
            assertThat(commit(engine().begin())).isTrue();
            assertThat(log.committed()).containsExactly(transaction);
        }
    }

    @Test
    public void afterARestartOfATransactionThereIsAllOrNothing(@TempDir Path directory) throws StorageException {
        boolean outlives = engine().durability() != StorageEngine.Durability.PROCESS;
        StorageEngine before = open(directory);
        before.start(new StorageContext(Map.of(PlainFormat.INSTANCE.name(), PlainFormat.INSTANCE), complaints));
        LogTransaction transaction = before.begin();
        try (ContractLog gone = new ContractLog(before, 3, true)) {
            gone.append(transaction, 0, 2, message("gone", 20), ENVELOPE, true);
        }
        before.delete(3);
        try (ContractLog first = new ContractLog(before, 1, true);
                ContractLog second = new ContractLog(before, 2, true)) {
            first.awaitDurable(first.append(0, 1, message("settled", 10), ENVELOPE, Annotations.NONE, true));
            first.release(transaction, 0, 0);
            first.append(transaction, 1, 2, message("one", 10), ENVELOPE, true);
            second.append(transaction, 0, 2, message("two", 20), ENVELOPE, true);
            second.append(transaction, Unpooled.wrappedBuffer(new byte[] {7}));
            LogTransaction never = before.begin();
            second.append(never, 1, 3, message("never", 20), ENVELOPE, true);
            second.append(never, Unpooled.wrappedBuffer(new byte[] {8}));
            assertThat(commit(transaction)).isTrue();
        }
        before.close();

        StorageEngine after = open(directory);
        after.start(new StorageContext(Map.of(PlainFormat.INSTANCE.name(), PlainFormat.INSTANCE), complaints));
        assertThat(after.stored()).containsExactlyInAnyOrder(outlives ? new long[] {1, 2} : new long[0]);
        try (ContractLog first = new ContractLog(after, 1, true);
                ContractLog second = new ContractLog(after, 2, true)) {
            assertThat(first.replayed())
                    .isEqualTo(outlives ? List.of("entry 1 at 2 to exchange, a body of 7 bytes") : List.of());
            assertThat(second.replayed())
                    .isEqualTo(
                            outlives ? List.of("entry 0 at 2 to exchange, a body of 17 bytes", "fact 07") : List.of());
        }
        after.close();
    }

    @Test
    public void aLogThatIsOpenedAgainTellsOfItsTransactions() {
        boolean outlives = engine().durability() != StorageEngine.Durability.PROCESS;
        // What is still being written for one log is behind when the next one is opened again.
        for (int id = 1; id <= 50; id++) {
            LogTransaction transaction = engine().begin();
            try (ContractLog log = openLog(id, true)) {
                log.append(transaction, 0, 1, message("a", 10), ENVELOPE, true);
                log.append(transaction, Unpooled.wrappedBuffer(new byte[] {7}));
                transaction.commit(Runnable::run, durable -> {});
            }
            try (ContractLog log = openLog(id, true)) {
                assertThat(log.replayed())
                        .isEqualTo(
                                outlives
                                        ? List.of("entry 0 at 1 to exchange, a body of 9 bytes", "fact 07")
                                        : List.of());
            }
        }
    }

    @Test
    public void aTransactionMayBeLarge(@TempDir Path directory) throws StorageException {
        StorageEngine before = open(directory);
        before.start(new StorageContext(Map.of(PlainFormat.INSTANCE.name(), PlainFormat.INSTANCE), complaints));
        int entries = 20;
        int bytes = 1 << 18;
        try (ContractLog first = new ContractLog(before, 1, true);
                ContractLog second = new ContractLog(before, 2, true)) {
            LogTransaction transaction = before.begin();
            for (int i = 0; i < entries; i++) {
                Message message = message("m" + i, bytes);
                first.append(transaction, i, 1, message, ENVELOPE, true);
                second.append(transaction, i, 1, message, ENVELOPE, true);
            }
            assertThat(commit(transaction)).isTrue();
            first.append(entries, 2, message("behind", 10), ENVELOPE, Annotations.NONE, false);
        }
        boolean outlives = before.durability() != StorageEngine.Durability.PROCESS;
        before.close();

        StorageEngine after = open(directory);
        after.start(new StorageContext(Map.of(PlainFormat.INSTANCE.name(), PlainFormat.INSTANCE), complaints));
        try (ContractLog first = new ContractLog(after, 1, true);
                ContractLog second = new ContractLog(after, 2, true)) {
            assertThat(first.replayed()).hasSize(outlives ? entries : 0).isEqualTo(second.replayed());
            for (int i = 0; outlives && i < entries; i++) {
                assertSame(second.message(i), message("m" + i, bytes));
            }
        }
        after.close();
    }

    /** Commits; whether it is durable. */
    private boolean commit(LogTransaction transaction) {
        CompletableFuture<Boolean> answer = new CompletableFuture<>();
        transaction.commit(Runnable::run, answer::complete);
        return answer.orTimeout(30, TimeUnit.SECONDS).join();
    }

    // Memory.

    @Test
    public void whatIsReleasedTakesNoMemory() {
        try (ContractLog log = openLog(1, true)) {
            for (int i = 0; i < 1_000; i++) {
                log.append(i, i, message("m" + i, 100), ENVELOPE, Annotations.NONE, true);
            }
            assertThat(log.residentBytes()).isLessThanOrEqualTo(100_000);
            log.release(0, 499);
            log.release(501, 999);
            assertThat(log.residentBytes()).isLessThanOrEqualTo(100);
            log.release(500, 500);
            assertThat(log.residentBytes()).isZero();
        }
    }

    @Test
    public void spaceIsReclaimedWithoutWaitingForTheOldest() {
        try (ContractLog log = openLog(1, true)) {
            Message oldest = message("oldest", 100);
            log.append(0, 0, oldest, ENVELOPE, Annotations.NONE, true);
            for (int i = 1; i <= 200_000; i++) {
                log.append(i, i, message("m", 100), ENVELOPE, Annotations.NONE, false);
                log.release(i, i);
            }
            assertThat(log.residentBytes()).isLessThanOrEqualTo(100);
            assertSame(log.message(0), oldest);
        }
    }

    @Test
    public void behavesAsASortedMapOfEntries() {
        for (long seed = 1; seed <= 20; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            Map<Long, Message> model = new TreeMap<>();
            try (ContractLog log = openLog(100 + seed, random.nextBoolean())) {
                long position = 0;
                for (int step = 0; step < 2_000; step++) {
                    int choice = random.nextInt(100);
                    if (choice < 55) {
                        position += random.nextInt(10) == 0 ? 1 + random.nextInt(300) : 1;
                        Message message = message("m" + position, random.nextInt(200));
                        log.append(position, step, message, ENVELOPE, Annotations.NONE, random.nextBoolean());
                        model.put(position, message);
                    } else if (!model.isEmpty()) {
                        Long victim = pick(model, random);
                        if (choice < 90) {
                            log.release(victim, victim);
                            model.remove(victim);
                        } else {
                            assertThat(log.read(victim))
                                    .as("seed %d: entry %d", seed, victim)
                                    .isTrue();
                            assertSame(log.message(victim), Objects.requireNonNull(model.get(victim)));
                        }
                    }
                }
                model.forEach((left, message) -> assertSame(log.message(left), message));
            }
        }
    }

    private static Long pick(Map<Long, Message> model, SplittableRandom random) {
        return model.keySet().stream()
                .skip(random.nextInt(model.size()))
                .findFirst()
                .orElseThrow();
    }

    private ContractLog openLog(long id, boolean durable) {
        return new ContractLog(engine(), id, durable);
    }

    private static Message message(String text, int bytes) {
        return new Message(
                PlainFormat.INSTANCE, Bytes.utf8(text), Bytes.wrap(new byte[Math.max(0, bytes - text.length())]));
    }

    /** An engine knows a message by identity while it is in memory, and gives an equal one once it was not. */
    private static void assertSame(Message actual, Message expected) {
        assertThat(actual.format()).isSameAs(expected.format());
        assertThat(actual.header()).isEqualTo(expected.header());
        assertThat(actual.body()).isEqualTo(expected.body());
    }
}
