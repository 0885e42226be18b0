package org.entrepot.amqp.v091;

/** Names of queues and exchanges as texts say them, and as they are taken from clients. */
final class Names {
    private static final String DEFAULT_EXCHANGE = "";

    private Names() {}

    /** "queue 'x' in vhost '/'". */
    static String queue(String virtualHost, String name) {
        return "queue '" + name + "' in vhost '" + virtualHost + "'";
    }

    /** "exchange 'x' in vhost '/'". */
    static String exchange(String virtualHost, String name) {
        return "exchange '" + name + "' in vhost '" + virtualHost + "'";
    }

    /** A name without the line breaks that RabbitMQ takes out. */
    static String stripped(String name) {
        if (name.indexOf('\n') < 0 && name.indexOf('\r') < 0) {
            return name;
        }
        return name.replace("\n", "").replace("\r", "");
    }

    static boolean isDefaultExchange(String name) {
        return name.equals(DEFAULT_EXCHANGE);
    }
}
