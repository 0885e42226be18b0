package org.entrepot.amqp.v091.wire;

/**
 * A field's value with the type it had on the wire, for checks and texts in which the type matters. Immutable.
 *
 * @param value as {@link FieldTable#values} gives it
 */
public record TypedValue(FieldType type, Object value) {}
