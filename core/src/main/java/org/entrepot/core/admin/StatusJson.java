package org.entrepot.core.admin;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;

/** A status report for programs. Stateless. Field names are those of the records, in snake case. */
public final class StatusJson {
    private StatusJson() {}

    /** The report as one JSON object, indented, ended by a line feed. */
    public static String of(StatusReport report) {
        StringWriter text = new StringWriter();
        try (JsonGenerator json = new JsonFactory().createGenerator(text).useDefaultPrettyPrinter()) {
            json.writeStartObject();
            json.writeStringField("product", report.product());
            json.writeStringField("version", report.version());
            json.writeStringField("node", report.node());
            json.writeNumberField("process_id", report.processId());
            json.writeStringField("started_at", report.startedAt().toString());
            json.writeNumberField("uptime_ms", report.uptimeMillis());
            json.writeStringField("storage", report.storage());
            json.writeStringField("confirms", report.confirms());
            json.writeArrayFieldStart("listeners");
            for (StatusReport.Listener listener : report.listeners()) {
                json.writeStartObject();
                json.writeStringField("name", listener.name());
                json.writeStringField("address", listener.address());
                json.writeBooleanField("tls", listener.tls());
                json.writeEndObject();
            }
            json.writeEndArray();
            json.writeNumberField("connections", report.connections());
            json.writeArrayFieldStart("queues");
            for (StatusReport.Queue queue : report.queues()) {
                json.writeStartObject();
                json.writeStringField("virtual_host", queue.virtualHost());
                json.writeStringField("name", queue.name());
                json.writeNumberField("ready", queue.ready());
                json.writeNumberField("unsettled", queue.unsettled());
                json.writeNumberField("consumers", queue.consumers());
                json.writeEndObject();
            }
            json.writeEndArray();
            json.writeArrayFieldStart("alarms");
            for (StatusReport.Alarm alarm : report.alarms()) {
                json.writeStartObject();
                json.writeStringField("name", alarm.name());
                json.writeStringField("reason", alarm.reason());
                json.writeEndObject();
            }
            json.writeEndArray();
            json.writeObjectFieldStart("memory");
            json.writeNumberField("heap_used", report.memory().heapUsed());
            json.writeNumberField("heap_max", report.memory().heapMax());
            json.writeNumberField("direct", report.memory().direct());
            json.writeNumberField("resident", report.memory().resident());
            json.writeEndObject();
            json.writeEndObject();
        } catch (IOException e) {
            throw new UncheckedIOException("writing into memory", e);
        }
        return text + "\n";
    }
}
