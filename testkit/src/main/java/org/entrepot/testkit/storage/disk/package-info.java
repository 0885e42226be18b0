/**
 * Disks for tests: one that remembers everything done to it ({@link org.entrepot.testkit.storage.disk.RecordingDisk}), all
 * that a power cut may leave of it ({@link org.entrepot.testkit.storage.disk.CrashStates}), and one that fails
 * ({@link org.entrepot.testkit.storage.disk.FaultyDisk}).
 */
@NullMarked
package org.entrepot.testkit.storage.disk;

import org.jspecify.annotations.NullMarked;
