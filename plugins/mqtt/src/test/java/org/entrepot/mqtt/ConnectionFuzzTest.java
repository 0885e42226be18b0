package org.entrepot.mqtt;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.AppenderBase;
import com.code_intelligence.jazzer.junit.FuzzTest;
import com.code_intelligence.jazzer.mutation.annotation.NotNull;
import java.io.UncheckedIOException;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Stream;
import org.entrepot.mqtt.wire.Packets;
import org.entrepot.mqtt.wire.Wire;
import org.entrepot.testkit.EmbeddedBroker;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.provider.MethodSource;
import org.slf4j.LoggerFactory;

/** Whatever a client says, before a CONNECT or after, the broker has no fault of its own and serves the next. */
class ConnectionFuzzTest {
    private static final Errors ERRORS = new Errors();
    private static EmbeddedBroker broker;

    /** What is logged as an error, of whatever class. */
    private static final class Errors extends AppenderBase<ILoggingEvent> {
        private final Queue<String> lines = new ConcurrentLinkedQueue<>();

        @Override
        protected void append(ILoggingEvent event) {
            if (event.getLevel().isGreaterOrEqual(Level.ERROR)) {
                lines.add(event.getFormattedMessage() + "\n" + ThrowableProxyUtil.asString(event.getThrowableProxy()));
            }
        }
    }

    @BeforeAll
    static void start() {
        Logger own = (Logger) LoggerFactory.getLogger("org.entrepot");
        own.setLevel(Level.ERROR);
        own.addAppender(ERRORS);
        ERRORS.start();
        broker = EmbeddedBroker.with("mqtt", new MqttPlugin())
                .set("mqtt.anonymous=true")
                .set("mqtt.session-expiry-max=1s")
                .start();
    }

    @AfterAll
    static void stop() {
        broker.close();
        ((Logger) LoggerFactory.getLogger("org.entrepot")).detachAppender(ERRORS);
    }

    @MethodSource("seeds")
    @FuzzTest
    void nothingThatAClientSaysIsAFaultOfTheBroker(byte @NotNull [] data) {
        ERRORS.lines.clear();
        converse(new byte[0], data);
        for (int level = 3; level <= 5; level++) {
            Client.Connect connect = Client.connect().level(level).id("fuzz");
            converse(connect.bytes(), data);
            converse(connect.lasting(1).bytes(), data);
        }
        try (Client next = Client.silent(broker.port("mqtt"))) {
            assertThat(next.send(Client.connect().id("next")).code()).isZero();
            next.ping();
        }
        assertThat(ERRORS.lines).isEmpty();
    }

    static Stream<byte[]> seeds() {
        return Stream.of(
                new byte[0],
                Wire.bytes("c0 [] e0 []"),
                Client.connect().id("second").will("a", "b", 1, true, "").bytes(),
                Wire.bytes(
                        "10 [ `MQTT` 05 02 0000 [ 15 `SCRAM-SHA-256` 16 `n,,n=guest,r=x` ] `c` ] f0 [ 18 [ 15 `SCRAM-SHA-256` ] ]"),
                Wire.bytes("82 [ 0001 [] `#` 02 `$share/g/+` 01 `$queue/a` 00 ] 33 [ `a` 0001 [ 23 0001 ] 'x' ]"
                        + " 35 [ `` 0002 [ 23 0001 02 00000001 ] 'y' ] 62 [ 0002 ] a2 [ 0003 [] `#` `$share/g/+` ]"),
                Wire.bytes(
                        "82 [ 0001 `#` 02 `+/+` 01 `a` 00 ] 33 [ `a` 0001 'x' ] 35 [ `b` 0002 'y' ] 40 [ 0001 ] 50 [ 0001 ]"
                                + " 50 [ 0002 ] 62 [ 0002 ] 70 [ 0001 ] 70 [ 0002 ] a2 [ 0003 `#` ] e0 []"),
                Wire.bytes(
                        "34 [ `a` 0001 [] 'x' ] 3c [ `a` 0001 [] 'x' ] 62 [ 0001 92 ] 62 [ 0001 ] 34 [ `a` 0001 [] ]"),
                Wire.bytes("31 [ `$SYS/x` [ 01 01 08 `r` ] 'x' ] 31 [ `$SYS/x` [] ] 82 [ 0001 [ 0b 05 ] `$SYS/#` 1d ]"),
                Wire.bytes("e0 [ 00 [ 11 00000005 ] ]"),
                Wire.bytes("f0 [ 19 [ 15 `PLAIN` ] ]"),
                Wire.bytes("82 [ 0001 [] `$share/g/a` 04 ]"),
                Wire.bytes("30 [ `a/+` [] ]"),
                Wire.bytes("32 ffffff7f 00"));
    }

    /** Says it all, hears until the broker has no more to say, and is gone. */
    private static void converse(byte[] first, byte[] data) {
        try (Client client = Client.silent(broker.port("mqtt"))) {
            client.raw(first).raw(data).shutDownOutput();
            while (true) {
                assertThat(client.next().type()).isNotIn(0, Packets.CONNECT, Packets.PINGREQ);
            }
        } catch (UncheckedIOException ended) {
            assertThat(ended).hasMessageNotContaining("timed out");
        }
    }
}
