package org.entrepot.core.topology;

/**
 * Which routing keys of a topic exchange a user may use: regular expressions in which <code>{username}</code>, <code>
 * {vhost}</code> and <code>{client_id}</code> stand for the user's own. Immutable.
 *
 * @param write keys to publish with
 * @param read keys to bind with
 */
public record TopicPatterns(String write, String read) {}
