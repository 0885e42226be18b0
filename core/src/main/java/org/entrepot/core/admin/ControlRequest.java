package org.entrepot.core.admin;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;

/**
 * What the command line asks a running broker to do: one line of JSON, such as
 * {@code {"command":"status","arguments":["--json"]}}. Immutable. Unknown fields are passed over, so that brokers and
 * command lines of neighbouring versions understand each other.
 *
 * @param command the command's name
 * @param arguments what follows it on the command line
 */
public record ControlRequest(String command, List<String> arguments) {
    private static final String COMMAND = "command";
    private static final String ARGUMENTS = "arguments";

    public ControlRequest {
        arguments = List.copyOf(arguments);
    }

    /** The request as a line, without its end. */
    String toLine() throws IOException {
        StringWriter text = new StringWriter();
        try (JsonGenerator json = new JsonFactory().createGenerator(text)) {
            json.writeStartObject();
            json.writeStringField(COMMAND, command);
            json.writeArrayFieldStart(ARGUMENTS);
            for (String argument : arguments) {
                json.writeString(argument);
            }
            json.writeEndArray();
            json.writeEndObject();
        }
        return text.toString();
    }

    /** Reads a line; throws {@link IOException} where it is no request. */
    static ControlRequest ofLine(String line) throws IOException {
        String command = "";
        List<String> arguments = new ArrayList<>();
        try (JsonParser json = new JsonFactory().createParser(line)) {
            if (json.nextToken() != JsonToken.START_OBJECT) {
                throw new IOException("not a JSON object");
            }
            for (String name = json.nextFieldName(); name != null; name = json.nextFieldName()) {
                JsonToken value = json.nextToken();
                if (name.equals(COMMAND) && value == JsonToken.VALUE_STRING) {
                    command = json.getText();
                } else if (name.equals(ARGUMENTS) && value == JsonToken.START_ARRAY) {
                    while (json.nextToken() == JsonToken.VALUE_STRING) {
                        arguments.add(json.getText());
                    }
                } else {
                    json.skipChildren();
                }
            }
        }
        return new ControlRequest(command, arguments);
    }
}
