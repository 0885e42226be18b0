package org.entrepot.core.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import org.entrepot.core.config.Configuration.Shown;
import org.entrepot.spi.ConfigurationKey;
import org.entrepot.spi.ConfigurationKey.Kind;
import org.junit.jupiter.api.Test;

class ConfigurationTemplateTest {

    private static Configuration load(String text) throws ConfigurationException {
        return new ConfigurationLoader(ConfigurationSources.none(Path.of("/opt/entrepot"))
                        .withLines("entrepot.conf", text.lines().toList()))
                .load(CoreKeys.groups());
    }

    @Test
    void aKeyIsShownWithMeaningKindAndDefault() {
        KeyGroup group = KeyGroup.core(
                "Some keys",
                List.of(
                        ConfigurationKey.number(
                                        "a.number",
                                        5,
                                        "A number that says how many of something there may be at"
                                                + " any time, which is told at length.")
                                .between(1, 90),
                        ConfigurationKey.optional("a.path", Kind.PATH, "A path.")));

        assertThat(ConfigurationTemplate.render(List.of(group))).contains("""


                        # ---- Some keys -----------------------------------------------------------------------------------

                        # A number that says how many of something there may be at any time, which is told at length.
                        # Allowed: a whole number from 1 to 90.
                        #a.number = 5

                        # A path.
                        # Allowed: a path.
                        #a.path =
                        """);
    }

    @Test
    void anUneditedFileSetsNothing() throws ConfigurationException {
        assertThat(load(ConfigurationTemplate.render(CoreKeys.groups())).shown())
                .allSatisfy(shown -> assertThat(shown.origin()).isEqualTo(new Origin.Default()));
    }

    @Test
    void takingAwayTheCommentChangesNothing() throws ConfigurationException {
        String text = ConfigurationTemplate.render(CoreKeys.groups());
        String open = text.lines()
                .map(line -> line.startsWith("#") && !line.startsWith("# ") ? line.substring(1) : line)
                .collect(Collectors.joining("\n"));

        Configuration before = load(text);
        Configuration after = load(open);
        assertThat(after.shown())
                .extracting(Shown::key, Shown::value)
                .isEqualTo(before.shown().stream()
                        .map(shown -> org.assertj.core.groups.Tuple.tuple(shown.key(), shown.value()))
                        .toList());
        assertThat(after.shown()).allSatisfy(shown -> assertThat(shown.origin()).isInstanceOf(Origin.Line.class));
    }

    @Test
    void linesHaveAtMostAHundredColumns() {
        assertThat(ConfigurationTemplate.render(CoreKeys.groups()).lines())
                .allSatisfy(line -> assertThat(line.length()).isLessThanOrEqualTo(100));
    }

    @Test
    void aFileThatDriftedIsToldFromOneThatDidNot() {
        String right = ConfigurationTemplate.render(CoreKeys.groups());

        assertThat(ConfigurationTemplate.firstDifference(right, CoreKeys.groups()))
                .isEmpty();
        assertThat(ConfigurationTemplate.firstDifference(right.replace("#loops = 0", "#loops = 1"), CoreKeys.groups()))
                .hasValueSatisfying(
                        text -> assertThat(text).contains("is: #loops = 1").contains("to be: #loops = 0"));
        assertThat(ConfigurationTemplate.firstDifference(right + "more\n", CoreKeys.groups()))
                .hasValueSatisfying(text -> assertThat(text).contains("(nothing)"));
    }
}
