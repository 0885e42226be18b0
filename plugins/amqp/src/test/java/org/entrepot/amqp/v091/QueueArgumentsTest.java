package org.entrepot.amqp.v091;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.entrepot.amqp.v091.wire.FieldTable;
import org.entrepot.amqp.v091.wire.FieldType;
import org.entrepot.amqp.v091.wire.TypedValue;
import org.entrepot.spi.BrokerException;
import org.entrepot.spi.ErrorKind;
import org.entrepot.spi.message.RoutingKey;
import org.entrepot.spi.topology.DeadLetter;
import org.entrepot.spi.topology.QueueLimits.Overflow;
import org.entrepot.spi.topology.QueueSpec;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The arguments of queue.declare, against what RabbitMQ accepts and says. */
class QueueArgumentsTest {
    private static final long CONSUMER_TIMEOUT = 1_800_000;

    private static QueueSpec spec(boolean durable, boolean exclusive, boolean autoDelete, Object... pairs) {
        return QueueArguments.spec(
                "/", "x", durable, exclusive, autoDelete, table(pairs), OptionalLong.of(CONSUMER_TIMEOUT));
    }

    private static QueueSpec durable(Object... pairs) {
        return spec(true, false, false, pairs);
    }

    private static FieldTable table(Object... pairs) {
        Map<String, Object> values = new LinkedHashMap<>();
        for (int i = 0; i < pairs.length; i += 2) {
            values.put((String) pairs[i], pairs[i + 1]);
        }
        return FieldTable.of(values);
    }

    @Test
    void noArgumentsMakeAClassicQueueWithoutLimits() {
        QueueSpec spec = durable();
        assertThat(spec.replicated()).isFalse();
        assertThat(spec.priorities()).isEqualTo(1);
        assertThat(spec.deadLetter()).isNull();
        assertThat(spec.deliveryLimit()).isEmpty();
        assertThat(spec.leaseMillis()).isEmpty();
        assertThat(spec.limits().overflow()).isEqualTo(Overflow.DROP_HEAD);
    }

    @Test
    void anExclusiveQueueIsNotDurable() {
        assertThat(spec(true, true, false).durable()).isFalse();
    }

    @Test
    void everyArgumentOfAClassicQueueIsTranslated() {
        QueueSpec spec = durable(
                "x-message-ttl", 60_000L,
                "x-expires", 1_800_000L,
                "x-max-length", 10L,
                "x-max-length-bytes", 1000L,
                "x-overflow", "reject-publish-dlx",
                "x-dead-letter-exchange", "dlx",
                "x-dead-letter-routing-key", "dead",
                "x-max-priority", 9L,
                "x-single-active-consumer", true,
                "x-consumer-timeout", 5000L,
                "x-queue-type", "classic");
        assertThat(spec.limits().messageTtlMillis()).hasValue(60_000);
        assertThat(spec.limits().idleMillis()).hasValue(1_800_000);
        assertThat(spec.limits().messages()).hasValue(10);
        assertThat(spec.limits().bytes()).hasValue(1000);
        assertThat(spec.limits().overflow()).isEqualTo(Overflow.REJECT_PUBLISH_DEAD_LETTER);
        assertThat(spec.deadLetter()).isEqualTo(new DeadLetter("dlx", RoutingKey.of("dead"), false));
        assertThat(spec.priorities()).isEqualTo(10);
        assertThat(spec.defaultPriority()).isZero();
        assertThat(spec.singleActiveConsumer()).isTrue();
        assertThat(spec.leaseMillis()).hasValue(5000);
    }

    @Test
    void aQuorumQueueHasItsOwnDefaults() {
        QueueSpec spec = durable("x-queue-type", "quorum");
        assertThat(spec.replicated()).isTrue();
        assertThat(spec.deliveryLimit()).as("left to a policy and the broker").isEmpty();
        assertThat(spec.leaseMillis()).hasValue(CONSUMER_TIMEOUT);
        assertThat(spec.priorities()).isEqualTo(32);
        assertThat(spec.defaultPriority()).isEqualTo(4);
    }

    @Test
    void aQuorumQueueMayHaveNoLimitOfDeliveriesAndNoTimeout() {
        QueueSpec spec = durable("x-queue-type", "quorum", "x-delivery-limit", -1L, "x-consumer-timeout", 0L);
        assertThat(spec.deliveryLimit()).hasValue(Integer.MAX_VALUE);
        assertThat(spec.leaseMillis()).isEqualTo(OptionalLong.empty());
    }

    @Test
    void deadLetteringAtLeastOnceNeedsAQueueThatRefuses() {
        assertThat(deadLetter("x-overflow", "reject-publish").atLeastOnce()).isTrue();
        assertThat(deadLetter("x-overflow", "drop-head").atLeastOnce()).isFalse();
    }

    private static DeadLetter deadLetter(String name, String value) {
        return durable(
                        "x-queue-type",
                        "quorum",
                        "x-dead-letter-exchange",
                        "dlx",
                        "x-dead-letter-strategy",
                        "at-least-once",
                        name,
                        value)
                .deadLetter();
    }

    @Test
    void aQuorumQueueDropsItsHeadWhereItCannotDeadLetterWhatItRefuses() {
        assertThat(durable("x-queue-type", "quorum", "x-overflow", "reject-publish-dlx")
                        .limits()
                        .overflow())
                .isEqualTo(Overflow.DROP_HEAD);
    }

    @Test
    void whatOlderProgramsSendIsIgnored() {
        QueueSpec spec = durable(
                "x-queue-mode",
                "lazy",
                "x-queue-version",
                1L,
                "x-queue-master-locator",
                "min-masters",
                "x-own",
                List.of());
        assertThat(spec).usingRecursiveComparison().ignoringFields("extras").isEqualTo(durable());
    }

    @ParameterizedTest
    @EnumSource(
            value = FieldType.class,
            names = {"BYTE", "UNSIGNED_BYTE", "SHORT", "UNSIGNED_SHORT", "SIGNED_INT", "UNSIGNED_INT", "LONG"})
    void numbersOfEveryWidthAreTaken(FieldType type) {
        assertThat(durable("x-message-ttl", new TypedValue(type, 100L)).limits().messageTtlMillis())
                .hasValue(100);
    }

    private static Arguments wrong(String text, Object... pairs) {
        return Arguments.of(text, table(pairs));
    }

    static List<Arguments> wrongArguments() {
        String invalid = "invalid arg '%s' for queue 'x' in vhost '/': ";
        return List.of(
                wrong(invalid.formatted("x-message-ttl") + "\"expected integer, got longstr\"", "x-message-ttl", "abc"),
                wrong(invalid.formatted("x-message-ttl") + "\"expected integer, got double\"", "x-message-ttl", 1.5),
                wrong(invalid.formatted("x-message-ttl") + "{value_negative,-1}", "x-message-ttl", -1L),
                wrong(
                        invalid.formatted("x-message-ttl") + "{value_too_large,315360000001}",
                        "x-message-ttl",
                        315_360_000_001L),
                wrong(invalid.formatted("x-expires") + "{value_zero,0}", "x-expires", 0L),
                wrong(invalid.formatted("x-expires") + "{value_negative,-5}", "x-expires", -5L),
                wrong(invalid.formatted("x-max-length") + "{value_negative,-1}", "x-max-length", -1L),
                wrong(invalid.formatted("x-max-length-bytes") + "{value_negative,-1}", "x-max-length-bytes", -1L),
                wrong(invalid.formatted("x-max-priority") + "{max_value_exceeded,256}", "x-max-priority", 256L),
                wrong(invalid.formatted("x-max-priority") + "{value_negative,-1}", "x-max-priority", -1L),
                wrong(invalid.formatted("x-overflow") + "invalid_overflow", "x-overflow", "explode"),
                wrong(invalid.formatted("x-overflow") + "{unacceptable_type,long}", "x-overflow", 1L),
                wrong(
                        invalid.formatted("x-single-active-consumer") + "{unacceptable_type,longstr}",
                        "x-single-active-consumer",
                        "true"),
                wrong(
                        invalid.formatted("x-dead-letter-routing-key") + "routing_key_but_no_dlx_defined",
                        "x-dead-letter-routing-key",
                        "k"),
                wrong(
                        "invalid type 'signedint' for arg 'x-dead-letter-exchange' in queue 'x' in vhost '/'",
                        "x-dead-letter-exchange",
                        1),
                wrong(invalid.formatted("x-queue-type") + "\"unsupported queue type 'fast'\"", "x-queue-type", "fast"),
                wrong(invalid.formatted("x-queue-type") + "{unacceptable_type,long}", "x-queue-type", 1L),
                wrong(
                        "invalid arg 'x-delivery-limit' for queue 'x' in vhost '/' of queue type rabbit_classic_queue",
                        "x-delivery-limit",
                        5L),
                wrong(
                        "invalid arg 'x-max-age' for queue 'x' in vhost '/' of queue type rabbit_classic_queue",
                        "x-max-age",
                        "1h"),
                wrong(
                        "invalid arg 'x-max-priority' for queue 'x' in vhost '/' of queue type rabbit_quorum_queue",
                        "x-queue-type",
                        "quorum",
                        "x-max-priority",
                        5L),
                wrong(
                        invalid.formatted("x-dead-letter-strategy") + "invalid_dlx_strategy",
                        "x-queue-type",
                        "quorum",
                        "x-dead-letter-strategy",
                        "maybe"));
    }

    @ParameterizedTest
    @MethodSource("wrongArguments")
    void whatIsWrongIsSaidInRabbitsWords(String text, FieldTable arguments) {
        assertThatThrownBy(() -> QueueArguments.spec("/", "x", true, false, false, arguments, OptionalLong.empty()))
                .isInstanceOfSatisfying(BrokerException.class, refusal -> {
                    assertThat(refusal.text()).isEqualTo(text);
                    assertThat(refusal.kind()).isEqualTo(ErrorKind.PRECONDITION_FAILED);
                });
    }

    @Test
    void aQuorumQueueRefusesWhatItCannotBe() {
        assertThatThrownBy(() -> spec(false, false, false, "x-queue-type", "quorum"))
                .hasMessage("invalid property 'non-durable' for queue 'x' in vhost '/'");
        assertThatThrownBy(() -> spec(true, true, false, "x-queue-type", "quorum"))
                .hasMessage("invalid property 'exclusive-owner' for queue 'x' in vhost '/'");
        assertThatThrownBy(() -> spec(true, false, true, "x-queue-type", "quorum"))
                .hasMessage("invalid property 'auto-delete' for queue 'x' in vhost '/'");
    }

    @Test
    void streamsAreSaidToBeUnbuilt() {
        assertThatThrownBy(() -> durable("x-queue-type", "stream"))
                .isInstanceOfSatisfying(
                        BrokerException.class,
                        refusal -> assertThat(refusal.kind()).isEqualTo(ErrorKind.NOT_IMPLEMENTED));
    }

    private static void equivalent(QueueSpec current, QueueSpec asked) {
        Equivalence.check("/", current, asked);
    }

    @Test
    void numbersAreComparedByValue() {
        equivalent(
                durable("x-message-ttl", new TypedValue(FieldType.BYTE, 100L)),
                durable("x-message-ttl", new TypedValue(FieldType.LONG, 100L)));
    }

    @Test
    void unknownArgumentsAreNotCompared() {
        equivalent(durable("x-own", 1L, "tag", "a"), durable("tag", "b"));
        equivalent(durable(), durable("x-queue-type", "classic"));
    }

    @Test
    void aDifferenceIsSaidInRabbitsWords() {
        assertThatThrownBy(() -> equivalent(durable("x-message-ttl", 60_000), durable("x-message-ttl", 5L)))
                .hasMessage("inequivalent arg 'x-message-ttl' for queue 'x' in vhost '/': received '5' but current is"
                        + " '60000'");
        assertThatThrownBy(() -> equivalent(durable("x-message-ttl", 60_000), durable()))
                .hasMessage(
                        "inequivalent arg 'x-message-ttl' for queue 'x' in vhost '/': received none but current is the"
                                + " value '60000' of type 'signedint'");
        assertThatThrownBy(() -> equivalent(durable(), durable("x-dead-letter-exchange", "d")))
                .hasMessage(
                        "inequivalent arg 'x-dead-letter-exchange' for queue 'x' in vhost '/': received the value 'd'"
                                + " of type 'longstr' but current is none");
        assertThatThrownBy(() -> equivalent(durable(), durable("x-queue-type", "quorum")))
                .hasMessage(
                        "inequivalent arg 'x-queue-type' for queue 'x' in vhost '/': received 'quorum' but current is"
                                + " 'classic'");
        assertThatThrownBy(() -> equivalent(durable(), spec(false, false, false)))
                .hasMessage(
                        "inequivalent arg 'durable' for queue 'x' in vhost '/': received 'false' but current is 'true'");
        assertThatThrownBy(() -> equivalent(durable(), spec(true, false, true)))
                .hasMessage(
                        "inequivalent arg 'auto_delete' for queue 'x' in vhost '/': received 'true' but current is 'false'");
    }

    @Test
    void exclusivenessIsALockAndComesFirst() {
        assertThatThrownBy(() -> equivalent(durable(), spec(true, true, true)))
                .isInstanceOfSatisfying(BrokerException.class, refusal -> {
                    assertThat(refusal.kind()).isEqualTo(ErrorKind.RESOURCE_LOCKED);
                    assertThat(refusal.text())
                            .isEqualTo("cannot obtain exclusive access to locked queue 'x' in vhost '/'. It could be"
                                    + " originally declared on another connection or the exclusive property value does not"
                                    + " match that of the original declaration.");
                });
    }
}
