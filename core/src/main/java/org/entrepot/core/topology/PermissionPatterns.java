package org.entrepot.core.topology;

/**
 * What a user may do in a virtual host: regular expressions that the names of exchanges and queues are searched for.
 * Immutable. The empty pattern stands for the empty name, and so allows
 * nothing else.
 *
 * @param configure what may be declared and deleted
 * @param write what may be published to
 * @param read what may be consumed from
 */
public record PermissionPatterns(String configure, String write, String read) {}
