package org.entrepot.spi.message;

import java.util.Map;

/**
 * A protocol's way to encode message properties. Vendors implement it, one immutable instance a protocol; any thread
 * calls it.
 *
 * <p>Values that leave a format are of these types only: {@link Boolean}, {@link Long} for every whole number, {@link
 * Double} for every binary fraction, {@link java.math.BigDecimal}, {@link String} for text (UTF-8 well formed), {@link
 * Bytes} for anything else made of bytes, {@link java.time.Instant}, {@link Absent#VALUE} for "present without a
 * value", {@link java.util.List} and {@link Map} of these.
 */
public interface MessageFormat {

    /** A short lower-case name, unique among formats: it is stored with messages. */
    String name();

    /**
     * The application's headers of an encoded header, in the order in which they were sent; empty when there are none.
     * Not for hot paths: it decodes.
     */
    Map<String, Object> headers(Bytes header);

    /**
     * A property of an encoded header, for protocols that deliver what another one published, and for exchange types
     * that hash or match by property; null when it is not set. Not for hot paths.
     *
     * @param name one of {@link PropertyNames}, whose values have the types that are given there, or one that only this
     *     format knows; a name that it does not know is one that is not set
     */
    @org.jspecify.annotations.Nullable Object property(Bytes header, String name);

    /** The value of a header that is present without one. */
    enum Absent {
        VALUE
    }
}
