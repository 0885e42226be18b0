package org.entrepot.core.config;

import static org.entrepot.spi.ConfigurationKey.choice;
import static org.entrepot.spi.ConfigurationKey.duration;
import static org.entrepot.spi.ConfigurationKey.list;
import static org.entrepot.spi.ConfigurationKey.number;
import static org.entrepot.spi.ConfigurationKey.optional;
import static org.entrepot.spi.ConfigurationKey.size;
import static org.entrepot.spi.ConfigurationKey.text;

import java.util.List;
import java.util.Optional;
import org.entrepot.core.config.KeyGroup.Requirement;
import org.entrepot.spi.ConfigurationKey;
import org.entrepot.spi.ConfigurationKey.Kind;
import org.entrepot.spi.protocol.WebSocketEndpoint;

/** The core's own configuration keys, with their defaults and meanings. Stateless. */
public final class CoreKeys {
    public static final String LISTENER_ADDRESS = "listener.address";
    public static final String LISTENER_BACKLOG = "listener.backlog";
    public static final String LISTENER_CONNECTIONS_MAX = "listener.connections-max";
    public static final String LISTENER_CONNECTIONS_PER_ADDRESS_MAX = "listener.connections-per-address-max";
    public static final String LISTENER_HANDSHAKE_TIMEOUT = "listener.handshake-timeout";
    public static final String LISTENER_SEND_BUFFER = "listener.send-buffer";
    public static final String LISTENER_PROXY_PROTOCOL_SOURCES = "listener.proxy-protocol.sources";
    public static final String LISTENER_TLS_CERTIFICATE = "listener.tls.certificate";
    public static final String LISTENER_TLS_KEY = "listener.tls.key";
    public static final String LISTENER_TLS_KEY_PASSWORD = "listener.tls.key-password";
    public static final String LISTENER_TLS_CLIENT_CERTIFICATE = "listener.tls.client-certificate";
    public static final String LISTENER_TLS_TRUST = "listener.tls.trust";
    public static final String LISTENER_TLS_HANDSHAKE_TIMEOUT = "listener.tls.handshake-timeout";
    public static final String LISTENER_TLS_PROTOCOLS = "listener.tls.protocols";

    public static final String LOOPS = "loops";
    public static final String NODE_NAME = "node.name";
    public static final String CLUSTER_NAME = "cluster.name";
    public static final String DATA_DIRECTORY = "data.directory";
    public static final String STORAGE_ENGINE = "storage.engine";
    public static final String DEFINITIONS_FILE = "definitions.file";
    public static final String SHUTDOWN_GRACE = "shutdown.grace";
    public static final String PLUGINS_DIRECTORY = "plugins.directory";
    public static final String PLUGINS_DISABLED = "plugins.disabled";
    public static final String LOG_FORMAT = "log.format";
    public static final String LOG_LEVEL = "log.level";

    public static final String MEMORY_HIGH_WATERMARK = "memory.high-watermark";
    public static final String MEMORY_MESSAGES_MAX = "memory.messages-max";
    public static final String DISK_FREE_MIN = "disk.free-min";
    public static final String MESSAGE_SIZE_MAX = "message.size-max";
    public static final String CONNECTION_SESSIONS_MAX = "connection.sessions-max";
    public static final String CONNECTION_CONSUMERS_MAX = "connection.consumers-max";
    public static final String VIRTUAL_HOST_QUEUES_MAX = "virtual-host.queues-max";
    public static final String VIRTUAL_HOST_EXCHANGES_MAX = "virtual-host.exchanges-max";
    public static final String VIRTUAL_HOST_BINDINGS_MAX = "virtual-host.bindings-max";

    public static final String SECURITY_AUTHENTICATORS = "security.authenticators";
    public static final String SECURITY_AUTHORIZERS = "security.authorizers";
    public static final String SECURITY_ANONYMOUS_USER = "security.anonymous-user";
    public static final String SECURITY_LOOPBACK_USERS = "security.loopback-users";
    public static final String SECURITY_CERTIFICATE_NAME = "security.certificate-name";
    public static final String SECURITY_LOGIN_CACHE = "security.login-cache";
    public static final String SECURITY_FAILURES_FREE = "security.failures-free";
    public static final String SECURITY_FAILURE_PAUSE_MAX = "security.failure-pause-max";
    public static final String SECURITY_SCRAM_ITERATIONS = "security.scram-iterations";

    private CoreKeys() {}

    /** All of the core's keys, by section. */
    public static List<KeyGroup> groups() {
        return List.of(listeners(), node(), plugins(), logs(), limits(), security());
    }

    /**
     * The keys of a protocol's listeners: for protocols that are not a plugin's, whose plugin declares them.
     *
     * @param defaultPort where plain connections are taken; -1 for nowhere
     */
    public static KeyGroup protocol(String name, int defaultPort) {
        return KeyGroup.core("Listeners for " + name, ConfigurationKey.listener(name, defaultPort));
    }

    /** The same for a protocol that is spoken through WebSocket too. */
    public static KeyGroup protocol(String name, int defaultPort, WebSocketEndpoint endpoint) {
        return KeyGroup.core("Listeners for " + name, ConfigurationKey.listener(name, defaultPort, endpoint));
    }

    private static KeyGroup listeners() {
        List<ConfigurationKey> keys = List.of(
                list(
                        LISTENER_ADDRESS,
                        "*",
                        "Addresses that clients may connect to; * is every address of this machine, IPv4 and IPv6. No"
                                + " default account works from another machine."),
                number(LISTENER_BACKLOG, 1024, "Connections that may wait to be accepted, for each port.")
                        .between(1, 65_535),
                number(
                                LISTENER_CONNECTIONS_MAX,
                                100_000,
                                "Most connections at once, all ports together; further ones are closed at once. At most as"
                                        + " many as the process may have files open (ulimit -n), less 256.")
                        .between(1, 10_000_000),
                number(
                                LISTENER_CONNECTIONS_PER_ADDRESS_MAX,
                                0,
                                "Most connections at once from one address; 0 sets no limit.")
                        .between(0, 10_000_000),
                duration(
                                LISTENER_HANDSHAKE_TIMEOUT,
                                "10 s",
                                "How long a client may take from connecting, TLS included, to having logged in.")
                        .between(100, 600_000),
                size(
                                LISTENER_SEND_BUFFER,
                                "0 B",
                                "The system's buffer, for each connection, for what a client has not received yet; 0 B leaves it"
                                        + " to the system, which lets it grow to megabytes for a client that does not read.")
                        .between(0, 64 << 20),
                list(
                        LISTENER_PROXY_PROTOCOL_SOURCES,
                        "",
                        "Addresses and networks (10.0.0.0/8) of proxies that announce their clients' addresses by the"
                                + " PROXY protocol. Connections from there must begin with it; from elsewhere it is"
                                + " not understood."),
                optional(
                        LISTENER_TLS_CERTIFICATE,
                        Kind.PATH,
                        "PEM file with the server's certificate, followed by those between it and the authority."),
                optional(LISTENER_TLS_KEY, Kind.PATH, "PEM file with the certificate's private key (PKCS #8)."),
                optional(LISTENER_TLS_KEY_PASSWORD, Kind.SECRET, "Password of the private key, where it has one."),
                choice(
                        LISTENER_TLS_CLIENT_CERTIFICATE,
                        "none",
                        List.of("none", "wanted", "required"),
                        "Whether clients are asked for a certificate, and may connect without one."),
                optional(
                        LISTENER_TLS_TRUST,
                        Kind.PATH,
                        "PEM file with the certificates of authorities that vouch for clients."),
                duration(
                                LISTENER_TLS_HANDSHAKE_TIMEOUT,
                                "5 s",
                                "How long a client may take for the TLS handshake alone.")
                        .between(100, 600_000),
                new ConfigurationKey(
                        LISTENER_TLS_PROTOCOLS,
                        Kind.LIST,
                        Optional.of("TLSv1.3, TLSv1.2"),
                        List.of("TLSv1.3", "TLSv1.2"),
                        0,
                        Long.MAX_VALUE,
                        "Versions of TLS that clients may use."));
        return KeyGroup.core("Ports, TLS", keys)
                .requiring(List.of(
                        new Requirement("listener.*.tls.port", "", LISTENER_TLS_CERTIFICATE),
                        new Requirement("listener.*.tls.port", "", LISTENER_TLS_KEY),
                        new Requirement("listener.*.wss.port", "", LISTENER_TLS_CERTIFICATE),
                        new Requirement("listener.*.wss.port", "", LISTENER_TLS_KEY),
                        new Requirement(LISTENER_TLS_CLIENT_CERTIFICATE, "none", LISTENER_TLS_TRUST)));
    }

    private static KeyGroup node() {
        return KeyGroup.core(
                "This node",
                List.of(
                        optional(NODE_NAME, Kind.TEXT, "The node's name; unset takes the machine's."),
                        text(CLUSTER_NAME, "entrepot", "The cluster's name, which clients may show."),
                        number(
                                        LOOPS,
                                        0,
                                        "Threads that serve connections and queues; 0 takes as many as there are cores.")
                                .between(0, 1024),
                        new ConfigurationKey(
                                DATA_DIRECTORY,
                                Kind.PATH,
                                Optional.of("data"),
                                List.of(),
                                0,
                                Long.MAX_VALUE,
                                "Where the broker keeps what lasts; made at the first start."),
                        text(
                                STORAGE_ENGINE,
                                "file",
                                "What keeps queues and their messages: file, or the name of another engine that a plugin"
                                        + " brings, or memory, which forgets all when the broker stops."),
                        optional(
                                DEFINITIONS_FILE,
                                Kind.PATH,
                                "JSON file, as RabbitMQ exports it, with users, virtual hosts, permissions, policies,"
                                        + " exchanges, queues and bindings that are made at every start where they are"
                                        + " not there."),
                        duration(
                                        SHUTDOWN_GRACE,
                                        "10 s",
                                        "How long clients may take to answer the broker's goodbye when it stops.")
                                .between(0, 3_600_000)));
    }

    private static KeyGroup plugins() {
        return KeyGroup.core(
                "Plugins",
                List.of(
                        new ConfigurationKey(
                                PLUGINS_DIRECTORY,
                                Kind.PATH,
                                Optional.of("plugins"),
                                List.of(),
                                0,
                                Long.MAX_VALUE,
                                "Where the plugins' zip files are."),
                        list(PLUGINS_DISABLED, "", "Ids of plugins that are there but not to be started.")));
    }

    private static KeyGroup logs() {
        return KeyGroup.core(
                "Log, which goes to standard output",
                List.of(
                        choice(LOG_FORMAT, "text", List.of("text", "json"), "Lines for people, or a JSON object each."),
                        choice(
                                LOG_LEVEL,
                                "info",
                                List.of("error", "warn", "info", "debug", "trace"),
                                "The least important lines to write.")));
    }

    private static KeyGroup limits() {
        return KeyGroup.core(
                "Limits",
                List.of(
                        number(
                                        MEMORY_HIGH_WATERMARK,
                                        40,
                                        "Per cent of the heap that, when in use after a collection, stops publishers"
                                                + " until less is.")
                                .between(1, 90),
                        size(
                                        MEMORY_MESSAGES_MAX,
                                        "64 MiB",
                                        "What messages may take of memory before queues let those go from it that will be"
                                                + " delivered last, and read them again in time; at most 60 per cent of"
                                                + " memory.high-watermark. Of effect where the storage engine keeps messages"
                                                + " elsewhere too. More is seldom faster: the system keeps in memory what was"
                                                + " written last.")
                                .between(1L << 20, 1L << 50),
                        size(
                                        DISK_FREE_MIN,
                                        "512 MiB",
                                        "Space that stays free on the disk of the data directory: with less, publishers"
                                                + " are stopped.")
                                .between(0, 1L << 50),
                        size(MESSAGE_SIZE_MAX, "64 MiB", "Largest message, header and body together.")
                                .between(1L << 10, 512L << 20),
                        number(CONNECTION_SESSIONS_MAX, 2047, "Most sessions (AMQP: channels) of a connection.")
                                .between(1, 65_535),
                        number(CONNECTION_CONSUMERS_MAX, 20_000, "Most consumers of a connection.")
                                .between(1, 10_000_000),
                        number(VIRTUAL_HOST_QUEUES_MAX, 100_000, "Most queues of a virtual host.")
                                .between(1, 10_000_000),
                        number(VIRTUAL_HOST_EXCHANGES_MAX, 20_000, "Most exchanges of a virtual host.")
                                .between(1, 10_000_000),
                        number(VIRTUAL_HOST_BINDINGS_MAX, 1_000_000, "Most bindings of a virtual host.")
                                .between(1, 100_000_000)));
    }

    private static KeyGroup security() {
        return KeyGroup.core(
                "Logins and permissions",
                List.of(
                        list(
                                SECURITY_AUTHENTICATORS,
                                "internal",
                                "Who may vouch for a client, in the order asked: internal for the broker's own users, or"
                                        + " names that plugins bring."),
                        list(
                                SECURITY_AUTHORIZERS,
                                "internal",
                                "Who decides what a client may do; all must agree. Internal for the permissions of the"
                                        + " broker's own users, or names that plugins bring."),
                        text(
                                SECURITY_ANONYMOUS_USER,
                                "",
                                "The user that clients are who log in by ANONYMOUS; empty lets nobody in that way."),
                        list(
                                SECURITY_LOOPBACK_USERS,
                                "guest",
                                "Users that may log in from this machine only, whatever proxies announce."),
                        choice(
                                SECURITY_CERTIFICATE_NAME,
                                "dn",
                                List.of("cn", "dn", "san"),
                                "What of a client's certificate is its user's name, for logins by EXTERNAL: the subject's"
                                        + " common name, its whole distinguished name (RFC 2253), or the first"
                                        + " alternative name."),
                        duration(
                                        SECURITY_LOGIN_CACHE,
                                        "5 min",
                                        "How long a password found right is taken for right without the work of a slow"
                                                + " hash; a change of any user ends it at once. 0 s turns it off.")
                                .between(0, 3_600_000),
                        number(
                                        SECURITY_FAILURES_FREE,
                                        10,
                                        "Failed logins of one user from one address in a row before further ones must"
                                                + " wait.")
                                .between(1, 1_000_000),
                        duration(
                                        SECURITY_FAILURE_PAUSE_MAX,
                                        "10 s",
                                        "Longest wait after failed logins; it begins with 1 s and doubles. 0 s turns"
                                                + " waiting off.")
                                .between(0, 86_400_000),
                        number(
                                        SECURITY_SCRAM_ITERATIONS,
                                        15_000,
                                        "Rounds of hashing of a new password for logins by SCRAM-SHA-256. Clients do them"
                                                + " anew at each login, small devices slowly; whoever steals the store does"
                                                + " them for each guess.")
                                .between(4_096, 1_000_000)));
    }
}
