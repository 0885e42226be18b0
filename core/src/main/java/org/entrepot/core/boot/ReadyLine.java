package org.entrepot.core.boot;

import java.util.List;
import java.util.Locale;
import org.entrepot.core.admin.StatusReport;

/** The line that says the broker is ready: version, time, listeners, and what a confirm is worth. Stateless. */
final class ReadyLine {
    private ReadyLine() {}

    static String of(StatusReport status) {
        List<String> listeners = status.listeners().stream()
                .map(listener -> listener.name() + " on " + listener.address())
                .toList();
        return String.format(
                Locale.ROOT,
                "%s %s ready in %.2f s: %s; storage %s (confirms mean %s)",
                status.product(),
                status.version(),
                status.uptimeMillis() / 1000.0,
                listeners.isEmpty() ? "no listeners" : String.join(", ", listeners),
                status.storage(),
                status.confirms());
    }
}
