package org.entrepot.mqtt;

import org.jspecify.annotations.Nullable;

/**
 * What a client's CONNECT says, with what is configured counted in. Immutable.
 *
 * @param level 3, 4 or 5 for MQTT 3.1, 3.1.1 and 5
 * @param clientId its own, or what was made up for it
 * @param cleanStart whether an older session is thrown away
 * @param expirySeconds how long the session outlives its connection; {@link #NEVER} for as long as the broker lives
 * @param receiveMaximum most deliveries at QoS 1 and 2 of one queue that it has unanswered
 * @param limitsDeliveries whether it wants no more than these of all queues together
 * @param packetMax largest packet that it takes, in bytes
 * @param topicAliasMaximum most topic aliases that it knows
 * @param problemInformation whether it wants reason strings
 * @param will what is published when it goes without a goodbye; null for nothing
 */
record ClientOptions(
        int level,
        String clientId,
        boolean cleanStart,
        long expirySeconds,
        int receiveMaximum,
        boolean limitsDeliveries,
        int packetMax,
        int topicAliasMaximum,
        boolean problemInformation,
        @Nullable Will will) {

    /** {@link #expirySeconds} of a session that does not expire (specification 3.1.2.11.2). */
    static final long NEVER = 0xFFFF_FFFFL;

    boolean version5() {
        return level == 5;
    }

    /** What operators see. */
    String protocol() {
        return switch (level) {
            case 3 -> "MQTT 3.1";
            case 4 -> "MQTT 3.1.1";
            default -> "MQTT 5";
        };
    }
}
