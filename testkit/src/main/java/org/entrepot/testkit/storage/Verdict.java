package org.entrepot.testkit.storage;

import java.util.Set;

/**
 * What a restart has shown of a {@link History}. Immutable.
 *
 * @param last the last step that has happened; all before it have too
 * @param shown the entries, facts and checkpoints that were told, and could be read
 * @param shownLasting those of them that were to last
 */
record Verdict(int last, Set<Integer> shown, Set<Integer> shownLasting) {}
