package org.entrepot.stomp;

import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import org.entrepot.spi.message.Bytes;
import org.entrepot.spi.message.MessageFormat;
import org.entrepot.spi.message.PropertyNames;
import org.entrepot.stomp.wire.Header;
import org.entrepot.stomp.wire.HeaderLines;
import org.jspecify.annotations.Nullable;

/**
 * Messages as STOMP encodes them. Immutable. A header is the lines of a SEND frame as they stand in a MESSAGE: escaped, without
 * destination and content-length, and with nothing twice.
 */
final class StompMessageFormat implements MessageFormat {

    @Override
    public String name() {
        return "stomp";
    }

    /** All of them are text. */
    @Override
    public Map<String, Object> headers(Bytes header) {
        Map<String, Object> headers = new LinkedHashMap<>();
        HeaderLines lines = new HeaderLines(header);
        while (lines.next()) {
            if (!isProperty(lines.header())) {
                headers.put(lines.name(), lines.value());
            }
        }
        return headers;
    }

    /** Whether a header of a message is one of its properties, and not the application's. */
    static boolean isProperty(@Nullable Header header) {
        if (header == null) {
            return false;
        }
        return switch (header) {
            case CONTENT_TYPE,
                    CONTENT_ENCODING,
                    PERSISTENT,
                    PRIORITY,
                    CORRELATION_ID,
                    REPLY_TO,
                    EXPIRATION,
                    AMQP_MESSAGE_ID,
                    TIMESTAMP,
                    TYPE,
                    USER_ID,
                    APP_ID -> true;
            default -> false;
        };
    }

    @Override
    public @Nullable Object property(Bytes header, String name) {
        Header wanted = headerOf(name);
        if (wanted == null) {
            return null;
        }
        HeaderLines lines = new HeaderLines(header);
        while (lines.next()) {
            if (lines.header() == wanted) {
                return name.equals(PropertyNames.REPLY_TO_TOPIC)
                        ? Destination.topicOf(lines.value())
                        : value(wanted, lines.value());
            }
        }
        return null;
    }

    private static @Nullable Header headerOf(String property) {
        return switch (property) {
            case PropertyNames.MESSAGE_ID -> Header.AMQP_MESSAGE_ID;
            case PropertyNames.CORRELATION_ID -> Header.CORRELATION_ID;
            case PropertyNames.REPLY_TO, PropertyNames.REPLY_TO_TOPIC -> Header.REPLY_TO;
            case PropertyNames.CONTENT_TYPE -> Header.CONTENT_TYPE;
            case PropertyNames.CONTENT_ENCODING -> Header.CONTENT_ENCODING;
            case PropertyNames.TYPE -> Header.TYPE;
            case PropertyNames.TIMESTAMP -> Header.TIMESTAMP;
            case PropertyNames.USER_ID -> Header.USER_ID;
            case PropertyNames.APP_ID -> Header.APP_ID;
            default -> null;
        };
    }

    /** A publisher's timestamp was checked before it was stored. */
    private static Object value(Header header, String value) {
        return switch (header) {
            case TIMESTAMP -> Instant.ofEpochSecond(Long.parseLong(value));
            case REPLY_TO -> Destination.bareReplyTo(value);
            default -> value;
        };
    }
}
