package org.entrepot.stomp.wire;

/**
 * How much a frame may hold. Immutable.
 *
 * @param headersMax headers of different names
 * @param headerBytesMax bytes of a header's name, and of its value
 */
public record FrameLimits(int headersMax, int headerBytesMax) {}
