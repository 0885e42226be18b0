package org.entrepot.core.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class NearestTest {

    @Test
    void distanceCountsSlipsOfTheHand() {
        assertThat(Nearest.distance("port", "port")).isZero();
        assertThat(Nearest.distance("prot", "port")).isEqualTo(1);
        assertThat(Nearest.distance("por", "port")).isEqualTo(1);
        assertThat(Nearest.distance("pport", "port")).isEqualTo(1);
        assertThat(Nearest.distance("pert", "port")).isEqualTo(1);
        assertThat(Nearest.distance("", "port")).isEqualTo(4);
        assertThat(Nearest.distance("port", "")).isEqualTo(4);
    }

    @Test
    void theNearestIsNamedAndWhatIsFarIsNot() {
        List<String> keys = List.of("listener.address", "listener.amqp.port", "loops");

        assertThat(Nearest.hint("listener.ampq.port", keys)).isEqualTo("; did you mean listener.amqp.port?");
        assertThat(Nearest.hint("lops", keys)).isEqualTo("; did you mean loops?");
        assertThat(Nearest.hint("zebra-crossing", keys)).isEmpty();
        assertThat(Nearest.hint("x".repeat(1000), keys)).isEmpty();
    }
}
