package org.entrepot.abuse;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.impl.AMQImpl;
import com.rabbitmq.client.impl.Method;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import javax.net.ssl.SSLException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/**
 * Bad input and bad manners, each from an address of its own: the broker lives on in its memory, its neighbours hardly notice,
 * and its log names who it was and why, without being flooded.
 *
 * <p>Each abuse lasts {@code abuse.seconds} and is made with {@code abuse.connections} where many connections matter; raise
 * both for a campaign.
 *
 * <p>Of a neighbour's messages 99 of 100 may take twice the time that they took before. Where that is less than
 * {@code abuse.floor-millis}, or less than twice what the same machine makes a message take that meets no broker, these are
 * the bar: abusers, neighbour and broker share a few processors with whatever else runs there. Without the property a
 * neighbour has only not to be forgotten; 50 is for a campaign on a machine that does nothing else.
 */
@Timeout(600)
@EnabledOnOs(
        value = OS.LINUX,
        disabledReason = "Resident memory is read from /proc, and addresses of 127.0.0.0/8 are Linux's.")
class BadInputIT {
    private static final int HEAP_MIB = 192;
    private static final int BESIDE_HEAP_MIB_MAX = 300;
    private static final double SLOWER_MAX = 2;
    private static final double SLOW_MILLIS = Long.getLong("abuse.floor-millis", 2_000);

    private static final long ABUSE_NANOS = Long.getLong("abuse.seconds", 2) * 1_000_000_000;
    private static final int CONNECTIONS = Integer.getInteger("abuse.connections", 2_000);
    private static final long WARM_UP_MILLIS = 3_000;
    private static final long BASELINE_MILLIS = 700;
    private static final int QUEUES_MAX = 5_000;
    private static final int COMPLAINTS_OF_ONE_ADDRESS_MAX = 8;

    private static final List<String> figures = new ArrayList<>();
    private static AbusedProduct product;
    private static Neighbour neighbour;
    private static Control control;

    @BeforeAll
    static void start() throws Exception {
        Map<String, String> settings = new LinkedHashMap<>();
        settings.put("listener.address", AbusedProduct.HOST);
        settings.put("listener.amqp.port", "0");
        settings.put("listener.handshake-timeout", "2 s");
        settings.put("amqp.refusal-delay", "1 s");
        settings.put("amqp.close-timeout", "1 s");
        settings.put("virtual-host.queues-max", String.valueOf(QUEUES_MAX));
        product = new AbusedProduct(HEAP_MIB, settings);
        neighbour = new Neighbour(AbusedProduct.HOST, product.port());
        control = new Control(AbusedProduct.HOST);
        neighbour.undisturbed(WARM_UP_MILLIS);
    }

    @AfterAll
    static void stop() throws Exception {
        System.out.println(
                "Median / 99th percentile / worst of a neighbour before and during, of the control during; resident memory:");
        figures.forEach(System.out::println);
        control.stop();
        neighbour.stop();
        product.stop();
    }

    // ---- what is no AMQP

    @Test
    void garbage() throws Exception {
        Abuse abuse = new Abuse("garbage", "127.0.1.1");
        abuse.isWithstood(() -> abuse.flood(2, random -> {
            try (Abuser abuser = abuse.connect()) {
                byte[] bytes = new byte[1 + random.nextInt(4_000)];
                random.nextBytes(bytes);
                bytes[0] = 'X';
                abuser.say(bytes).awaitEnd();
            }
        }));
        abuse.isLoggedOnce("sent bytes of no protocol that is known here");
    }

    @Test
    void tlsOnThePlainPort() throws Exception {
        Abuse abuse = new Abuse("TLS", "127.0.1.2");
        abuse.isWithstood(() -> abuse.flood(2, random -> {
            try (Abuser abuser = abuse.connect()) {
                abuser.startTls();
            } catch (SSLException notTls) {
                // As it should be.
            }
        }));
        abuse.isLoggedOnce("sent a TLS handshake");
    }

    @Test
    void httpOnThePlainPort() throws Exception {
        Abuse abuse = new Abuse("HTTP", "127.0.1.3");
        byte[] request = "GET / HTTP/1.1\r\nHost: broker\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
        abuse.isWithstood(() -> abuse.flood(2, random -> {
            try (Abuser abuser = abuse.connect()) {
                abuser.say(request).awaitEnd();
            }
        }));
        abuse.isLoggedOnce("sent an HTTP request");
    }

    // ---- what is hardly AMQP

    @Test
    void garbageInFrames() throws Exception {
        Abuse abuse = new Abuse("garbage in frames", "127.0.1.4");
        abuse.isWithstood(() -> abuse.flood(4, random -> {
            try (Abuser abuser = abuse.connect().loggedIn().withChannel(1)) {
                byte[] payload = new byte[random.nextInt(4_000)];
                random.nextBytes(payload);
                if (payload.length >= 4) {
                    // Classes and methods that there are, more often than not.
                    ByteBuffer.wrap(payload)
                            .putShort((short) (10 * (1 + random.nextInt(9))))
                            .putShort((short) (10 * (1 + random.nextInt(12))));
                }
                abuser.say(Abuser.frame(1 + random.nextInt(3), random.nextInt(2), payload));
                abuser.say(Abuser.frame(Abuser.BODY, 1, payload));
            }
        }));
        abuse.isLoggedAFewTimes(" caused a connection error: ");
    }

    @Test
    void aFrameOfTwoGigabytes() throws Exception {
        Abuse abuse = new Abuse("2 GB frames", "127.0.1.5");
        byte[] head = ByteBuffer.allocate(7)
                .put((byte) Abuser.METHOD)
                .putShort((short) 1)
                .putInt(Integer.MAX_VALUE)
                .array();
        byte[] some = new byte[Abuser.FRAME_MAX];
        abuse.isWithstood(() -> abuse.flood(4, random -> {
            try (Abuser abuser = abuse.connect().loggedIn().withChannel(1)) {
                abuser.say(head).say(some).awaitEnd();
            }
        }));
        abuse.isLoggedOnce("FRAME_ERROR");
    }

    @Test
    void aFrameSlightlyTooLarge() throws Exception {
        Abuse abuse = new Abuse("frames above frame-max", "127.0.1.6");
        byte[] frame = Abuser.frame(Abuser.METHOD, 1, new byte[Abuser.FRAME_MAX + 1]);
        abuse.isWithstood(() -> abuse.flood(4, random -> {
            try (Abuser abuser = abuse.connect().loggedIn().withChannel(1)) {
                abuser.say(frame).awaitEnd();
            }
        }));
        abuse.isLoggedOnce("FRAME_ERROR");
    }

    @Test
    void tablesNestedWithoutEnd() throws Exception {
        Abuse abuse = new Abuse("table bombs", "127.0.1.7");
        byte[] declare = Abuser.frame(Abuser.METHOD, 1, declareWithNestedTables(Abuser.FRAME_MAX - 100));
        byte[] startOk = Abuser.frame(Abuser.METHOD, 0, startOkWithNestedTables(8_000));
        abuse.isWithstood(() -> abuse.flood(4, random -> {
            if (random.nextBoolean()) {
                try (Abuser abuser = abuse.connect()) {
                    abuser.say(Abuser.PROTOCOL_HEADER).say(startOk).awaitEnd();
                }
            } else {
                try (Abuser abuser = abuse.connect().loggedIn().withChannel(1)) {
                    abuser.say(declare).awaitEnd();
                }
            }
        }));
        abuse.isLoggedAFewTimes("_ERROR");
    }

    private static byte[] declareWithNestedTables(int bytes) throws IOException {
        ByteArrayOutputStream payload = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(payload);
        out.write(new byte[] {0, 50, 0, 10, 0, 0, 1, 'q', 0});
        out.write(nestedTables(bytes));
        return payload.toByteArray();
    }

    private static byte[] startOkWithNestedTables(int bytes) throws IOException {
        ByteArrayOutputStream payload = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(payload);
        out.write(new byte[] {0, 10, 0, 11});
        out.write(nestedTables(bytes));
        out.write(new byte[] {0, 0, 0, 0, 0, 0});
        return payload.toByteArray();
    }

    /** A table in a table in a table, as deep as so many bytes allow. */
    private static byte[] nestedTables(int bytes) {
        int level = 1 + 1 + 1 + 4;
        int depth = (bytes - 4) / level;
        ByteBuffer out = ByteBuffer.allocate(4 + depth * level);
        for (int left = depth; left > 0; left--) {
            out.putInt(left * level).put((byte) 1).put((byte) 'k').put((byte) 'F');
        }
        return out.putInt(0).array();
    }

    @Test
    void oneByteAtATime() throws Exception {
        Abuse abuse = new Abuse("one byte at a time", "127.0.1.8");
        abuse.isWithstood(() -> abuse.flood(8, random -> {
            try (Abuser abuser = abuse.connect().loggedIn().withChannel(1)) {
                byte[] publish = Abuser.publish(1, "nowhere", false, new byte[1_000]);
                for (byte b : publish) {
                    abuser.sayByte(b);
                }
            }
        }));
        abuse.isNotLogged();
    }

    // ---- connections

    @Test
    void thousandsOfSilentConnections() throws Exception {
        Abuse abuse = new Abuse("silent connections", "127.0.1.9");
        List<Abuser> silent = new ArrayList<>();
        abuse.isWithstood(() -> {
            for (int i = 0; i < CONNECTIONS; i++) {
                Abuser abuser = abuse.connect();
                silent.add(abuser);
                if (i % 2 == 1) {
                    abuser.say(Arrays.copyOf(Abuser.PROTOCOL_HEADER, 4));
                }
            }
            for (Abuser abuser : silent) {
                abuser.awaitEnd();
                abuser.close();
            }
        });
        abuse.isLoggedOnce("was still before it had said what protocol it speaks after 2000 ms");
    }

    @Test
    void thousandsOfHalfHandshakes() throws Exception {
        Abuse abuse = new Abuse("half handshakes", "127.0.1.10");
        byte[] begin = Arrays.copyOf(Abuser.login("guest", "guest"), 20);
        List<Abuser> halves = new ArrayList<>();
        abuse.isWithstood(() -> {
            for (int i = 0; i < CONNECTIONS; i++) {
                halves.add(abuse.connect().say(begin));
            }
            for (Abuser abuser : halves) {
                abuser.awaitEnd();
                abuser.close();
            }
        });
        abuse.isLoggedOnce("did not finish its handshake in time");
    }

    @Test
    void connectionsThatComeAndGo() throws Exception {
        Abuse abuse = new Abuse("connect and close", "127.0.1.11");
        abuse.isWithstood(() -> abuse.flood(2, random -> abuse.connect().close()));
        abuse.isNotLogged();
    }

    @Test
    void loginsThatComeAndGo() throws Exception {
        Abuse abuse = new Abuse("login and close", "127.0.1.12");
        abuse.isWithstood(() -> abuse.flood(2, random -> {
            try (Abuser abuser = abuse.connect().loggedIn()) {
                abuser.say(0, new AMQImpl.Connection.Close(200, "bye", 0, 0));
                abuser.await(AMQP.Connection.CloseOk.class);
            }
        }));
        abuse.isNotLogged();
    }

    @Test
    void wrongPasswords() throws Exception {
        Abuse abuse = new Abuse("wrong passwords", "127.0.1.13");
        abuse.isWithstood(() -> abuse.flood(50, random -> {
            try (Abuser abuser = abuse.connect()) {
                abuser.say(Abuser.login("guest", "guess " + random.nextInt())).awaitEnd();
            }
        }));
        abuse.isLoggedAFewTimes("Refused a login");
    }

    // ---- channels and queues

    @Test
    void channelsThatComeAndGo() throws Exception {
        Abuse abuse = new Abuse("channels open and close", "127.0.1.14");
        ByteArrayOutputStream many = new ByteArrayOutputStream();
        for (int i = 0; i < 100; i++) {
            many.writeBytes(Abuser.bytes(1, new AMQImpl.Channel.Open(""), new AMQImpl.Channel.Close(200, "bye", 0, 0)));
        }
        byte[] hundred = many.toByteArray();
        abuse.isWithstood(() -> abuse.flood(2, random -> {
            try (Abuser abuser = abuse.connect().loggedIn()) {
                for (int i = 0; i < 10; i++) {
                    abuser.say(hundred);
                    for (int closed = 0; closed < 100; closed++) {
                        abuser.await(AMQP.Channel.CloseOk.class);
                    }
                }
            }
        }));
        abuse.isNotLogged();
    }

    @Test
    void moreChannelsThanThereMayBe() throws Exception {
        Abuse abuse = new Abuse("channels beyond the limit", "127.0.1.15");
        ByteArrayOutputStream many = new ByteArrayOutputStream();
        for (int channel = 1; channel <= 2_048; channel++) {
            many.writeBytes(Abuser.bytes(channel, new AMQImpl.Channel.Open("")));
        }
        byte[] tooMany = many.toByteArray();
        abuse.isWithstood(() -> abuse.flood(4, random -> {
            try (Abuser abuser = abuse.connect().loggedIn()) {
                abuser.say(tooMany);
                abuser.await(AMQP.Connection.Close.class);
            }
        }));
        abuse.isLoggedOnce("number of channels opened (2047) has reached the negotiated channel_max (2047)");
    }

    @Test
    void moreQueuesThanThereMayBe() throws Exception {
        Abuse abuse = new Abuse("queues beyond the limit", "127.0.1.16");
        abuse.isWithstood(() -> abuse.flood(1, random -> {
            try (Abuser abuser = abuse.connect().loggedIn()) {
                for (int channel = 1; channel < 3; channel++) {
                    abuser.withChannel(channel);
                    ByteArrayOutputStream many = new ByteArrayOutputStream();
                    for (int i = 0; i <= QUEUES_MAX; i++) {
                        many.writeBytes(Abuser.bytes(channel, declareOwn("flood-" + channel + "-" + i)));
                    }
                    abuser.say(many.toByteArray());
                    abuser.await(AMQP.Channel.Close.class);
                }
            }
        }));
        abuse.isLoggedAFewTimes("queue limit in vhost '/' (" + QUEUES_MAX + ") is reached");
    }

    private static Method declareOwn(String queue) {
        return new AMQImpl.Queue.Declare(0, queue, false, false, true, true, true, Map.of());
    }

    // ---- who takes and does not give

    @Test
    void consumersThatNeverRead() throws Exception {
        Abuse abuse = new Abuse("consumers that never read", "127.0.1.17");
        int consumers = CONNECTIONS / 10;
        byte[] body = new byte[100 << 10];
        List<Abuser> slow = new ArrayList<>();
        abuse.isWithstood(() -> {
            for (int i = 0; i < consumers; i++) {
                Abuser abuser = abuse.connectWithReceiveBuffer(4_096).loggedIn().withChannel(1);
                abuser.say(
                        1,
                        new AMQImpl.Queue.Declare(0, "slow-" + i, false, false, false, true, true, Map.of()),
                        new AMQImpl.Basic.Consume(0, "slow-" + i, "", false, true, false, false, Map.of()));
                abuser.await(AMQP.Basic.ConsumeOk.class);
                slow.add(abuser);
            }
            try (Abuser publisher = abuse.connect().loggedIn().withChannel(1)) {
                for (int i = 0; i < consumers; i++) {
                    fill(publisher, "slow-" + i, body);
                }
            }
        });
        abuse.isLoggedAFewTimes("has not read for 2000 ms what it was sent; not listened to until it does");
        for (Abuser abuser : slow) {
            abuser.close();
        }
    }

    /** Publishes until the queue's consumer takes no more. */
    private static void fill(Abuser publisher, String queue, byte[] body) throws IOException {
        byte[] publish = Abuser.publish(1, queue, false, body);
        Method ask = new AMQImpl.Queue.Declare(0, queue, true, false, false, true, false, Map.of());
        int left = 0;
        for (int published = 0; left == 0 && published < 200; published++) {
            publisher.say(publish);
            publisher.say(1, ask);
            left = publisher.await(AMQP.Queue.DeclareOk.class).getMessageCount();
        }
        assertThat(left)
                .as("messages that the consumer of " + queue + " leaves")
                .isPositive();
    }

    @Test
    void publishersThatNeverReadWhatComesBack() throws Exception {
        Abuse abuse = new Abuse("publishers that never read", "127.0.1.18").lasting(4_000);
        int publishers = Math.max(4, CONNECTIONS / 40);
        byte[] returned = Abuser.publish(1, "nowhere", true, new byte[100 << 10]);
        List<Abuser> slow = new ArrayList<>();
        abuse.isWithstood(() -> {
            for (int i = 0; i < publishers; i++) {
                slow.add(abuse.connectWithReceiveBuffer(4_096).loggedIn().withChannel(1));
            }
            abuse.atOnce(slow, abuser -> {
                abuser.say(1, new AMQImpl.Confirm.Select(true));
                while (!abuse.isOver()) {
                    abuser.say(returned);
                }
            });
        });
        abuse.isLoggedOnce("has not read for 2000 ms what it was sent");
    }

    @Test
    void consumersThatNeverAcknowledge() throws Exception {
        Abuse abuse = new Abuse("deliveries never acknowledged", "127.0.1.19");
        byte[] body = new byte[500];
        abuse.isWithstood(() -> {
            try (Abuser hoarder = abuse.connect().loggedIn().withChannel(1)) {
                hoarder.say(
                        1,
                        declareOwn("hoard"),
                        new AMQImpl.Basic.Consume(0, "hoard", "", false, false, false, false, Map.of()));
                hoarder.await(AMQP.Basic.ConsumeOk.class);
                ByteArrayOutputStream many = new ByteArrayOutputStream();
                for (int i = 0; i < 1_000; i++) {
                    many.writeBytes(Abuser.publish(1, "hoard", false, body));
                }
                for (int i = 0; i < 30; i++) {
                    hoarder.say(many.toByteArray());
                    for (int delivered = 0; delivered < 1_000; delivered++) {
                        hoarder.await(AMQP.Basic.Deliver.class);
                    }
                }
                // Having them all, it takes them back and gets them again.
                while (!abuse.isOver()) {
                    hoarder.say(1, new AMQImpl.Basic.Recover(true));
                    for (int delivered = 0; delivered < 30_000; delivered++) {
                        hoarder.await(AMQP.Basic.Deliver.class);
                    }
                }
            }
        });
        abuse.isNotLogged();
    }

    @Test
    void messagesThatAreNeverFinished() throws Exception {
        Abuse abuse = new Abuse("messages never finished", "127.0.1.20");
        int bodyBytes = 60 << 20;
        byte[] part = Abuser.frame(Abuser.BODY, 1, new byte[Abuser.FRAME_MAX - 8]);
        List<Abuser> publishers = new ArrayList<>();
        abuse.isWithstood(() -> {
            for (int i = 0; i < 8; i++) {
                publishers.add(abuse.connect().loggedIn().withChannel(1));
            }
            abuse.atOnce(publishers, abuser -> {
                abuser.say(1, Abuser.basicPublish("nowhere", false));
                abuser.say(Abuser.header(1, bodyBytes));
                for (int sent = 0; sent + part.length < bodyBytes; sent += part.length) {
                    abuser.say(part);
                }
                abuser.awaitEnd();
            });
        });
        abuse.isLoggedOnce("RESOURCE_ERROR");
    }

    @Test
    void transactionsThatAreNeverCommitted() throws Exception {
        Abuse abuse = new Abuse("transactions never committed", "127.0.1.21");
        byte[] publish = Abuser.publish(1, "nowhere", false, new byte[100 << 10]);
        List<Abuser> publishers = new ArrayList<>();
        abuse.isWithstood(() -> {
            for (int i = 0; i < 8; i++) {
                publishers.add(abuse.connect().loggedIn().withChannel(1));
            }
            abuse.atOnce(publishers, abuser -> {
                abuser.say(1, new AMQImpl.Tx.Select());
                for (int sent = 0; sent < 60 << 20; sent += publish.length) {
                    abuser.say(publish);
                }
                abuser.awaitEnd();
            });
        });
        abuse.isLoggedAFewTimes("transaction");
    }

    /** One way of abuse from one address. Its threads end with it. */
    private static final class Abuse {
        private final String name;
        private final String address;
        private long abuseNanos = ABUSE_NANOS;
        private volatile long end;
        private int rounds;

        Abuse(String name, String address) {
            this.name = name;
            this.address = address;
        }

        /** One round of it. */
        @FunctionalInterface
        interface Round {
            void play(Random random) throws IOException;
        }

        /** What one of several connections does. */
        @FunctionalInterface
        interface Part {
            void play(Abuser abuser) throws IOException;
        }

        /** Lasts at least so long. */
        Abuse lasting(long millis) {
            abuseNanos = Math.max(ABUSE_NANOS, millis * 1_000_000);
            return this;
        }

        Abuser connect() throws IOException {
            return new Abuser(address, product.port());
        }

        Abuser connectWithReceiveBuffer(int bytes) throws IOException {
            return new Abuser(address, product.port(), bytes);
        }

        boolean isOver() {
            return System.nanoTime() - end > 0;
        }

        /** Measures before and during, and holds the product to the bars. */
        void isWithstood(Neighbour.Work work) throws Exception {
            Latencies before = neighbour.undisturbed(BASELINE_MILLIS);
            product.forgetPeak();
            end = System.nanoTime() + abuseNanos;
            control.begin();
            Latencies during = neighbour.during(work);
            Latencies machine = control.latencies();
            int peakMib = product.peakMib();
            figures.add(
                    "%-30s %s -> %s (%s), %d MiB, %d rounds".formatted(name, before, during, machine, peakMib, rounds));
            assertThat(product.isAlive()).isTrue();
            assertThat(peakMib).as("resident MiB").isLessThan(HEAP_MIB + BESIDE_HEAP_MIB_MAX);
            assertThat(during.p99Millis())
                    .as("a neighbour's 99th percentile, which was %.1f ms before", before.p99Millis())
                    .isLessThan(Math.max(SLOW_MILLIS, SLOWER_MAX * Math.max(before.p99Millis(), machine.p99Millis())));
        }

        /** Plays rounds on some threads until the time is over. That the broker hangs up is part of the game. */
        void flood(int threads, Round round) throws InterruptedException {
            List<Thread> flooding = new ArrayList<>();
            Faults faults = new Faults();
            for (int i = 0; i < threads; i++) {
                flooding.add(new Thread(() -> {
                    while (!isOver()) {
                        faults.watch(() -> round.play(ThreadLocalRandom.current()));
                    }
                }));
            }
            faults.run(flooding);
            rounds = faults.completed();
            assertThat(rounds)
                    .as("rounds that were completed; one ended with " + faults.lastHungUp())
                    .isPositive();
        }

        /** Lets all play their parts at the same time, and hang up when the time is over. */
        void atOnce(List<Abuser> abusers, Part part) throws Exception {
            List<Thread> playing = new ArrayList<>();
            Faults faults = new Faults();
            for (Abuser abuser : abusers) {
                playing.add(new Thread(() -> faults.watch(() -> part.play(abuser))));
            }
            playing.add(new Thread(() -> faults.watch(() -> {
                for (long left = end - System.nanoTime(); left > 0; left = end - System.nanoTime()) {
                    LockSupport.parkNanos(left);
                }
                for (Abuser abuser : abusers) {
                    abuser.close();
                }
            })));
            faults.run(playing);
        }

        void isLoggedOnce(String reason) {
            product.awaitComplaintAbout(address, reason);
            assertThat(product.complaintsAbout(address)).hasSize(1);
        }

        /** For what can be said in several ways. */
        void isLoggedAFewTimes(String reason) {
            product.awaitComplaintAbout(address, reason);
            assertThat(product.complaintsAbout(address)).hasSizeLessThanOrEqualTo(COMPLAINTS_OF_ONE_ADDRESS_MAX);
        }

        /** For what is a nuisance, but not wrong. */
        void isNotLogged() {
            assertThat(product.complaintsAbout(address)).isEmpty();
        }
    }
}
