package org.entrepot.mqtt.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.entry;

import java.nio.charset.StandardCharsets;
import org.entrepot.spi.message.Bytes;
import org.junit.jupiter.api.Test;

/** What a header is stored as is what is read from it. */
class StoredHeaderTest {
    private static Bytes header(int qos, boolean retain, String clientId, String properties) {
        byte[] id = clientId.getBytes(StandardCharsets.UTF_8);
        byte[] block = Wire.bytes(properties);
        byte[] target = new byte[StoredHeader.length(id, block.length)];
        int at = StoredHeader.write(target, qos, retain, id);
        System.arraycopy(block, 0, target, at, block.length);
        assertThat(at + block.length).isEqualTo(target.length);
        return Bytes.wrap(target);
    }

    private static boolean isFrom(Bytes header, String clientId) {
        return StoredHeader.isFrom(header, clientId.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void flagsAreRead() {
        for (int qos = 0; qos <= 2; qos++) {
            for (boolean retain : new boolean[] {false, true}) {
                Bytes header = header(qos, retain, "client", "");
                assertThat(StoredHeader.qos(header)).isEqualTo(qos);
                assertThat(StoredHeader.isRetain(header)).isEqualTo(retain);
                assertThat(StoredHeader.isFromStore(header)).isFalse();
                assertThat(StoredHeader.clientId(header)).isEqualTo("client");
            }
        }
    }

    @Test
    void aCopyFromTheStoreIsTheSameButMarked() {
        Bytes header = header(2, true, "client", "26 `a` `b`");
        Bytes copy = StoredHeader.fromStore(header);

        assertThat(StoredHeader.isFromStore(copy)).isTrue();
        assertThat(StoredHeader.isFromStore(header)).isFalse();
        assertThat(StoredHeader.qos(copy)).isEqualTo(2);
        assertThat(StoredHeader.isRetain(copy)).isTrue();
        assertThat(StoredHeader.clientId(copy)).isEqualTo("client");
        assertThat(new StoredProperties(copy).user()).containsExactly(entry("a", "b"));
    }

    @Test
    void aPublisherIsKnownAgainByItsWholeIdentifier() {
        Bytes header = header(1, false, "clé", "26 `a` `b`");

        assertThat(isFrom(header, "clé")).isTrue();
        assertThat(isFrom(header, "clè")).isFalse();
        assertThat(isFrom(header, "cl")).isFalse();
        assertThat(isFrom(header, "")).isFalse();
        assertThat(isFrom(header(1, false, "", ""), "")).isTrue();
    }

    @Test
    void anIdentifierMayBeAsLongAsItCanBeSaid() {
        String id = "x".repeat(65_535);
        Bytes header = header(0, false, id, "01 01");

        assertThat(StoredHeader.clientId(header)).isEqualTo(id);
        assertThat(isFrom(header, id)).isTrue();
        assertThat(StoredHeader.propertiesIndex(header)).isEqualTo(header.length() - 2);
        assertThat(new StoredProperties(header).text()).isTrue();
    }

    @Test
    void allPropertiesAreRead() {
        StoredProperties properties = new StoredProperties(header(
                0,
                false,
                "c",
                "26 `b` `1` 01 00 03 `text/plain` 26 `a` `2` 08 `re/ply` 09 0002 00ff 26 `b` `3` 26 `` ``"));

        assertThat(properties.text()).isFalse();
        assertThat(properties.contentType()).isEqualTo("text/plain");
        assertThat(properties.responseTopic()).isEqualTo("re/ply");
        assertThat(properties.correlationData()).isEqualTo(Bytes.wrap(new byte[] {0, (byte) 0xFF}));
        assertThat(properties.user()).containsExactly(entry("b", "1"), entry("a", "2"), entry("", ""));
    }

    @Test
    void whatIsNotThereIsNot() {
        StoredProperties properties = new StoredProperties(header(0, false, "", ""));

        assertThat(properties.text()).isNull();
        assertThat(properties.contentType()).isNull();
        assertThat(properties.responseTopic()).isNull();
        assertThat(properties.correlationData()).isNull();
        assertThat(properties.user()).isEmpty();
    }

    @Test
    void whatIsNeverStoredIsNotRead() {
        assertThatThrownBy(() -> new StoredProperties(header(0, false, "", "23 0001")))
                .hasMessage("a stored header with property 35");
    }
}
