package org.entrepot.testkit.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A failing disk lets no store that doubts it call durable what is not, and shows which does not doubt. */
@Timeout(300)
class FaultCampaignTest {

    @Test
    void aStoreThatKeepsItsPromisesSurvives() {
        assertThat(new FaultCampaign(ReferenceStorage::new).run(1)).isGreaterThan(20);
    }

    @ParameterizedTest
    @EnumSource(value = ReferenceStorage.Flaw.class, mode = EnumSource.Mode.MATCH_ANY, names = "NO_DOUBT_.*")
    void aStoreThatDoesNotDoubtIsFound(ReferenceStorage.Flaw flaw) {
        FaultCampaign campaign = new FaultCampaign(disk -> new ReferenceStorage(disk, flaw));
        assertThatThrownBy(() -> campaign.run(1))
                .isInstanceOf(AssertionError.class)
                // What is seen of it first, an entry that is lost or one that is back, is for the store's thread to
                // say.
                .hasMessageContaining("was called durable")
                .hasMessageContaining(
                        flaw == ReferenceStorage.Flaw.NO_DOUBT_ABOUT_SYNCS
                                ? "after SYNC number"
                                : "after WRITE number");
    }
}
