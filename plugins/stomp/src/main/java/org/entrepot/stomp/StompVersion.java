package org.entrepot.stomp;

import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.entrepot.stomp.wire.Header;

/** The versions of STOMP, from old to new. */
enum StompVersion {
    V1_0("1.0"),
    V1_1("1.1"),
    V1_2("1.2");

    /** All of them as an ERROR frame lists them. */
    static final String LIST = Stream.of(values()).map(StompVersion::text).collect(Collectors.joining(","));

    private final String text;

    StompVersion(String text) {
        this.text = text;
    }

    String text() {
        return text;
    }

    /** The newest of the versions that a client lists with commas between; empty where none is known. */
    static Optional<StompVersion> newestOf(String list) {
        List<String> asked = List.of(list.split(",", -1));
        StompVersion newest = null;
        for (StompVersion version : values()) {
            if (asked.contains(version.text)) {
                newest = version;
            }
        }
        return Optional.ofNullable(newest);
    }

    /** The header by which ACK and NACK name a message. */
    Header acknowledgement() {
        return this == V1_2 ? Header.ID : Header.MESSAGE_ID;
    }
}
