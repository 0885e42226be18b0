package org.entrepot.core.session;

/**
 * Limits on what one connection may do. Immutable.
 *
 * @param sessionsMax sessions
 * @param consumersMax consumers of all its sessions
 * @param messageBytesMax bytes of one message, header and body
 * @param loginMillis how long a connection may take from being opened until it has entered a virtual host
 */
public record ConnectionLimits(int sessionsMax, int consumersMax, int messageBytesMax, long loginMillis) {}
