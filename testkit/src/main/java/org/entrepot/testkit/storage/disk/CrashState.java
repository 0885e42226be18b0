package org.entrepot.testkit.storage.disk;

/**
 * One thing that a crash may leave. Owned by whoever was given it.
 *
 * @param point how many operations were done before the crash
 * @param choices what became of everything that was under way; {@link CrashStates#state} makes the same state of it again
 * @param description point and choices in words, for messages
 * @param disk what is found after the crash; all of it is lasting
 */
public record CrashState(int point, String choices, String description, RecordingDisk disk) {

    @Override
    public String toString() {
        return description;
    }
}
