package org.entrepot.core.boot;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StartOptionsTest {

    @Test
    void aPlainStartIsReadInBothFormsOfOptions() {
        assertThat(plain("start --conf a.conf --data=dir --set x=1 --set=y=a=b"))
                .contains(new StartOptions(
                        Optional.of(Path.of("a.conf")), List.of("x=1", "y=a=b", "data.directory=dir")));
        assertThat(plain("start")).contains(new StartOptions(Optional.empty(), List.of()));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "stop", "start --help", "start extra", "start --conf", "start --set --data", "start -x 1"})
    void everythingElseIsLeftToTheCommandLine(String arguments) {
        assertThat(plain(arguments)).isEmpty();
    }

    private static Optional<StartOptions> plain(String arguments) {
        return StartOptions.ofPlainStart(arguments.isEmpty() ? List.of() : List.of(arguments.split(" ", -1)));
    }
}
