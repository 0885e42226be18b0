package org.entrepot.spi.storage;

import java.util.List;

/**
 * What is in a store that nobody uses. Immutable. A {@link StoreInspector} makes it.
 *
 * @param identity which store it is and of which format, for people
 * @param files by name
 * @param logs those that hold something, by id
 * @param findings what an operator should know; empty where everything is as a broker leaves it that was stopped
 */
public record StoreReport(String identity, List<StoredFile> files, List<StoredLog> logs, List<Finding> findings) {
    public StoreReport {
        files = List.copyOf(files);
        logs = List.copyOf(logs);
        findings = List.copyOf(findings);
    }

    /** Whether nothing is damaged or missing. */
    public boolean isSound() {
        return findings.stream().noneMatch(finding -> finding.severity() == Severity.DAMAGE);
    }

    /**
     * A file. Immutable.
     *
     * @param kind what it is for, in a word of the engine's documentation
     * @param bytes its size
     * @param liveBytes of these, those of entries that are in their logs
     * @param records how many there are in it
     * @param content what further there is to say, such as numbers of batches; may be empty
     */
    public record StoredFile(String name, String kind, long bytes, long liveBytes, long records, String content) {}

    /**
     * A log. Immutable.
     *
     * @param entries those that a restart finds
     * @param bytes of their records
     * @param oldest the least position of an entry, or -1
     * @param newest the greatest, or -1
     * @param checkpoint where its newest checkpoint is, for people; empty where there is none
     */
    public record StoredLog(long id, long entries, long bytes, long oldest, long newest, String checkpoint) {}

    /** How bad a finding is. */
    public enum Severity {
        /** A crash leaves it, and a start clears it away: no message that was ever confirmed is concerned. */
        NORMAL,
        /** Something that was kept is not there as it was. */
        DAMAGE
    }

    /**
     * What was found.
     *
     * @param file where; may be empty
     * @param text what, in a sentence without its end
     */
    public record Finding(Severity severity, String file, String text) {}
}
