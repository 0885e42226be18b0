package org.entrepot.core.queue;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import org.entrepot.core.loop.Loop;
import org.entrepot.spi.message.Annotations;
import org.entrepot.spi.message.DeathReason;
import org.entrepot.spi.message.Envelope;
import org.entrepot.spi.message.Message;
import org.entrepot.spi.message.RoutingKey;
import org.entrepot.spi.session.Outcome;
import org.entrepot.spi.storage.LogTransaction;
import org.entrepot.spi.topology.DeadLetter;
import org.entrepot.spi.topology.QueueLimits;
import org.entrepot.spi.topology.QueueLimits.Overflow;
import org.entrepot.spi.topology.QueueSpec;
import org.entrepot.spi.topology.Retention;

/**
 * A queue machine that is talked to in text, for scenario files: commands in, all effects out. The language is described in
 * README.md beside the files.
 */
final class Scenario implements QueueEffects {
    /** Times that a machine may want to be woken in one command. */
    private static final int TICKS_MAX = 100;

    private final StringBuilder out = new StringBuilder();
    private final SimulatedLog log = new SimulatedLog();
    private final WaitingReceipts waiting = new WaitingReceipts();
    private final Map<String, QueueConsumer> consumers = new HashMap<>();
    private final Map<QueueConsumer, String> names = new HashMap<>();
    private final Map<String, TextPublisher> sessions = new HashMap<>();
    private final Map<String, TransactionPart> parts = new HashMap<>();
    /** What is settled in transactions, by the log's. */
    private final Map<LogTransaction, List<long[]>> settledIn = new HashMap<>();
    /** Entries of transactions that are not decided. */
    private final Set<Long> undecided = new HashSet<>();

    private final Map<String, TextPublisher> publishers = new HashMap<>();
    private final Map<String, String> settings = new TreeMap<>();
    private QueueMachine machine;
    private long now;
    private long wakeAt = Long.MAX_VALUE;
    private long loadFrom = -1;
    private boolean durableLater;

    /** A publisher that is only a name and a number. */
    private static final class TextPublisher implements Publisher {
        final String name;
        long published;

        TextPublisher(String name) {
            this.name = name;
        }

        @Override
        public Loop loop() {
            throw new AssertionError("the machine knows no loops");
        }

        @Override
        public void receipt(long number, boolean stored) {
            throw new AssertionError("the machine answers through its effects");
        }

        @Override
        public void hold() {
            throw new AssertionError("the machine holds nobody");
        }

        @Override
        public void resume() {
            throw new AssertionError("the machine holds nobody");
        }
    }

    /** What one pass of the loop does: the commands one after the other, then the dispatch; gives all effects. */
    String pass(List<String> commands) {
        out.setLength(0);
        for (String command : commands) {
            run(new Words(command));
        }
        machine.dispatch(now);
        return out.isEmpty() ? "nothing\n" : out.toString();
    }

    private void run(Words words) {
        switch (words.verb()) {
            case "queue" -> {
                configure(words);
                durableLater = words.has("durable-later");
                machine = new QueueMachine(spec(), this, log, false, now);
            }
            case "reconfigure" -> {
                configure(words);
                machine.reconfigure(spec(), now);
            }
            case "at" -> passTime(words.number());
            case "clock" -> now = words.number();
            case "publish" -> publish(words);
            case "attach" -> attach(words);
            case "detach" -> machine.detach(consumer(words.next()), now);
            case "release" -> machine.release(session(words.next()), now);
            case "grant" -> machine.grantBytes(consumer(words.next()), words.number());
            case "lend" -> machine.lend(consumer(words.next()), (int) words.number());
            case "share" -> machine.share(consumer(words.next()), words.next().equals("on"));
            case "settle" -> settle(words);
            case "prepare" -> prepare(words);
            case "commit" -> commit(parts.remove(words.next()));
            case "give-up" -> machine.givenUp(parts.remove(words.next()));
            case "pull" -> pull(words);
            case "purge" -> say("purged " + machine.purge(now));
            case "dead-letter" -> {
                long position = words.number();
                boolean taken = words.next().equals("taken");
                say(machine.deadLettered(position, taken) ? "again later" : "done");
            }
            case "used" -> machine.used(now);
            case "durable" -> waiting.answerUpTo(log.index(), this::answer, true);
            case "failed" -> waiting.answerUpTo(Long.MAX_VALUE, this::answer, false);
            case "evict" -> log.evict(words.number(), words.number());
            case "load" -> {
                long from = loadFrom;
                loadFrom = -1;
                machine.loaded(from, log.load(from, (int) words.number()), now);
            }
            case "delete" -> say("deleted with " + machine.delete("queue is deleted", now) + " ready");
            case "state" -> describe();
            case "counters" -> describeCounters();
            default -> throw new IllegalArgumentException("no such command: " + words.verb());
        }
    }

    private void passTime(long instant) {
        for (int ticks = 0; wakeAt <= instant; ticks++) {
            if (ticks == TICKS_MAX) {
                throw new AssertionError("the machine has itself woken again and again at " + now);
            }
            now = Math.max(now, wakeAt);
            wakeAt = Long.MAX_VALUE;
            say("tick at " + now);
            machine.tick(now);
        }
        now = Math.max(now, instant);
    }

    private void configure(Words words) {
        settings.putAll(words.options());
        settings.values().removeIf(value -> value.equals("none"));
    }

    private QueueSpec spec() {
        Overflow overflow = switch (settings.getOrDefault("overflow", "drop-head")) {
            case "drop-head" -> Overflow.DROP_HEAD;
            case "reject" -> Overflow.REJECT_PUBLISH;
            case "reject-dead-letter" -> Overflow.REJECT_PUBLISH_DEAD_LETTER;
            default -> throw new IllegalArgumentException("no such overflow");
        };
        QueueLimits limits = new QueueLimits(
                setting("max-length"), setting("max-bytes"), overflow, setting("ttl"), setting("expires"));
        String deadLetter = settings.get("dead-letter");
        OptionalLong deliveryLimit = setting("delivery-limit");
        return new QueueSpec(
                "q",
                true,
                false,
                settings.containsKey("auto-delete"),
                false,
                limits,
                deadLetter == null
                        ? null
                        : new DeadLetter("dlx", RoutingKey.of("dead"), deadLetter.equals("at-least-once")),
                (int) setting("priorities").orElse(1),
                (int) setting("default-priority").orElse(0),
                settings.containsKey("single-active"),
                deliveryLimit.isPresent() ? OptionalInt.of((int) deliveryLimit.getAsLong()) : OptionalInt.empty(),
                OptionalLong.empty(),
                settings.containsKey("table") ? Retention.LATEST_PER_KEY : Retention.SETTLED,
                Map.of());
    }

    private OptionalLong setting(String name) {
        String value = settings.get(name);
        return value == null ? OptionalLong.empty() : OptionalLong.of(Long.parseLong(value));
    }

    private void publish(Words words) {
        TextPublisher publisher = publishers.computeIfAbsent(words.option("by", "p"), TextPublisher::new);
        Envelope envelope = TestMessages.envelope(
                words.option("key", "key"),
                !words.has("transient"),
                (int) words.option("priority", Envelope.NO_PRIORITY),
                words.option("ttl", Envelope.NO_TTL));
        for (String name : words.rest()) {
            Message message = TestMessages.of(name, (int) words.option("bytes", 10));
            machine.enqueue(message, envelope, Annotations.NONE, publisher, ++publisher.published, now);
        }
    }

    private void attach(Words words) {
        String name = words.next();
        OptionalLong lease = words.has("lease") ? OptionalLong.of(words.option("lease", 0)) : OptionalLong.empty();
        QueueConsumer.Terms terms = new QueueConsumer.Terms(
                words.has("settled"),
                words.has("exclusive"),
                (int) words.option("priority", 0),
                (int) words.option("window", 0),
                words.has("shared"),
                lease);
        QueueConsumer consumer =
                new QueueConsumer(null, session(words.option("session", "s")), terms, words.option("bytes", 100_000));
        names.put(consumer, name);
        QueueMachine.Attached attached = machine.attach(consumer, now);
        if (attached == QueueMachine.Attached.YES) {
            consumers.put(name, consumer);
        } else {
            say("refused " + attached);
        }
    }

    private static Outcome outcome(String name) {
        return Outcome.valueOf(name.toUpperCase(Locale.ROOT));
    }

    private void settle(Words words) {
        Object session = session(words.next());
        String ranges = words.next();
        Outcome outcome = outcome(words.next());
        for (String range : ranges.split(",", -1)) {
            String[] ends = range.split("-", -1);
            long from = Long.parseLong(ends[0]);
            long to = ends.length == 1 ? from : ends[1].equals("all") ? Long.MAX_VALUE : Long.parseLong(ends[1]);
            machine.settle(session, from, to, outcome);
        }
    }

    private void prepare(Words words) {
        String name = words.next();
        TransactionPart part = new TransactionPart(null, session(words.option("session", "s")), () -> {});
        for (String message : words.option("publish", "").split(",", -1)) {
            if (!message.isEmpty()) {
                part.publish(
                        TestMessages.of(message, 10),
                        TestMessages.envelope(words.option("key", "key"), true, Envelope.NO_PRIORITY, ttl(words)));
            }
        }
        for (String key : words.option("erase", "").split(",", -1)) {
            if (!key.isEmpty()) {
                part.publish(
                        TestMessages.of("none", 0),
                        TestMessages.envelope(key, true, Envelope.NO_PRIORITY, Envelope.NO_TTL));
            }
        }
        for (String settle : words.option("settle", "").split(",", -1)) {
            if (!settle.isEmpty()) {
                String[] range = settle.substring(0, settle.indexOf(':')).split("-", -1);
                part.settle(
                        Long.parseLong(range[0]),
                        Long.parseLong(range[range.length - 1]),
                        outcome(settle.substring(settle.indexOf(':') + 1)));
            }
        }
        part.begin((owner, answer) -> {});
        boolean taken = machine.prepare(part, now);
        say(name + (taken ? part.isEmpty() ? " has nothing to do" : " prepared" : " refused"));
        if (taken) {
            parts.put(name, part);
        }
    }

    private static long ttl(Words words) {
        return words.option("ttl", Envelope.NO_TTL);
    }

    private void commit(TransactionPart part) {
        for (int i = 0; i < part.prepared(); i++) {
            if (part.message(i).body().length() > 0) {
                undecided.remove(part.position(i));
            }
        }
        settledIn.getOrDefault(part.transaction(), List.of()).forEach(range -> log.release(range[0], range[1]));
        machine.committed(part);
    }

    private void pull(Words words) {
        String session = words.next();
        long left = machine.pull(
                session(session),
                words.has("settled"),
                (position, returns, message, envelope, annotations) ->
                        say("pulled by " + session + " " + entry(position, returns, message)),
                now);
        say(left == QueueMachine.LATER ? "later" : left == QueueMachine.NOTHING ? "nothing to pull" : left + " left");
    }

    private void describe() {
        machine.dispatch(now);
        List<String> ready = new ArrayList<>();
        List<String> held = new ArrayList<>();
        List<String> dying = new ArrayList<>();
        List<String> waits = new ArrayList<>();
        QueueState state = machine.state();
        for (SimulatedLog.Entry entry : log.entries().values()) {
            String name = entry.position + "=" + TestMessages.name(entry.message);
            if (state.leases().holder(entry.position) != null) {
                held.add(name);
            } else if (state.isDying(entry.position)) {
                dying.add(name);
            } else if (state.isReady(entry.position)) {
                ready.add(name);
            } else if (undecided.contains(entry.position)) {
                waits.add(name);
            } else {
                throw new AssertionError(name + " is in the log and nowhere else");
            }
        }
        say("ready " + ready + " held " + held + " dying " + dying + (waits.isEmpty() ? "" : " undecided " + waits)
                + " bytes " + machine.readyBytes() + " consumers " + machine.consumerCount());
    }

    private void describeCounters() {
        machine.dispatch(now);
        QueueCounters counters = machine.counters();
        say("published " + counters.published + " delivered " + counters.delivered + " redelivered "
                + counters.redelivered + " acknowledged " + counters.acknowledged + " returned " + counters.returned);
        say("refused " + counters.refused + " purged " + counters.purged + " rejected " + counters.rejected
                + " expired " + counters.expired + " overflowed " + counters.overflowed + " delivery-limited "
                + counters.deliveryLimited + " dead-lettered " + counters.deadLettered);
    }

    private QueueConsumer consumer(String name) {
        QueueConsumer consumer = consumers.get(name);
        if (consumer == null) {
            throw new IllegalArgumentException("no consumer " + name);
        }
        return consumer;
    }

    private TextPublisher session(String name) {
        return sessions.computeIfAbsent(name, TextPublisher::new);
    }

    private void say(String line) {
        out.append(line).append('\n');
    }

    private static String entry(long position, int returns, Message message) {
        String text = position + "=" + TestMessages.name(message);
        return returns == ReturnCounts.NEVER ? text : text + " redelivered, failures " + returns;
    }

    // What the machine wants done.

    @Override
    public boolean append(long position, long stamp, Message message, Envelope envelope, Annotations annotations) {
        waiting.appended(log.append(position, stamp, message, envelope, annotations));
        say("append " + position + "=" + TestMessages.name(message) + (stamp == now ? "" : " stamp " + stamp));
        return !durableLater || !envelope.durable();
    }

    @Override
    public void settled(long from, long to, long lastingBytes) {
        say("settled " + (from == to ? "" + from : from + "-" + to));
        log.release(from, to);
    }

    @Override
    public void returned(long position, int failures) {
        say("returned " + position + ", failures " + failures);
    }

    @Override
    public boolean erased(RoutingKey key, long below, boolean durable) {
        say("erased " + key + " below " + below);
        waiting.appended(log.note());
        return !durableLater;
    }

    @Override
    public void erased(LogTransaction in, RoutingKey key, long below) {
        say("in the transaction: erased " + key + " below " + below);
    }

    @Override
    public void append(LogTransaction in, long position, long stamp, Message message, Envelope envelope) {
        log.append(position, stamp, message, envelope, Annotations.NONE);
        undecided.add(position);
        say("in the transaction: append " + position + "=" + TestMessages.name(message));
    }

    @Override
    public void settled(LogTransaction in, long from, long to, long lastingBytes) {
        settledIn.computeIfAbsent(in, none -> new ArrayList<>()).add(new long[] {from, to});
        say("in the transaction: settled " + (from == to ? "" + from : from + "-" + to));
    }

    @Override
    public void returned(LogTransaction in, long position, int failures) {
        say("in the transaction: returned " + position + ", failures " + failures);
    }

    @Override
    public void dies(LogTransaction in, long position, DeathReason reason, int lane, int bytes) {
        say("in the transaction: " + position + " dies, " + reason + ", " + bytes + " bytes");
    }

    @Override
    public void givenUp(long position) {
        undecided.remove(position);
        log.release(position, position);
        say("given up " + position);
    }

    @Override
    public void emptied() {}

    @Override
    public void load(long from) {
        say("load from " + from);
        loadFrom = from;
    }

    @Override
    public void deliver(
            QueueConsumer consumer,
            long position,
            int returns,
            Message message,
            Envelope envelope,
            Annotations annotations) {
        say("deliver to " + names.get(consumer) + " " + entry(position, returns, message));
    }

    @Override
    public void answer(Publisher publisher, long number, boolean stored) {
        say("receipt " + ((TextPublisher) publisher).name + number + (stored ? " stored" : " refused"));
    }

    @Override
    public void answerWhenDurable(Publisher publisher, long number) {
        waiting.add(publisher, number);
    }

    @Override
    public void deadLetter(
            long position,
            DeathReason reason,
            DeadLetter to,
            Message message,
            Envelope envelope,
            Annotations annotations) {
        String place = position == Intake.NOWHERE ? "" : position + "=";
        say("dead letter " + place + TestMessages.name(message) + ": " + reason);
    }

    @Override
    public void wants(QueueConsumer consumer, int messages) {
        say(names.get(consumer) + " wants " + messages);
    }

    @Override
    public void unused(QueueConsumer consumer, int places) {
        say("unused by " + names.get(consumer) + " " + places);
    }

    @Override
    public void active(QueueConsumer consumer, boolean active) {
        say((active ? "active " : "inactive ") + names.get(consumer));
    }

    @Override
    public void revoked(QueueConsumer consumer, String reason) {
        say("revoked " + names.get(consumer) + ": " + reason);
    }

    @Override
    public void leaseExpired(QueueConsumer consumer, long leaseMillis) {
        say("lease expired: " + names.get(consumer) + " after " + leaseMillis);
    }

    @Override
    public void wakeAt(long instant) {
        say("wake at " + instant);
        wakeAt = instant;
    }

    @Override
    public void abandoned() {
        say("abandoned");
    }

    /** A command, taken apart: a verb, words, options {@code name=value}, and flags, which are options without a value. */
    private static final class Words {
        private static final List<String> FLAGS = List.of(
                "transient",
                "settled",
                "exclusive",
                "shared",
                "auto-delete",
                "single-active",
                "table",
                "durable-later");

        private final String verb;
        private final List<String> words = new ArrayList<>();
        private final Map<String, String> options = new HashMap<>();
        private int at;

        Words(String command) {
            String[] parts = command.split(" +", -1);
            verb = parts[0];
            for (int i = 1; i < parts.length; i++) {
                int equals = parts[i].indexOf('=');
                if (equals > 0) {
                    options.put(parts[i].substring(0, equals), parts[i].substring(equals + 1));
                } else if (FLAGS.contains(parts[i])) {
                    options.put(parts[i], "");
                } else {
                    words.add(parts[i]);
                }
            }
        }

        String verb() {
            return verb;
        }

        String next() {
            return words.get(at++);
        }

        List<String> rest() {
            return words.subList(at, words.size());
        }

        long number() {
            return Long.parseLong(next());
        }

        Map<String, String> options() {
            return options;
        }

        boolean has(String option) {
            return options.containsKey(option);
        }

        String option(String name, String otherwise) {
            return options.getOrDefault(name, otherwise);
        }

        long option(String name, long otherwise) {
            return has(name) ? Long.parseLong(options.get(name)) : otherwise;
        }
    }
}
