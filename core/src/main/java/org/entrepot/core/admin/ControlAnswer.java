package org.entrepot.core.admin;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.io.StringWriter;

/**
 * What a running broker answers the command line: one line of JSON. Immutable.
 *
 * @param exitCode what the command ends with
 * @param text what it prints: to standard output when {@code exitCode} is 0, else to standard error
 * @param processId the broker's
 */
public record ControlAnswer(int exitCode, String text, long processId) {
    private static final String EXIT = "exit";
    private static final String TEXT = "text";
    private static final String PROCESS = "process";

    /** The answer as a line, without its end. */
    String toLine() throws IOException {
        StringWriter text = new StringWriter();
        try (JsonGenerator json = new JsonFactory().createGenerator(text)) {
            json.writeStartObject();
            json.writeNumberField(EXIT, exitCode);
            json.writeStringField(TEXT, this.text);
            json.writeNumberField(PROCESS, processId);
            json.writeEndObject();
        }
        return text.toString();
    }

    /** Reads a line; throws {@link IOException} where it is no answer. */
    static ControlAnswer ofLine(String line) throws IOException {
        int exitCode = 0;
        String text = "";
        long processId = 0;
        try (JsonParser json = new JsonFactory().createParser(line)) {
            if (json.nextToken() != JsonToken.START_OBJECT) {
                throw new IOException("the broker's answer is not understood");
            }
            for (String name = json.nextFieldName(); name != null; name = json.nextFieldName()) {
                JsonToken value = json.nextToken();
                if (name.equals(EXIT) && value == JsonToken.VALUE_NUMBER_INT) {
                    exitCode = json.getIntValue();
                } else if (name.equals(TEXT) && value == JsonToken.VALUE_STRING) {
                    text = json.getText();
                } else if (name.equals(PROCESS) && value == JsonToken.VALUE_NUMBER_INT) {
                    processId = json.getLongValue();
                } else {
                    json.skipChildren();
                }
            }
        }
        return new ControlAnswer(exitCode, text, processId);
    }
}
