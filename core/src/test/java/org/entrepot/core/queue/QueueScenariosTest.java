package org.entrepot.core.queue;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * Runs every scenario file and compares all that the machine does with what the file says.
 *
 * <p>{@code -Dscenarios.rewrite=true} writes what the machine does into the files instead, to be reviewed as a diff.
 */
class QueueScenariosTest {
    private static final Path FILES = Path.of("src/test/resources/org/entrepot/core/queue/scenarios");
    private static final String SEPARATOR = "----";

    @TestFactory
    Stream<DynamicTest> everyScenario() throws IOException {
        List<Path> files;
        try (Stream<Path> listed = Files.list(FILES)) {
            files = listed.filter(file -> file.toString().endsWith(".txt"))
                    .sorted()
                    .toList();
        }
        assertThat(files).hasSizeGreaterThanOrEqualTo(25);
        return files.stream().map(file -> DynamicTest.dynamicTest(nameOf(file), () -> check(file)));
    }

    private static String nameOf(Path file) {
        return file.getFileName().toString().replace(".txt", "").replace('-', ' ');
    }

    private static void check(Path file) throws IOException {
        String written = Files.readString(file);
        String happened = play(written);
        if (Boolean.getBoolean("scenarios.rewrite")) {
            Files.writeString(file, happened);
        } else {
            assertThat(happened).isEqualTo(written);
        }
    }

    /** The text of a scenario with what happens in the place of what is expected. */
    private static String play(String text) {
        Scenario scenario = new Scenario();
        StringBuilder played = new StringBuilder();
        List<String> commands = new ArrayList<>();
        boolean expectation = false;
        for (String line : text.lines().toList()) {
            if (expectation) {
                expectation = !line.isBlank();
            } else if (line.equals(SEPARATOR)) {
                played.append(SEPARATOR)
                        .append('\n')
                        .append(scenario.pass(commands))
                        .append('\n');
                commands.clear();
                expectation = true;
            } else if (line.startsWith("#") || line.isBlank()) {
                played.append(line).append('\n');
            } else {
                commands.add(line);
                played.append(line).append('\n');
            }
        }
        assertThat(commands).as("commands without a line of dashes after them").isEmpty();
        return played.toString().stripTrailing() + '\n';
    }
}
