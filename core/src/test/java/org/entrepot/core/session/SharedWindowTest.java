package org.entrepot.core.session;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SharedWindowTest {
    private final SharedWindow window = new SharedWindow();

    /** Somebody who keeps what is lent. */
    private static final class Keeper implements SharedWindow.Borrower {
        private int wanted;
        private int lent;

        @Override
        public int wanted() {
            return wanted;
        }

        @Override
        public void wanted(int messages) {
            wanted = messages;
        }

        @Override
        public void lend(int places) {
            lent += places;
        }
    }

    @Test
    void lendsWhatIsFreeAndTheRestWhenItComesBack() {
        Keeper first = new Keeper();
        Keeper second = new Keeper();
        window.resize(5);

        window.wants(first, 3);
        window.wants(second, 10);
        assertThat(first.lent).isEqualTo(3);
        assertThat(second.lent).isEqualTo(2);

        window.wants(second, 8);
        window.unused(1);
        assertThat(second.lent).isEqualTo(3);
    }

    @Test
    void dividesWhatComesBackAmongThoseWhoWait() {
        Keeper first = new Keeper();
        Keeper second = new Keeper();
        window.resize(1);
        window.wants(first, 100);
        window.wants(first, 99);
        window.wants(second, 100);

        window.unused(6);

        assertThat(first.lent).isEqualTo(1 + 3);
        assertThat(second.lent).isEqualTo(3);
    }

    @Test
    void aLargerWindowIsOfUseToThoseWhoWaitAlready() {
        Keeper keeper = new Keeper();
        window.resize(1);
        window.wants(keeper, 5);
        window.wants(keeper, 4);

        window.resize(3);

        assertThat(keeper.lent).isEqualTo(3);
    }

    @Test
    void aSmallerWindowLendsNothingUntilEnoughCameBack() {
        Keeper keeper = new Keeper();
        window.resize(4);
        window.wants(keeper, 4);
        window.resize(2);
        window.wants(keeper, 9);
        assertThat(keeper.lent).isEqualTo(4);

        window.unused(2);
        assertThat(keeper.lent).isEqualTo(4);

        window.unused(1);
        assertThat(keeper.lent).isEqualTo(5);
    }

    @Test
    void whatIsTakenWhileThereIsNoLimitCountsWhenThereIsOneAgain() {
        Keeper keeper = new Keeper();
        window.resize(2);
        window.resize(0);
        assertThat(window.isShared()).isTrue();
        window.wants(keeper, 50);
        assertThat(keeper.lent).isEqualTo(50);

        window.resize(3);
        window.wants(keeper, 7);
        window.unused(47);
        assertThat(keeper.lent).isEqualTo(50);

        window.unused(1);
        assertThat(keeper.lent).isEqualTo(51);
    }
}
