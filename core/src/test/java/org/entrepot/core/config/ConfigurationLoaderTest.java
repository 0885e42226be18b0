package org.entrepot.core.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.entrepot.spi.ConfigurationKey;
import org.entrepot.spi.ConfigurationKey.Kind;
import org.entrepot.spi.Settings;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ConfigurationLoaderTest {
    private static final Path HOME = Path.of("/opt/entrepot");
    private static final Path CWD = Path.of("/home/somebody");

    static final List<KeyGroup> KEYS = List.of(KeyGroup.core(
            "Test",
            List.of(
                    ConfigurationKey.text("a.text", "some text", "A text."),
                    ConfigurationKey.list("a.list", "x, y", "A list."),
                    ConfigurationKey.number("a.number", 5, "A number.").between(1, 90),
                    ConfigurationKey.size("a.size", "16 MiB", "A size.").between(1 << 10, 512 << 20),
                    ConfigurationKey.duration("a.long-time", "10 s", "A time."),
                    ConfigurationKey.flag("a.flag", true, "A flag."),
                    ConfigurationKey.choice("a.choice", "red", List.of("red", "green"), "A choice."),
                    ConfigurationKey.optional("a.path", Kind.PATH, "A path."),
                    ConfigurationKey.optional("a.secret", Kind.SECRET, "A secret."),
                    ConfigurationKey.optional("a.name", Kind.TEXT, "A name."))));

    private static ConfigurationSources lines(String... lines) {
        return ConfigurationSources.none(HOME).withLines("entrepot.conf", List.of(lines));
    }

    private static Configuration load(ConfigurationSources sources) throws ConfigurationException {
        return new ConfigurationLoader(sources).load(KEYS);
    }

    private static List<String> problems(ConfigurationSources sources) {
        return problems(sources, KEYS);
    }

    private static List<String> problems(ConfigurationSources sources, List<KeyGroup> keys) {
        ConfigurationException exception =
                catchThrowableOfType(ConfigurationException.class, () -> new ConfigurationLoader(sources).load(keys));
        assertThat(exception).isNotNull();
        List<String> problems =
                exception.problems().stream().map(Object::toString).toList();
        assertThat(exception).hasMessageContainingAll(problems.toArray(new String[0]));
        return problems;
    }

    @Test
    void anEmptyFileGivesDefaults() throws ConfigurationException {
        Configuration configuration = load(lines());

        assertThat(configuration.text("a.text")).isEqualTo("some text");
        assertThat(configuration.list("a.list")).containsExactly("x", "y");
        assertThat(configuration.number("a.number")).isEqualTo(5);
        assertThat(configuration.size("a.size")).isEqualTo(16 << 20);
        assertThat(configuration.duration("a.long-time")).isEqualTo(Duration.ofSeconds(10));
        assertThat(configuration.flag("a.flag")).isTrue();
        assertThat(configuration.choice("a.choice")).isEqualTo("red");
        assertThat(configuration.path("a.path")).isEmpty();
        assertThat(configuration.secret("a.secret")).isEmpty();
        assertThat(configuration.optionalText("a.name")).isEmpty();
        assertThat(configuration.isSet("a.name")).isFalse();
        assertThat(configuration.isSet("a.text")).isTrue();
        assertThat(configuration.origin("a.text").shown()).isEqualTo("default");
    }

    @Test
    void everyKindIsReadFromTheFile() throws ConfigurationException {
        Configuration configuration = load(lines(
                "# a comment",
                "",
                "  a.text=  with = and # inside  ",
                "a.list = one,two ,  three",
                "a.number = 90",
                "a.size = 2KiB",
                "a.long-time = 3 min",
                "a.flag = false",
                "a.choice = green",
                "a.path = tls/server.pem",
                "a.secret = hunter2 ",
                "a.name = n"));

        assertThat(configuration.text("a.text")).isEqualTo("with = and # inside");
        assertThat(configuration.list("a.list")).containsExactly("one", "two", "three");
        assertThat(configuration.number("a.number")).isEqualTo(90);
        assertThat(configuration.size("a.size")).isEqualTo(2048);
        assertThat(configuration.duration("a.long-time")).isEqualTo(Duration.ofMinutes(3));
        assertThat(configuration.flag("a.flag")).isFalse();
        assertThat(configuration.choice("a.choice")).isEqualTo("green");
        assertThat(configuration.path("a.path")).contains(HOME.resolve("tls/server.pem"));
        assertThat(configuration.secret("a.secret")).hasValue("hunter2".toCharArray());
        assertThat(configuration.optionalText("a.name")).contains("n");
        assertThat(configuration.origin("a.size").shown()).isEqualTo("entrepot.conf:6");
    }

    @Test
    void theCommandLineWinsOverTheEnvironmentAndThatOverTheFile() throws ConfigurationException {
        Configuration configuration = load(lines("a.text = file", "a.number = 7", "a.long-time = 1 s")
                .withEnvironment(
                        Map.of("ENTREPOT_A_TEXT", "environment", "ENTREPOT_A_LONG_TIME", "2 s", "PATH", "/bin"))
                .withOverrides(List.of("a.text=first", "a.text = last"), CWD));

        assertThat(configuration.text("a.text")).isEqualTo("last");
        assertThat(configuration.duration("a.long-time")).isEqualTo(Duration.ofSeconds(2));
        assertThat(configuration.number("a.number")).isEqualTo(7);
        assertThat(configuration.origin("a.text").shown()).isEqualTo("--set a.text");
        assertThat(configuration.origin("a.long-time").shown()).isEqualTo("environment variable ENTREPOT_A_LONG_TIME");
    }

    @Test
    void relativePathsOfTheCommandLineAreRelativeToTheWorkingDirectory() throws ConfigurationException {
        assertThat(load(lines().withOverrides(List.of("a.path=../data"), CWD)).path("a.path"))
                .contains(Path.of("/home/data"));
        assertThat(load(lines().withEnvironment(Map.of("ENTREPOT_A_PATH", "data")))
                        .path("a.path"))
                .contains(HOME.resolve("data"));
        assertThat(load(lines().withOverrides(List.of("a.path=/var/lib"), CWD)).path("a.path"))
                .contains(Path.of("/var/lib"));
    }

    @Test
    void everythingThatIsWrongIsReportedAtOnce() {
        assertThat(problems(lines("a.numbr = 5", "nonsense", "a.number = 91", "a.text = x", "a.text = y", "= 5")
                        .withEnvironment(Map.of("ENTREPOT_A_FLAG", "yes", "ENTREPOT_A_FLAGG", "true"))
                        .withOverrides(List.of("a.choice=blue", "zebra=1", "novalue"), CWD)))
                .containsExactly(
                        "entrepot.conf:1: unknown key 'a.numbr'; did you mean a.number?",
                        "entrepot.conf:2: not understood; allowed: KEY = VALUE, # and a comment, or an empty line",
                        "entrepot.conf:5: 'a.text' is set a second time; the first is in line 4",
                        "entrepot.conf:6: not understood; allowed: KEY = VALUE, # and a comment, or an empty line",
                        "environment variable ENTREPOT_A_FLAGG: stands for no key; did you mean ENTREPOT_A_FLAG?",
                        "--set zebra: unknown key 'zebra'",
                        "--set: not understood; allowed: --set KEY=VALUE",
                        "entrepot.conf:3: a.number: '91' is out of bounds; allowed: a whole number from 1 to 90",
                        "environment variable ENTREPOT_A_FLAG: a.flag: 'yes' is neither; allowed: true or false",
                        "--set a.choice: 'blue' is not among the choices; allowed: one of red, green");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "a.size = 16 MB | '16 MB' has the unknown unit 'MB'; allowed: a number with one of the units B, KiB, MiB, GiB, from 1 KiB to 512 MiB",
                "a.size = 16 | '16' has no unit",
                "a.size = MiB | 'MiB' does not begin with a whole number",
                "a.size = 1.5 GiB | '1.5 GiB' has the unknown unit '.5 GiB'",
                "a.size = -1 KiB | does not begin with a whole number",
                "a.size = 1 GiB | '1 GiB' is out of bounds",
                "a.size = 9223372036854775807 GiB | is too great",
                "a.size = 99999999999999999999 B | is out of range",
                "a.size = | is empty",
                "a.long-time = 5 sec | '5 sec' has the unknown unit 'sec'; allowed: a number with one of the units ms, s, min, h, d",
                "a.long-time = 5 KiB | unknown unit 'KiB'",
                "a.number = five | 'five' is not a whole number",
                "a.number = - | is not a whole number",
                "a.number = 0 | is out of bounds",
                "a.number = 99999999999999999999 | is out of range",
                "a.number = | is empty",
                "a.list = a,,b | has an empty item",
                "a.flag = TRUE | is neither",
                "a.choice = Red | is not among the choices",
            })
    void aValueThatIsNotAllowedIsRefused(String line, String reason) {
        assertThat(problems(lines(line))).singleElement().asString().contains(reason);
    }

    @Test
    void anEmptyValueUnsetsWhatMayBeUnsetAndEmptiesTextsAndLists() throws ConfigurationException {
        Configuration configuration = load(lines("a.name = before", "a.secret = before", "a.text =", "a.list =")
                .withEnvironment(Map.of("ENTREPOT_A_NAME", "", "ENTREPOT_A_SECRET", "")));

        assertThat(configuration.isSet("a.name")).isFalse();
        assertThat(configuration.secret("a.secret")).isEmpty();
        assertThat(configuration.text("a.text")).isEmpty();
        assertThat(configuration.list("a.list")).isEmpty();
    }

    @Test
    void whatIsWrongInAWeakerSourceIsReportedToo() {
        assertThat(problems(lines("a.number = x").withOverrides(List.of("a.number=5"), CWD)))
                .hasSize(1);
    }

    @Test
    void hostileTextIsShownHarmless() {
        List<String> problems = problems(lines("a.number = \u001b[31m5", "bad\u202ekey = 1")
                .withEnvironment(Map.of("ENTREPOT_A_TEXT", "two\nlines")));

        assertThat(problems)
                .noneMatch(problem -> problem.chars().anyMatch(c -> c < ' ' || c == 0x202e))
                .anyMatch(problem -> problem.contains("'bad\\u202ekey'"))
                .contains("entrepot.conf:1: a.number: has a line break or another control character in it; allowed: a"
                        + " whole number from 1 to 90");
    }

    @Test
    void whatTheStartScriptAndOrchestratorsSetIsPassedOver() throws ConfigurationException {
        load(lines().withEnvironment(Map.of(
                "ENTREPOT_HOME", "/opt/entrepot",
                "ENTREPOT_JAVA_OPTS", "-Xmx1g",
                "ENTREPOT_SERVICE_HOST", "10.0.0.1",
                "ENTREPOT_SERVICE_PORT", "5672",
                "ENTREPOT_SERVICE_PORT_AMQP", "5672",
                "ENTREPOT_PORT", "tcp://10.0.0.1:5672",
                "ENTREPOT_PORT_5672_TCP", "tcp://10.0.0.1:5672",
                "ENTREPOT_PORT_5672_TCP_ADDR", "10.0.0.1",
                "ENTREPOT_NODES_PORT", "tcp://10.0.0.1:5672")));

        assertThat(problems(lines().withEnvironment(Map.of("ENTREPOT_A_NODES_PORT", "5672"))))
                .hasSize(1);
    }

    @Test
    void aSecretMayBeInAFile(@TempDir Path directory) throws Exception {
        Files.writeString(directory.resolve("password"), "hunter2 \r\n");

        assertThat(load(ConfigurationSources.none(directory)
                                .withLines("entrepot.conf", List.of("a.secret = file:password")))
                        .secret("a.secret"))
                .hasValue("hunter2 ".toCharArray());
        assertThat(problems(lines("a.secret = file:/no/such/file")))
                .containsExactly("entrepot.conf:1: a.secret: the file '/no/such/file' cannot be read"
                        + " (NoSuchFileException); allowed: a text, or file:PATH for a file that holds it");
        Files.write(directory.resolve("binary"), new byte[] {(byte) 0xff, 1});
        assertThat(problems(lines("a.secret = file:" + directory.resolve("binary"))))
                .singleElement()
                .asString()
                .contains("is not UTF-8 text");
        Files.write(directory.resolve("big"), new byte[70_000]);
        assertThat(problems(lines("a.secret = file:" + directory.resolve("big"))))
                .singleElement()
                .asString()
                .contains("is longer than 64 KiB");
    }

    @Test
    void theFileOfASecretThatAStrongerSourceSetsIsNotRead() throws ConfigurationException {
        assertThat(load(lines("a.secret = file:/no/such/file").withOverrides(List.of("a.secret=x"), CWD))
                        .secret("a.secret"))
                .hasValue("x".toCharArray());
    }

    @Test
    void aSecretIsNeverShown() throws ConfigurationException {
        Configuration configuration = load(lines("a.secret = hunter2"));

        assertThat(configuration.toString() + configuration.shown()).doesNotContain("hunter2");
        assertThat(configuration.shown())
                .filteredOn(shown -> shown.key().equals("a.secret"))
                .singleElement()
                .extracting(Configuration.Shown::value)
                .isEqualTo("(set, not shown)");
        assertThat(problems(lines("a.secret = hunter2\u0007", "a.secret hunter2", "a.secret = hunter2")))
                .hasSize(3)
                .noneMatch(problem -> problem.contains("hunter2"));
    }

    @Test
    void secretsAreHandedOutAsCopies() throws ConfigurationException {
        Configuration configuration = load(lines("a.secret = hunter2"));
        configuration.secret("a.secret").orElseThrow()[0] = 'x';

        assertThat(configuration.secret("a.secret")).hasValue("hunter2".toCharArray());
    }

    @Test
    void askingForWhatWasNotDeclaredOrAsAnotherKindIsAFault() throws ConfigurationException {
        Configuration configuration = load(lines());

        assertThatThrownBy(() -> configuration.text("b.text"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("b.text");
        assertThatThrownBy(() -> configuration.number("a.size"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("SIZE");
        assertThatThrownBy(() -> configuration.text("a.name"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("isSet");
        assertThatThrownBy(() -> configuration.origin("b.text")).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aPluginSeesItsOwnKeysOnly() throws ConfigurationException {
        KeyGroup plugin =
                KeyGroup.plugin("amqp", true, List.of(ConfigurationKey.number("amqp.frame-max", 131_072, "A limit.")));
        Configuration configuration =
                new ConfigurationLoader(lines("amqp.frame-max = 9000")).load(List.of(KEYS.get(0), plugin));
        Settings settings = configuration.settingsOf(plugin.keys());

        assertThat(settings.number("amqp.frame-max")).isEqualTo(9000);
        assertThatThrownBy(() -> settings.text("a.text")).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void theKeysOfADisabledPluginAreAcceptedAndIgnoredWithOneWarning() throws ConfigurationException {
        KeyGroup plugin = KeyGroup.plugin(
                "mqtt",
                false,
                List.of(
                        ConfigurationKey.number("mqtt.retained-max", 5, "A limit."),
                        ConfigurationKey.optional("mqtt.secret", Kind.SECRET, "A secret.")));
        Configuration configuration = new ConfigurationLoader(
                        lines("mqtt.retained-max = nonsense", "mqtt.secret = file:/no/such/file"))
                .load(List.of(KEYS.get(0), plugin));

        assertThat(configuration.warnings())
                .containsExactly("Ignoring the configuration of plugin mqtt, which is installed but disabled");
        assertThatThrownBy(() -> configuration.number("mqtt.retained-max"))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aVariableThatBeginsLikeNoKeyIsIgnoredWithAWarning() throws ConfigurationException {
        Map<String, String> environment = Map.of("ENTREPOT_OLD", "/opt/entrepot", "ENTREPOT_CLUSTER_IP", "10.0.0.1");

        assertThat(new ConfigurationLoader(lines().withEnvironment(environment))
                        .load(KEYS)
                        .warnings())
                .containsExactly(
                        "Ignoring the environment variable ENTREPOT_CLUSTER_IP, which stands for no key",
                        "Ignoring the environment variable ENTREPOT_OLD, which stands for no key");
    }

    @Test
    void aDisabledPluginThatIsNotLoadedMayHaveAnyKeyOfItsName() throws ConfigurationException {
        List<KeyGroup> groups = List.of(KEYS.get(0), KeyGroup.disabledPlugin("auth-http"));
        ConfigurationSources sources = lines("auth-http.url = x", "listener.auth-http.port = nonsense")
                .withEnvironment(Map.of("ENTREPOT_AUTH_HTTP_CACHE_TIME", "5 s"));

        assertThat(new ConfigurationLoader(sources).load(groups).warnings())
                .containsExactly("Ignoring the configuration of plugin auth-http, which is installed but disabled");
        assertThat(problems(lines("auth-httpd.url = x"), groups)).hasSize(1);
        assertThat(problems(
                        lines("auth-http.url = x"),
                        List.of(KEYS.get(0), KeyGroup.plugin("auth-http", true, List.of()))))
                .hasSize(1);
    }

    @Test
    void aPluginThatDeclaresWhatItMayNotIsNamed() {
        List<ConfigurationKey> bad = List.of(
                ConfigurationKey.text("a.text", "", "Not its own."),
                ConfigurationKey.text("x.Y", "", "No name of a key."),
                ConfigurationKey.text("x.a-b", "", "Fine."),
                ConfigurationKey.text("x.a.b", "", "The same variable."),
                ConfigurationKey.size("x.size", "5 MB", "A bad default."),
                ConfigurationKey.number("listener.x.port", 1, "Fine."));

        assertThat(problems(lines(), List.of(KEYS.get(0), KeyGroup.plugin("x", true, bad))))
                .containsExactly(
                        "plugin x: declares the key 'a.text'; allowed: names that begin with the plugin's id and a"
                                + " dot, or with listener.",
                        "plugin x: declares the key 'x.Y'; allowed: lower-case words separated by dots or hyphens",
                        "plugin x: declares the key 'x.a.b', but plugin x declares x.a-b",
                        "plugin x: declares the key 'x.size' with a default that is not allowed; allowed: a number"
                                + " with one of the units B, KiB, MiB, GiB");
    }

    @Test
    void aPreviewPassesOverWhatItDoesNotKnowOrUnderstand() {
        Configuration preview = new ConfigurationLoader(lines("a.number = x", "a.text = y", "amqp.frame-max = 5")
                        .withOverrides(List.of("a.flag=false"), CWD))
                .preview(KEYS);

        assertThat(preview.number("a.number")).isEqualTo(5);
        assertThat(preview.text("a.text")).isEqualTo("y");
        assertThat(preview.flag("a.flag")).isFalse();
    }

    @Test
    void filesAreReadAsUtf8WithoutAByteOrderMark(@TempDir Path directory) throws Exception {
        Path file = directory.resolve("my.conf");
        Files.writeString(file, "\ufeffa.text = Zürich\r\na.number = x\n");
        ConfigurationSources sources = ConfigurationSources.none(HOME).withFile(file);

        assertThat(problems(sources)).singleElement().asString().startsWith("my.conf:2: ");
        assertThat(new ConfigurationLoader(sources).preview(KEYS).text("a.text"))
                .isEqualTo("Zürich");
        Files.write(file, new byte[] {'a', (byte) 0xff});
        assertThatThrownBy(() -> ConfigurationSources.none(HOME).withFile(file))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("is not UTF-8 text");
        assertThatThrownBy(() -> ConfigurationSources.none(HOME).withFile(directory.resolve("absent")))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("cannot be read");
    }

    @Test
    void aRequirementNamesWhoAsks() throws ConfigurationException {
        List<KeyGroup> keys = List.of(
                KeyGroup.core("Core", List.of(ConfigurationKey.optional("listener.tls.key", Kind.PATH, "A path.")))
                        .requiring(List.of(new KeyGroup.Requirement("listener.*.tls.port", "", "listener.tls.key"))),
                KeyGroup.plugin("amqp", true, ConfigurationKey.listener("amqp", 5672)));

        assertThat(problems(lines("listener.amqp.tls.port = 5671"), keys))
                .containsExactly("entrepot.conf:1: listener.amqp.tls.port needs listener.tls.key, which is not set;"
                        + " allowed: a path");
        new ConfigurationLoader(lines("listener.amqp.port = 1")).load(keys);
        new ConfigurationLoader(lines("listener.amqp.tls.port = 1", "listener.tls.key = k")).load(keys);
    }
}
