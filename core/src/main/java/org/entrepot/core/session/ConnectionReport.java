package org.entrepot.core.session;

import java.util.Map;
import org.entrepot.spi.protocol.ConnectionFacts;

/** How a connection is at one moment. Immutable. */
public record ConnectionReport(
        long id,
        String protocol,
        String clientName,
        String user,
        String virtualHost,
        ConnectionFacts facts,
        int sessions,
        int consumers,
        boolean blocked,
        long openedMillis,
        Map<String, Object> clientProperties) {}
