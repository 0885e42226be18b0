package org.entrepot.core.boot;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class StopOrderTest {
    @Test
    void whatWasStartedLastIsStoppedFirstAndAFailureKeepsNothingBack() {
        List<String> stopped = new ArrayList<>();
        StopOrder order = new StopOrder();
        order.add("a", () -> stopped.add("a"));
        order.add("b", () -> {
            throw new IllegalStateException("will not");
        });
        order.add("c", () -> stopped.add("c"));

        order.stop();
        order.stop();

        assertThat(stopped).containsExactly("c", "a");
    }
}
