package org.entrepot.testkit.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.entrepot.testkit.storage.disk.LyingDisk;
import org.entrepot.testkit.storage.disk.RecordingDisk;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Crashes lose nothing of a store that keeps its promises, and find what a store leaves out. */
class CrashCampaignTest {
    private static final int STATES = 5_000;
    private static final Pattern NAME = Pattern.compile("reproduce\\(\"(.*)\"\\)");

    @Test
    @Timeout(300)
    void aStoreThatKeepsItsPromisesSurvives(TestReporter reporter) {
        CrashCampaign.Report report = new CrashCampaign(ReferenceStorage::new).run(STATES);
        reporter.publishEntry("crashes", report.toString());
        assertThat(report.states()).isGreaterThanOrEqualTo(STATES);
    }

    @Test
    @Timeout(300)
    void aStoreThatKeepsItsPromisesSurvivesWhereSectorsAreSmall() {
        CrashCampaign.Report report = new CrashCampaign(ReferenceStorage::new)
                .withUnit(512)
                .withStatesPerPoint(256, 64)
                .run(STATES / 5);
        assertThat(report.lives()).isPositive();
    }

    @ParameterizedTest
    @EnumSource(value = ReferenceStorage.Flaw.class, mode = EnumSource.Mode.MATCH_NONE, names = "NO_DOUBT_.*")
    @Timeout(10)
    void whatAStoreLeavesOutIsFound(ReferenceStorage.Flaw flaw, @TempDir Path images) {
        CrashCampaign campaign = new CrashCampaign(disk -> new ReferenceStorage(disk, flaw)).withImages(images);
        Throwable failure = catchThrowable(() -> campaign.run(1_000_000));
        assertThat(failure).isInstanceOf(AssertionError.class);
        assertThat(NAME.matcher(failure.getMessage()).find())
                .as(failure.getMessage())
                .isTrue();
        assertThat(images).isNotEmptyDirectory();
    }

    @ParameterizedTest
    @EnumSource
    @Timeout(10)
    void syncsThatAreNotDoneAreFound(LyingDisk.About lie) {
        CrashCampaign campaign = new CrashCampaign(disk -> new ReferenceStorage(new LyingDisk(disk, lie)));
        assertThatThrownBy(() -> campaign.run(1_000_000))
                .isInstanceOf(AssertionError.class)
                .message()
                .containsPattern(" is (lost|there), though ");
    }

    @Test
    @Timeout(60)
    void theFailureIsThatOfTheLeastSeedWhicheverThreadIsFaster() {
        CrashCampaign campaign = new CrashCampaign(disk -> {
                    throw new IOException("no disk");
                })
                .withThreads(4);
        assertThatThrownBy(() -> campaign.run(40, 1_000_000))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("reproduce(\"40\")");
    }

    /** An engine that does always the same leaves the same bytes when nothing of two crashes is lost. */
    @Test
    @Timeout(60)
    void anEngineIsStartedOnceOnWhatManyCrashesHaveLeft() {
        Set<String> started = ConcurrentHashMap.newKeySet();
        AtomicLong twice = new AtomicLong();
        CrashCampaign.Report report = new CrashCampaign(disk -> {
                    if (!started.add(((RecordingDisk) disk).contentHash())) {
                        twice.incrementAndGet();
                    }
                    return new ReferenceStorage(disk, false);
                })
                .withThreads(1)
                .run(500);
        assertThat(report.states()).isBetween(500L, 501L);
        assertThat(report.alike()).isGreaterThan(100);
        assertThat(twice.get()).isLessThan(report.alike() / 4);
    }

    @ParameterizedTest
    @EnumSource(value = ReferenceStorage.Flaw.class, mode = EnumSource.Mode.MATCH_NONE, names = "NO_DOUBT_.*")
    @Timeout(60)
    void aFailureIsBroughtAboutAgainByItsNameWhereAnEngineDoesAlwaysTheSame(ReferenceStorage.Flaw flaw) {
        CrashCampaign campaign = new CrashCampaign(disk -> new ReferenceStorage(disk, false, flaw));
        Throwable failure = catchThrowable(() -> campaign.run(1_000_000));
        Matcher name = NAME.matcher(failure.getMessage());
        assertThat(name.find()).as(failure.getMessage()).isTrue();

        assertThatThrownBy(() -> campaign.reproduce(name.group(1)))
                .isInstanceOf(AssertionError.class)
                .hasMessage(failure.getMessage());
    }
}
