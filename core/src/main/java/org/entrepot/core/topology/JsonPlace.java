package org.entrepot.core.topology;

import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.entrepot.spi.message.MessageFormat.Absent;
import org.jspecify.annotations.Nullable;

/** A value in a JSON document, that knows where it is and says so when it is not what is wanted. Immutable. */
final class JsonPlace {
    private static final JsonMapper MAPPER = JsonMapper.builder()
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    private final JsonNode node;
    private final String path;

    private JsonPlace(JsonNode node, String path) {
        this.node = node;
        this.path = path;
    }

    /** The whole of a document. */
    static JsonPlace parse(InputStream in) throws IOException {
        try {
            return new JsonPlace(MAPPER.readTree(in), "");
        } catch (JsonProcessingException malformed) {
            throw new DefinitionsException(
                    "not well-formed JSON" + in(malformed.getLocation()) + ": " + malformed.getOriginalMessage(),
                    malformed);
        }
    }

    /** Where a parser stumbled; limits, such as that on depth, do not tell. */
    private static String in(@Nullable JsonLocation location) {
        return location == null ? "" : " in line " + location.getLineNr() + ", column " + location.getColumnNr();
    }

    /** Where this is, such as "queues[3].arguments". */
    String path() {
        return path;
    }

    /** The names of an object's fields. */
    List<String> names() {
        List<String> names = new ArrayList<>();
        object().fieldNames().forEachRemaining(names::add);
        return names;
    }

    /** The elements of a field that is an array; none where the field is missing. */
    List<JsonPlace> elements(String name) {
        JsonNode array = present(name);
        if (array == null) {
            return List.of();
        }
        if (!array.isArray()) {
            throw wrong(name, "an array");
        }
        List<JsonPlace> elements = new ArrayList<>(array.size());
        for (int i = 0; i < array.size(); i++) {
            elements.add(new JsonPlace(array.get(i), at(name) + "[" + i + "]"));
        }
        return elements;
    }

    /** A field that is an object; an empty one where it is missing, or is an empty array as some releases write it. */
    JsonPlace object(String name) {
        JsonNode object = present(name);
        if (object == null || (object.isArray() && object.isEmpty())) {
            return new JsonPlace(MAPPER.createObjectNode(), at(name));
        }
        if (!object.isObject()) {
            throw wrong(name, "an object");
        }
        return new JsonPlace(object, at(name));
    }

    boolean isArray(String name) {
        JsonNode value = present(name);
        return value != null && value.isArray();
    }

    String text(String name) {
        JsonNode text = present(name);
        if (text == null) {
            throw new DefinitionsException(at(name) + " is missing");
        }
        if (!text.isTextual()) {
            throw wrong(name, "a text");
        }
        return text.textValue();
    }

    Optional<String> optionalText(String name) {
        return present(name) == null ? Optional.empty() : Optional.of(text(name));
    }

    boolean flag(String name, boolean otherwise) {
        JsonNode flag = present(name);
        if (flag == null) {
            return otherwise;
        }
        if (!flag.isBoolean()) {
            throw wrong(name, "true or false");
        }
        return flag.booleanValue();
    }

    Optional<Long> optionalNumber(String name) {
        JsonNode number = present(name);
        if (number == null) {
            return Optional.empty();
        }
        if (!number.isIntegralNumber() || !number.canConvertToLong()) {
            throw wrong(name, "a whole number");
        }
        return Optional.of(number.longValue());
    }

    /** The texts of an array of texts, or of one text with commas; none where the field is missing. */
    List<String> texts(String name) {
        List<String> texts = new ArrayList<>();
        if (isArray(name)) {
            for (JsonPlace element : elements(name)) {
                if (!element.node.isTextual()) {
                    throw new DefinitionsException(element.path + " must be a text");
                }
                texts.add(element.node.textValue());
            }
            return texts;
        }
        for (String text : optionalText(name).orElse("").split(",", -1)) {
            if (!text.isBlank()) {
                texts.add(text.strip());
            }
        }
        return texts;
    }

    /** An object's fields as values of the types that {@link org.entrepot.spi.message.MessageFormat} lists. */
    Map<String, Object> values() {
        Map<String, Object> values = new LinkedHashMap<>();
        for (Map.Entry<String, JsonNode> field : object().properties()) {
            values.put(field.getKey(), value(field.getValue(), at(field.getKey())));
        }
        return values;
    }

    private static Object value(JsonNode node, String path) {
        if (node.isTextual()) {
            return node.textValue();
        }
        if (node.isBoolean()) {
            return node.booleanValue();
        }
        if (node.isIntegralNumber()) {
            if (!node.canConvertToLong()) {
                throw new DefinitionsException(path + " is a number of more than 64 bits");
            }
            return node.longValue();
        }
        if (node.isNumber()) {
            double number = node.doubleValue();
            if (!Double.isFinite(number)) {
                throw new DefinitionsException(path + " is a number that is too large");
            }
            return number;
        }
        if (node.isNull()) {
            return Absent.VALUE;
        }
        if (node.isArray()) {
            List<Object> list = new ArrayList<>(node.size());
            for (int i = 0; i < node.size(); i++) {
                list.add(value(node.get(i), path + "[" + i + "]"));
            }
            return list;
        }
        return new JsonPlace(node, path).values();
    }

    private JsonNode object() {
        if (!node.isObject()) {
            throw new DefinitionsException((path.isEmpty() ? "the document" : path) + " must be an object");
        }
        return node;
    }

    private @Nullable JsonNode present(String name) {
        JsonNode field = object().get(name);
        return field == null || field.isNull() ? null : field;
    }

    private String at(String name) {
        return path.isEmpty() ? name : path + "." + name;
    }

    private DefinitionsException wrong(String name, String wanted) {
        return new DefinitionsException(at(name) + " must be " + wanted);
    }
}
