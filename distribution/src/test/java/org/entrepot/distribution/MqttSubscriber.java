package org.entrepot.distribution;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.Set;

/**
 * Is delivered everything at QoS 1 or 2, and keeps the identifiers of what it has and was not released, as the specification
 * wants it (4.3.3, method B). Used as {@link MqttParty} is.
 */
final class MqttSubscriber extends MqttParty {
    private final MqttLedger ledger;
    private final int number;
    private final int qos;
    private final Set<Integer> received = new HashSet<>();

    MqttSubscriber(MqttLedger ledger, int number, int level, int qos, long seed) {
        super(level, "subscriber-" + number, seed);
        this.ledger = ledger;
        this.number = number;
        this.qos = qos;
    }

    @Override
    void begun(MqttClient client) throws IOException {
        client.subscribe("kill/#", qos);
    }

    @Override
    void goOn(MqttClient client, int packets) throws IOException {
        client.ping();
        client.flush();
        for (int left = packets; left > 0 && !isStopped(); left--) {
            take(client, client.read());
            // Answers leave in lumps, so that connections break between a packet and its answer.
            if (!client.hasMore() && left > 1) {
                client.flush();
            }
        }
    }

    private void take(MqttClient client, MqttClient.Packet packet) {
        switch (packet.type()) {
            case MqttClient.PUBLISH -> {
                if (packet.qos() == 2) {
                    if (received.add(packet.id())) {
                        arrived(packet);
                    }
                    client.answer(MqttClient.PUBREC, packet.id());
                } else {
                    arrived(packet);
                    client.answer(MqttClient.PUBACK, packet.id());
                }
            }
            case MqttClient.PUBREL -> {
                received.remove(packet.id());
                client.answer(MqttClient.PUBCOMP, packet.id());
            }
            default -> {
                if (!MqttClient.isPong(packet)) {
                    throw new AssertionError(clientId() + " has got " + packet);
                }
            }
        }
    }

    private void arrived(MqttClient.Packet packet) {
        ByteBuffer payload = ByteBuffer.wrap(packet.payload());
        ledger.arrived(number, payload.getInt(), payload.getInt());
    }
}
