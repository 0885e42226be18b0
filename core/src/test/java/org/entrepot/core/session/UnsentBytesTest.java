package org.entrepot.core.session;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class UnsentBytesTest {
    private static final long MEGABYTE = 1 << 20;

    private final UnsentBytes unsent = new UnsentBytes();

    /** Has connections take all that they are given, and says how much that is. */
    private long taken(int connections, long most) {
        long[] own = new long[connections];
        for (int round = 0; round < 100; round++) {
            for (int i = 0; i < connections; i++) {
                long more = Math.max(0, unsent.share(most) - own[i]);
                own[i] += more;
                unsent.change(more);
            }
        }
        return unsent.total();
    }

    @Test
    void aFewMayLeaveAsMuchAsTheyMayAnyhow() {
        assertThat(taken(4, 8 * MEGABYTE)).isEqualTo(32 * MEGABYTE);
    }

    @Test
    void manyLeaveLittleAndHardlyMoreThanThereIs() {
        assertThat(taken(1_000, 8 * MEGABYTE))
                .isBetween(UnsentBytes.BYTES_MAX / 2, UnsentBytes.BYTES_MAX + 1_000 * UnsentBytes.SHARE_MIN);
        assertThat(unsent.share(8 * MEGABYTE)).isLessThan(MEGABYTE);
    }

    @Test
    void everybodyMayLeaveALittle() {
        unsent.change(2 * UnsentBytes.BYTES_MAX);
        assertThat(unsent.share(MEGABYTE)).isEqualTo(UnsentBytes.SHARE_MIN);
    }

    @Test
    void whatIsSentIsThereForOthers() {
        unsent.change(UnsentBytes.BYTES_MAX);
        unsent.change(-UnsentBytes.BYTES_MAX);
        assertThat(unsent.share(8 * MEGABYTE)).isEqualTo(8 * MEGABYTE);
    }
}
