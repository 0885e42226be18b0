package org.entrepot.core.security;

/**
 * What a user may do in a virtual host: regular expressions that names of exchanges and queues are searched with.
 * Immutable. The empty pattern matches only the empty name.
 */
public record PermissionRecord(String configure, String write, String read) {}
