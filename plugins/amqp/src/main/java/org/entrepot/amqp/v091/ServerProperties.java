package org.entrepot.amqp.v091;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.entrepot.amqp.v091.wire.FieldTable;
import org.entrepot.spi.BrokerIdentity;

/** What the server says of itself in connection.start. */
final class ServerProperties {

    /** All that RabbitMQ announces, and all of it is done. */
    private static final List<String> CAPABILITIES = List.of(
            "publisher_confirms",
            "exchange_exchange_bindings",
            "basic.nack",
            "consumer_cancel_notify",
            "connection.blocked",
            "consumer_priorities",
            "authentication_failure_close",
            "per_consumer_qos",
            "direct_reply_to");

    private ServerProperties() {}

    static FieldTable of(AmqpSettings settings) {
        BrokerIdentity identity = settings.identity();
        Map<String, Object> capabilities = new LinkedHashMap<>();
        for (String capability : CAPABILITIES) {
            capabilities.put(capability, true);
        }
        Map<String, Object> properties = new LinkedHashMap<>();
        properties.put("capabilities", capabilities);
        properties.put("cluster_name", identity.cluster());
        properties.put("copyright", "Copyright (c) the " + identity.product() + " authors");
        properties.put("information", "Licensed under the Apache License, Version 2.0");
        properties.put("platform", "Java " + Runtime.version().feature());
        properties.put("product", settings.product());
        properties.put("version", settings.version());
        properties.put("entrepot_product", identity.product());
        properties.put("entrepot_version", identity.version());
        properties.put("node", identity.node());
        return FieldTable.of(properties);
    }
}
