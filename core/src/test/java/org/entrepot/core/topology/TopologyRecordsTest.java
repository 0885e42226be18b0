package org.entrepot.core.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import org.entrepot.spi.message.Bytes;
import org.entrepot.spi.message.MessageFormat.Absent;
import org.entrepot.spi.message.RoutingKey;
import org.entrepot.spi.topology.BindingSpec;
import org.entrepot.spi.topology.BindingSpec.Destination;
import org.entrepot.spi.topology.DeadLetter;
import org.entrepot.spi.topology.ExchangeSpec;
import org.entrepot.spi.topology.QueueLimits;
import org.entrepot.spi.topology.QueueLimits.Overflow;
import org.entrepot.spi.topology.QueueSpec;
import org.entrepot.spi.topology.Retention;
import org.junit.jupiter.api.Test;

class TopologyRecordsTest {
    private static final Map<String, Object> VALUES = Map.of(
            "flag",
            true,
            "other flag",
            false,
            "number",
            Long.MIN_VALUE,
            "fraction",
            0.1,
            "decimal",
            new BigDecimal("-12345678901234567890.50"),
            "text",
            "grün",
            "bytes",
            Bytes.wrap(new byte[] {0, -1}),
            "instant",
            Instant.ofEpochSecond(1, 999),
            "absent",
            Absent.VALUE,
            "list",
            List.of(1L, "two", List.of(), Map.of("three", 3L)));

    private static final BindingSpec BINDING = new BindingSpec(
            "x", Destination.queue("q"), RoutingKey.of(Bytes.wrap(new byte[] {'a', '.', 0, -1})), VALUES);

    private static final List<TopologyRecord> ONE_OF_EACH = List.of(
            new TopologyRecord.IdsReserved(1L << 40),
            new TopologyRecord.VirtualHostPut("v", "about", List.of("a", "b"), Optional.of("quorum")),
            new TopologyRecord.VirtualHostGone("v"),
            new TopologyRecord.VirtualHostLimited("v", new VirtualHostLimits(OptionalLong.of(1), OptionalLong.empty())),
            new TopologyRecord.UserPut(new User(
                    "ada",
                    List.of(new Credential("one", Bytes.utf8("1")), new Credential("two", Bytes.EMPTY)),
                    Set.of("administrator", "monitoring"),
                    new User.Limits(OptionalLong.empty(), OptionalLong.of(2)))),
            new TopologyRecord.UserGone("ada"),
            new TopologyRecord.PermissionsSet("ada", "v", new PermissionPatterns("c", "w", "r")),
            new TopologyRecord.PermissionsSet("ada", "v", null),
            new TopologyRecord.TopicPermissionsSet("ada", "v", "x", new TopicPatterns("w", "r")),
            new TopologyRecord.TopicPermissionsSet("ada", "v", "x", null),
            new TopologyRecord.PolicyPut(
                    "v", new Policy("p", ".*", Policy.ApplyTo.QUORUM_QUEUES, -3, Map.of("max-length", 1L), true)),
            new TopologyRecord.PolicyGone("v", "p", false),
            new TopologyRecord.ExchangeAdded(
                    "v", 5, new ExchangeSpec("x", "topic", true, false, true, "alternate", VALUES)),
            new TopologyRecord.ExchangeAdded(
                    "v", 6, new ExchangeSpec("y", "topic", false, true, false, null, Map.of())),
            new TopologyRecord.ExchangeGone("v", "x", true),
            new TopologyRecord.QueueAdded(
                    "v",
                    7,
                    9,
                    new QueueSpec(
                            "q",
                            false,
                            true,
                            false,
                            true,
                            new QueueLimits(
                                    OptionalLong.of(1),
                                    OptionalLong.of(2),
                                    Overflow.REJECT_PUBLISH_DEAD_LETTER,
                                    OptionalLong.of(3),
                                    OptionalLong.of(4)),
                            new DeadLetter("dlx", RoutingKey.of("key"), true),
                            256,
                            255,
                            true,
                            OptionalInt.of(6),
                            OptionalLong.of(7),
                            Retention.SETTLED,
                            VALUES)),
            new TopologyRecord.QueueAdded(
                    "v",
                    8,
                    0,
                    new QueueSpec(
                            "r",
                            true,
                            false,
                            true,
                            false,
                            QueueLimits.NONE,
                            new DeadLetter("dlx", null, false),
                            1,
                            0,
                            false,
                            OptionalInt.empty(),
                            OptionalLong.empty(),
                            Retention.SETTLED,
                            Map.of())),
            new TopologyRecord.QueueAdded("v", 9, 0, QueueSpec.table("t", true, QueueLimits.NONE)),
            new TopologyRecord.QueueLimited(
                    "v",
                    "q",
                    new QueueLimits(
                            OptionalLong.of(1),
                            OptionalLong.empty(),
                            QueueLimits.Overflow.REJECT_PUBLISH,
                            OptionalLong.of(2),
                            OptionalLong.of(3)),
                    true),
            new TopologyRecord.QueueGone("v", "q", false),
            new TopologyRecord.Bound("v", BINDING, true),
            new TopologyRecord.Unbound(
                    "v", new BindingSpec("x", Destination.exchange("y"), RoutingKey.EMPTY, Map.of()), false));

    @Test
    void everyRecordIsReadAsItWasWritten() {
        assertThat(read(TopologyRecords.bytes(ONE_OF_EACH))).containsExactlyElementsOf(ONE_OF_EACH);
    }

    @Test
    void thereIsOneOfEachKind() {
        Set<Class<?>> kinds = new HashSet<>();
        ONE_OF_EACH.forEach(fact -> kinds.add(fact.getClass()));
        assertThat(kinds).containsExactlyInAnyOrder(TopologyRecord.class.getPermittedSubclasses());
        assertThat(ONE_OF_EACH.stream().map(fact -> fact.accept(RecordKind.OF)).distinct())
                .hasSameSizeAs(kinds);
    }

    @Test
    void bytesCutShortAreRefusedWhereverTheyAreCut() {
        byte[] whole = TopologyRecords.bytes(ONE_OF_EACH);
        for (int length = 0; length < whole.length; length++) {
            ByteBuf cut = Unpooled.wrappedBuffer(whole, 0, length);
            assertThatThrownBy(() -> TopologyRecords.read(cut))
                    .as("cut after %d bytes", length)
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void recordsOfLaterReleasesAreRefused() {
        byte[] later = TopologyRecords.bytes(List.of(new TopologyRecord.UserGone("ada")));
        later[5] = 2;
        assertThatThrownBy(() -> read(later)).hasMessageContaining("version 2");
        later[5] = 1;
        later[4] = 99;
        assertThatThrownBy(() -> read(later)).hasMessageContaining("kind 99");
    }

    /** A release that knows no tables refuses them by their version. */
    @Test
    void onlyTablesAreWrittenInALaterVersion() {
        for (TopologyRecord fact : ONE_OF_EACH) {
            boolean table = fact instanceof TopologyRecord.QueueAdded added
                    && added.spec().retention() == Retention.LATEST_PER_KEY;
            assertThat(TopologyRecords.bytes(List.of(fact))[5]).isEqualTo((byte) (table ? 2 : 1));
        }
    }

    @Test
    void equalArgumentsHaveEqualBytesInWhateverOrderAndPieces() {
        Map<String, Object> one = new java.util.LinkedHashMap<>();
        one.put("a", Bytes.utf8("text"));
        one.put("b", Map.of("c", 1L, "d", 2L));
        Map<String, Object> other = new java.util.LinkedHashMap<>();
        other.put("b", Map.of("d", 2L, "c", 1L));
        other.put("a", Bytes.concat(List.of(Bytes.utf8("te"), Bytes.utf8("xt"))));
        assertThat(ValueCodec.canonical(one)).isEqualTo(ValueCodec.canonical(other));
    }

    private static List<TopologyRecord> read(byte[] bytes) {
        return TopologyRecords.read(Unpooled.wrappedBuffer(bytes));
    }
}
