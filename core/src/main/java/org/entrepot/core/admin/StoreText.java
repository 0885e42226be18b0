package org.entrepot.core.admin;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Locale;
import org.entrepot.core.topology.StoredQueueNames;
import org.entrepot.core.topology.StoredTopologyLog;
import org.entrepot.spi.storage.StoreReport;
import org.entrepot.spi.storage.StoreReport.Finding;
import org.entrepot.spi.storage.StoreReport.StoredFile;
import org.entrepot.spi.storage.StoreReport.StoredLog;

/**
 * What {@code entrepot store} prints about a store. Immutable.
 *
 * @param directory where the store is
 * @param engine whose it is
 * @param names of the queues in it
 */
public record StoreText(Path directory, String engine, StoreReport report, StoredQueueNames names) {

    /** What is wrong, as lines. */
    public String verdict() {
        StringBuilder out = new StringBuilder();
        head(out);
        long bytes = report.files().stream().mapToLong(StoredFile::bytes).sum();
        long records = report.files().stream().mapToLong(StoredFile::records).sum();
        out.append("read    ").append(report.files().size()).append(" files, ");
        out.append(bytes).append(" bytes, ").append(records).append(" records\n");
        findings(out);
        return out.toString();
    }

    /** What is there, as lines. */
    public String content() {
        StringBuilder out = new StringBuilder();
        head(out);
        out.append('\n');
        Columns files = new Columns("llrrrl");
        files.row("file", "kind", "bytes", "live bytes", "records", "content");
        for (StoredFile file : report.files()) {
            files.row(file.name(), file.kind(), file.bytes(), file.liveBytes(), file.records(), file.content());
        }
        files.appendTo(out);
        out.append('\n');
        Columns logs = new Columns("llrrrrrl");
        logs.row("virtual host", "queue", "log", "entries", "bytes", "oldest", "newest", "checkpoint");
        for (StoredLog log : report.logs()) {
            logs.row(
                    virtualHost(log),
                    queue(log),
                    log.id(),
                    log.entries(),
                    log.bytes(),
                    position(log.oldest()),
                    position(log.newest()),
                    log.checkpoint().isEmpty() ? "none" : log.checkpoint());
        }
        logs.appendTo(out);
        out.append('\n');
        findings(out);
        return out.toString();
    }

    private void head(StringBuilder out) {
        out.append("store   ")
                .append(StatusText.printable(directory.toString()))
                .append('\n');
        out.append("engine  ")
                .append(engine)
                .append(", ")
                .append(report.identity())
                .append('\n');
    }

    private void findings(StringBuilder out) {
        if (!names.failure().isEmpty()) {
            out.append("queues  cannot be named: ").append(names.failure()).append('\n');
        }
        Columns findings = new Columns("lll");
        for (Finding finding : report.findings()) {
            findings.row(severity(finding), finding.file(), finding.text());
        }
        findings.appendTo(out);
        out.append(report.isSound() ? "sound   nothing is damaged\n" : "broken  see what is damaged above\n");
    }

    private String virtualHost(StoredLog log) {
        return names.of(log.id()).map(StoredQueueNames.Name::virtualHost).orElse("-");
    }

    private String queue(StoredLog log) {
        return names.of(log.id())
                .map(StoredQueueNames.Name::queue)
                .orElse(log.id() == StoredTopologyLog.ID ? "(the topology)" : "(no queue)");
    }

    private static String position(long position) {
        return position < 0 ? "-" : Long.toString(position);
    }

    private static String severity(Finding finding) {
        return finding.severity().name().toLowerCase(Locale.ROOT);
    }

    /** Everything as one JSON object, indented, ended by a line feed. */
    public String json() {
        StringWriter text = new StringWriter();
        try (JsonGenerator json = new JsonFactory().createGenerator(text).useDefaultPrettyPrinter()) {
            json.writeStartObject();
            json.writeStringField("directory", directory.toString());
            json.writeStringField("engine", engine);
            json.writeStringField("identity", report.identity());
            json.writeBooleanField("sound", report.isSound());
            json.writeArrayFieldStart("files");
            for (StoredFile file : report.files()) {
                write(file, json);
            }
            json.writeEndArray();
            json.writeArrayFieldStart("logs");
            for (StoredLog log : report.logs()) {
                write(log, json);
            }
            json.writeEndArray();
            json.writeArrayFieldStart("findings");
            for (Finding finding : report.findings()) {
                json.writeStartObject();
                json.writeStringField("severity", severity(finding));
                json.writeStringField("file", finding.file());
                json.writeStringField("text", finding.text());
                json.writeEndObject();
            }
            json.writeEndArray();
            json.writeEndObject();
        } catch (IOException e) {
            throw new UncheckedIOException("writing into memory", e);
        }
        return text + "\n";
    }

    private static void write(StoredFile file, JsonGenerator json) throws IOException {
        json.writeStartObject();
        json.writeStringField("name", file.name());
        json.writeStringField("kind", file.kind());
        json.writeNumberField("bytes", file.bytes());
        json.writeNumberField("live_bytes", file.liveBytes());
        json.writeNumberField("records", file.records());
        json.writeStringField("content", file.content());
        json.writeEndObject();
    }

    private void write(StoredLog log, JsonGenerator json) throws IOException {
        json.writeStartObject();
        json.writeNumberField("log", log.id());
        if (names.of(log.id()).isPresent()) {
            json.writeStringField("virtual_host", virtualHost(log));
            json.writeStringField("queue", queue(log));
        }
        json.writeNumberField("entries", log.entries());
        json.writeNumberField("bytes", log.bytes());
        json.writeNumberField("oldest", log.oldest());
        json.writeNumberField("newest", log.newest());
        json.writeStringField("checkpoint", log.checkpoint());
        json.writeEndObject();
    }
}
