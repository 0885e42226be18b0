package org.entrepot.core.config;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import com.code_intelligence.jazzer.mutation.annotation.NotNull;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.entrepot.core.Effort;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Any text is a configuration or a list of what is wrong, fit to print and without the secret in it; and what is shown of a
 * configuration, written to a file, is the same configuration.
 *
 * <p>Of the text, lines that begin with {@code $} are variables, those with {@code --} are of the command line, the others
 * of the file.
 */
class ConfigurationFuzzTest {
    private static final Path HOME = Path.of("/nowhere");
    private static final int BYTES_MAX = 64 << 20;
    private static final int PROBLEM_CHARS_MAX = 1_000;
    private static final String SECRET = "a.secret";
    private static final String PASSWORD = "correct horse battery staple";

    private static final List<KeyGroup> KEYS = Stream.concat(
                    ConfigurationLoaderTest.KEYS.stream(), Stream.of(KeyGroup.disabledPlugin("gone")))
            .toList();

    @MethodSource("seeds")
    @FuzzTest
    void saysWhatIsWrongOrKeepsWhatIsWritten(byte @NotNull [] data) throws Exception {
        String text = new String(data, StandardCharsets.UTF_8);
        if (text.contains("file:")) {
            // The loader would read it.
            return;
        }
        ConfigurationLoader loader = new ConfigurationLoader(sources(text + "\n" + SECRET + " = " + PASSWORD));
        Configuration preview = Effort.within(BYTES_MAX, () -> loader.preview(KEYS));
        Configuration configuration;
        try {
            configuration = Effort.within(BYTES_MAX, () -> loader.load(KEYS));
        } catch (ConfigurationException wrong) {
            assertThat(wrong.problems()).isNotEmpty();
            for (ConfigurationException.Problem problem : wrong.problems()) {
                isFitToPrint(problem.toString(), text);
            }
            return;
        }
        configuration.warnings().forEach(warning -> isFitToPrint(warning, text));
        assertThat(preview.shown()).isEqualTo(configuration.shown());
        assertThat(values(new ConfigurationLoader(file(configuration)).load(KEYS)))
                .isEqualTo(values(configuration));
    }

    private static void isFitToPrint(String line, String input) {
        assertThat(line).hasSizeLessThan(PROBLEM_CHARS_MAX);
        assertThat(Printable.of(line, Integer.MAX_VALUE)).isEqualTo(line);
        if (!input.contains(PASSWORD)) {
            assertThat(line).doesNotContain(PASSWORD);
        }
    }

    private static ConfigurationSources sources(String text) {
        List<String> lines = new ArrayList<>();
        List<String> overrides = new ArrayList<>();
        Map<String, String> variables = new HashMap<>();
        text.lines().forEach(line -> {
            if (line.startsWith("--")) {
                overrides.add(line.substring(2));
            } else if (line.startsWith("$")) {
                int equals = line.indexOf('=');
                variables.put(
                        equals < 0 ? line.substring(1) : line.substring(1, equals),
                        equals < 0 ? "" : line.substring(equals + 1));
            } else {
                lines.add(line);
            }
        });
        return ConfigurationSources.none(HOME)
                .withLines("entrepot.conf", lines)
                .withEnvironment(variables)
                .withOverrides(overrides, HOME);
    }

    /** All that may be shown, as lines of a file. */
    private static ConfigurationSources file(Configuration configuration) {
        List<String> lines = new ArrayList<>();
        for (Configuration.Shown shown : configuration.shown()) {
            if (!(shown.origin() instanceof Origin.Default)) {
                lines.add(shown.key() + " = " + shown.value());
            }
        }
        return ConfigurationSources.none(HOME).withLines("entrepot.conf", lines);
    }

    private static Map<String, Object> values(Configuration configuration) {
        Map<String, Object> values = new HashMap<>();
        for (Configuration.Shown shown : configuration.shown()) {
            values.put(shown.key(), shown.value());
        }
        values.put("path", configuration.path("a.path"));
        values.put("size", configuration.size("a.size"));
        values.put("time", configuration.duration("a.long-time"));
        values.put("list", configuration.list("a.list"));
        return values;
    }

    static Stream<byte[]> seeds() {
        return Stream.of(
                        "",
                        "# a comment\n\na.text = some = text # not a comment\na.list = x,y, z\na.number = 90",
                        "a.size = 16 MiB\na.long-time = 1 d\na.flag = false\na.choice = green\na.path = ../x\na.name = n",
                        "a.number = 7\na.number = 8\na.numbr = 9\n= 5\nnonsense",
                        "a.size = 99999999999999999999 GiB\na.long-time = 5\na.list = ,\na.flag = yes\na.choice =",
                        "$ENTREPOT_A_NUMBER=12\n$ENTREPOT_A_NUMBR=1\n$ENTREPOT_PORT=tcp://10.0.0.1:5672\n$ENTREPOT_B=1",
                        "--a.number=12\n--a.name = \n--\n--x=\u001b[31m",
                        "gone.key = 1\nlistener.gone.port = 5\n$ENTREPOT_GONE_KEY=1",
                        "a.secret = mine")
                .map(text -> text.getBytes(StandardCharsets.UTF_8));
    }
}
