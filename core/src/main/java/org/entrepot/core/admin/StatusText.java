package org.entrepot.core.admin;

import java.util.Locale;

/** A status report for people. Stateless. */
public final class StatusText {
    private static final int NAME_WIDTH_MAX = 60;

    private StatusText() {}

    /** The report as lines, each ended by a line feed. */
    public static String of(StatusReport report) {
        StringBuilder out = new StringBuilder();
        out.append(report.product()).append(' ').append(report.version());
        out.append(", node ").append(printable(report.node()));
        out.append(", process ").append(report.processId());
        out.append(", up ").append(duration(report.uptimeMillis())).append('\n');
        out.append("storage      ").append(report.storage()).append(" (confirms mean ");
        out.append(report.confirms()).append(")\n");
        out.append("memory       heap ").append(mebibytes(report.memory().heapUsed()));
        out.append(" of ").append(mebibytes(report.memory().heapMax()));
        out.append(", direct ").append(mebibytes(report.memory().direct()));
        if (report.memory().resident() > 0) {
            out.append(", resident ").append(mebibytes(report.memory().resident()));
        }
        out.append('\n');
        out.append(report.alarms().isEmpty() ? "alarms       none\n" : "alarms\n");
        for (StatusReport.Alarm alarm : report.alarms()) {
            out.append("  ")
                    .append(alarm.name())
                    .append(": ")
                    .append(printable(alarm.reason()))
                    .append('\n');
        }
        out.append(report.listeners().isEmpty() ? "listeners    none\n" : "listeners\n");
        for (StatusReport.Listener listener : report.listeners()) {
            out.append("  ").append(listener.name()).append(" on ").append(listener.address());
            out.append(listener.tls() ? " (TLS)\n" : "\n");
        }
        out.append("connections  ").append(report.connections()).append('\n');
        out.append("queues       ").append(report.queues().size()).append('\n');
        queues(report, out);
        return out.toString();
    }

    private static void queues(StatusReport report, StringBuilder out) {
        int width = "name".length();
        int hostWidth = "virtual host".length();
        for (StatusReport.Queue queue : report.queues()) {
            width = Math.max(
                    width, Math.min(NAME_WIDTH_MAX, printable(queue.name()).length()));
            hostWidth = Math.max(
                    hostWidth,
                    Math.min(NAME_WIDTH_MAX, printable(queue.virtualHost()).length()));
        }
        String form = "  %-" + hostWidth + "s  %-" + width + "s  %12s  %12s  %9s%n";
        if (!report.queues().isEmpty()) {
            out.append(String.format(Locale.ROOT, form, "virtual host", "name", "ready", "unsettled", "consumers"));
        }
        for (StatusReport.Queue queue : report.queues()) {
            out.append(String.format(
                    Locale.ROOT,
                    form,
                    printable(queue.virtualHost()),
                    printable(queue.name()),
                    queue.ready(),
                    queue.unsettled(),
                    queue.consumers()));
        }
    }

    private static String mebibytes(long bytes) {
        return ((bytes + (1 << 19)) >> 20) + " MiB";
    }

    private static String duration(long millis) {
        long seconds = millis / 1000;
        if (seconds < 60) {
            return seconds + " s";
        }
        if (seconds < 3600) {
            return seconds / 60 + " min " + seconds % 60 + " s";
        }
        if (seconds < 86_400) {
            return seconds / 3600 + " h " + seconds / 60 % 60 + " min";
        }
        return seconds / 86_400 + " d " + seconds / 3600 % 24 + " h";
    }

    /** Names come from clients: what could move a terminal's cursor is shown as a question mark. */
    static String printable(String name) {
        StringBuilder out = new StringBuilder(name.length());
        for (int i = 0; i < name.length(); i++) {
            char c = name.charAt(i);
            boolean harmless = !Character.isISOControl(c) && Character.getType(c) != Character.FORMAT;
            out.append(harmless ? c : '?');
        }
        return out.toString();
    }
}
