package org.entrepot.core.topology;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import com.code_intelligence.jazzer.mutation.annotation.NotNull;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.ByteArrayInputStream;
import java.io.CharConversionException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.stream.Stream;
import org.entrepot.core.Effort;
import org.junit.jupiter.params.provider.MethodSource;

/** Any bytes are definitions or a refusal that says where and why, and the same document written otherwise means the same. */
class DefinitionsFuzzTest {
    private static final JsonMapper MAPPER = new JsonMapper();

    /** For inputs of the few kilobytes that a fuzzer makes: paths of deeply nested values, mostly. */
    private static final int BYTES_MAX = 32 << 20;

    private final DefinitionsReader reader =
            new DefinitionsReader(new DefinitionsTest.Arguments(), new DefinitionsTest.Passwords());

    @MethodSource("seeds")
    @FuzzTest
    void meansTheSameWhenWrittenOtherwise(byte @NotNull [] data) throws Exception {
        Definitions definitions;
        try {
            definitions = Effort.within(BYTES_MAX, () -> read(data));
        } catch (DefinitionsException refused) {
            assertThat(refused).hasMessageStartingWith("test: ").message().hasSizeGreaterThan("test: ".length());
            return;
        } catch (CharConversionException notText) {
            return;
        }
        for (Definitions.Item item : definitions.changes()) {
            assertThat(item.path()).isNotEmpty();
        }
        assertThat(definitions.warnings()).isSorted().doesNotHaveDuplicates();
        byte[] pretty = MAPPER.writerWithDefaultPrettyPrinter().writeValueAsBytes(MAPPER.readTree(data));
        assertThat(read(pretty)).isEqualTo(definitions);
    }

    private Definitions read(byte[] document) throws IOException {
        return reader.read("test", new ByteArrayInputStream(document));
    }

    static Stream<byte[]> seeds() {
        return Stream.of(
                        DefinitionsTest.REALISTIC,
                        "{}",
                        "",
                        "[]",
                        "{\"users\": [{\"name\": \"a\", \"password\": \"p\"}]}",
                        "{\"users\": [{\"name\": \"\", \"tags\": [\"\", 1]}]}",
                        "{\"queues\": [{\"vhost\": \"/\", \"name\": \"q\", \"arguments\": {\"a\": [1e400, -0.0, 1e-9]}}]}",
                        "{\"queues\": [{\"vhost\": \"/\", \"name\": \"q\", \"arguments\": {\"x-max-length\": -1}}]}",
                        "{\"parameters\": [{\"component\": \"vhost-limits\", \"vhost\": \"/\", \"value\": 5}]}",
                        "{\"bindings\": [{\"source\": \"x\", \"vhost\": \"/\", \"destination\": \"\"}]}",
                        "{\"a\": " + "[".repeat(1_100) + "]".repeat(1_100) + "}")
                .map(text -> text.getBytes(StandardCharsets.UTF_8));
    }
}
