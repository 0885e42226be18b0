package org.entrepot.core.listener;

/** Why a connection was not handed to a protocol; also the value of the tag of its counter. */
enum Refusal {
    /** The node has as many connections as it may. */
    NODE_FULL("node-full"),
    /** Its source address has as many connections as one may. */
    ADDRESS_FULL("address-full"),
    /** It came from a trusted proxy without a good PROXY protocol header. */
    NO_PROXY_HEADER("proxy-header"),
    /** It spoke something else on a port with TLS. */
    NOT_TLS("not-tls"),
    /** Its TLS handshake failed or took too long. */
    TLS_FAILED("tls-handshake"),
    /** It asked for something else than WebSocket on a port for WebSocket, or in another way than it must. */
    WEBSOCKET_REFUSED("websocket-handshake"),
    /** Its first bytes are of no protocol on its port. */
    UNKNOWN_PROTOCOL("unknown-protocol"),
    /** It had not said what it is when its time was over. */
    TOO_SLOW("too-slow"),
    /** It went away after some bytes, before it had said what it is. */
    LEFT("left"),
    /** It went away without a byte, as checks of a port's health do. */
    SILENT("silent"),
    /** The broker has stopped accepting. */
    STOPPING("stopping"),
    /** The broker failed to serve it. */
    FAULT("fault");

    private final String tag;

    Refusal(String tag) {
        this.tag = tag;
    }

    String tag() {
        return tag;
    }
}
