package org.entrepot.distribution;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Publishes numbered messages at QoS 1 or 2, and after each break what was not answered again, as the specification wants it
 * (4.4). Used as {@link MqttParty} is.
 */
final class MqttPublisher extends MqttParty {
    private static final int IDS = 65_535;
    private static final int WINDOW = 40;

    private final MqttLedger ledger;
    private final int number;
    private final int qos;
    /** Messages that are not acknowledged, by packet identifier, in the order in which they were published. */
    private final Map<Integer, Sent> unanswered = new LinkedHashMap<>();

    private int lastId;
    /** Messages that it may still publish. */
    private int left = Integer.MAX_VALUE;

    /** A message that was sent, and whether its PUBREC has come. */
    private record Sent(int message, boolean received) {}

    MqttPublisher(MqttLedger ledger, int number, int level, int qos, long seed) {
        super(level, "publisher-" + number, seed);
        this.ledger = ledger;
        this.number = number;
        this.qos = qos;
    }

    /** Publishes so many new messages, and ends when all of its messages are acknowledged. */
    void finish(int messages) {
        left = messages;
        calm();
    }

    @Override
    void begun(MqttClient client) {}

    @Override
    void goOn(MqttClient client, int packets) throws IOException {
        unanswered.forEach((id, sent) -> {
            if (sent.received()) {
                client.answer(MqttClient.PUBREL, id);
            } else {
                send(client, id, sent.message(), true);
            }
        });
        for (int i = 0; i < packets && !isStopped(); i++) {
            while (left > 0 && unanswered.size() < WINDOW) {
                left--;
                int id = freeId();
                int message = ledger.publish(number);
                unanswered.put(id, new Sent(message, false));
                send(client, id, message, false);
            }
            client.flush();
            if (unanswered.isEmpty()) {
                stop();
                return;
            }
            answered(client, client.read());
        }
    }

    private int freeId() {
        do {
            lastId = lastId % IDS + 1;
        } while (unanswered.containsKey(lastId));
        return lastId;
    }

    private void send(MqttClient client, int id, int message, boolean duplicate) {
        byte[] payload = ByteBuffer.allocate(2 * Integer.BYTES)
                .putInt(number)
                .putInt(message)
                .array();
        client.publish("kill/" + number, payload, qos, id, false, duplicate);
    }

    private void answered(MqttClient client, MqttClient.Packet packet) {
        Sent sent = unanswered.get(packet.id());
        if (sent == null || packet.reason() != 0) {
            if (packet.type() == MqttClient.PUBCOMP && sent != null) {
                // The broker had finished with it, and its answer was lost.
                unanswered.remove(packet.id());
                ledger.acknowledged(number);
                return;
            }
            throw new AssertionError(clientId() + " has got " + packet + " for " + sent);
        }
        switch (packet.type()) {
            case MqttClient.PUBREC -> {
                unanswered.put(packet.id(), new Sent(sent.message(), true));
                client.answer(MqttClient.PUBREL, packet.id());
            }
            case MqttClient.PUBACK, MqttClient.PUBCOMP -> {
                unanswered.remove(packet.id());
                ledger.acknowledged(number);
            }
            default -> throw new AssertionError(clientId() + " has got " + packet);
        }
    }
}
