package org.entrepot.spi;

/**
 * Who the broker is. Immutable.
 *
 * @param product "Entrepot"
 * @param version of the product, such as "0.1.0"
 * @param node this node's name
 * @param cluster the cluster's name
 */
public record BrokerIdentity(String product, String version, String node, String cluster) {}
