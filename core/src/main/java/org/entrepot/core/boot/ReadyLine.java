package org.entrepot.core.boot;

import java.util.List;
import org.entrepot.core.admin.StatusReport;

/** The line that says the broker is ready: version, time, listeners, and what a confirm is worth. Stateless. */
final class ReadyLine {
    private ReadyLine() {}

    static String of(StatusReport status) {
        List<String> listeners = status.listeners().stream()
                .map(listener -> listener.name() + " on " + listener.address())
                .toList();
        return status.product() + " " + status.version() + " ready in " + seconds(status.uptimeMillis()) + " s: "
                + (listeners.isEmpty() ? "no listeners" : String.join(", ", listeners))
                + "; storage " + status.storage() + " (confirms mean " + status.confirms() + ")";
    }

    /** With two decimals; by hand, since a formatter takes longer than most steps of a start. */
    private static String seconds(long millis) {
        long hundredths = (millis + 5) / 10;
        long decimals = hundredths % 100;
        return hundredths / 100 + (decimals < 10 ? ".0" : ".") + decimals;
    }
}
