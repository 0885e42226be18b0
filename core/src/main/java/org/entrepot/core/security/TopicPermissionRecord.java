package org.entrepot.core.security;

/**
 * What keys a user may use on a topic exchange: regular expressions in which {@code {username}}, {@code {vhost}} and
 * {@code {client_id}} stand for those. Immutable.
 *
 * @param write for keys of publishes
 * @param read for keys of bindings
 */
public record TopicPermissionRecord(String write, String read) {}
