package org.entrepot.core.topology;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Users, virtual hosts, policies and topology that an operator wrote down, as changes that make them. Immutable.
 *
 * @param source the file they were read from
 * @param changes in an order in which they can be made
 * @param warnings what was left out, a sentence each
 */
public record Definitions(String source, List<Item> changes, List<String> warnings) {

    public Definitions {
        changes = List.copyOf(changes);
        warnings = List.copyOf(warnings);
    }

    /** A change and the place in the file that asks for it. */
    public record Item(String path, AdminChange change) {}

    /**
     * Makes the changes, one after the other. What exists already stays as it is, but for users, permissions and
     * policies, which are set; so to import again does no harm. Where some changes are refused, the others are made.
     *
     * @return completes on the topology's loop; fails with a {@link DefinitionsException} that names the first place
     *     whose change was refused
     */
    public CompletionStage<Void> applyTo(TopologyService topology) {
        CompletableFuture<Void> applied = new CompletableFuture<>();
        CompletableFuture<?>[] all = changes.stream()
                .map(item -> topology.administer(List.of(item.change()), Runnable::run)
                        .whenComplete((outcomes, failure) -> {
                            if (failure != null) {
                                applied.completeExceptionally(new DefinitionsException(
                                        source + ": " + item.path() + ": " + failure.getMessage(), failure));
                            }
                        })
                        .toCompletableFuture())
                .toArray(CompletableFuture<?>[]::new);
        CompletableFuture.allOf(all).whenComplete((done, failure) -> {
            if (failure == null) {
                applied.complete(null);
            }
        });
        return applied;
    }
}
