package org.entrepot.testkit.storage.disk;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.Consumer;

/**
 * Everything that a power cut may leave of a {@link RecordingDisk}, after any of the operations done to it. Immutable; the
 * disks it makes share what they have in common, so that making one costs microseconds.
 *
 * <p>What a crash may leave is what the {@link org.entrepot.spi.storage.Disk} promises, and no more:
 *
 * <ul>
 *   <li>What was written to a file before a sync of that file is there.
 *   <li>Of what was written since, each unit (4 KiB, or what {@link #withUnit} says) of each write is there, or not there, or
 *       zeros, each by itself: the order of writes means nothing. Bytes of the same page that were not written stay.
 *   <li>A file has the size it had at its last sync or any that it got since. Where the size leads its bytes there are
 *       zeros.
 *   <li>Of what was created, renamed and deleted since the last sync of the directory each happened or not. What concerns
 *       the same name happens in order; a rename happens as a whole. That a new file was synced does not keep its name.
 *   <li>What a failed sync was to make lasting is there or not for ever, whatever later syncs say.
 * </ul>
 *
 * <p>This is harsher than ext4 and XFS, which have one journal for all names, and mostly keep a new file's name when the file
 * is synced. It is less than POSIX allows, which promises nothing of names, and leaves out what no power cut does: bits of
 * what was synced do not change (for that see {@link FaultyDisk#flip}).
 *
 * <p>Where few things were under way all combinations are made; where there were many, the two in which everything and
 * nothing happened, and others drawn by a seed.
 */
public final class CrashStates {
    private static final int UNIT_BYTES = 4096;
    private static final int EXHAUSTIVE_MAX = 256;
    private static final int STATES_PER_POINT = 64;

    private final RecordingDisk.Origin origin;
    private final List<DiskOperation> operations;
    private final int unitBytes;
    private final int exhaustiveMax;
    private final int statesPerPoint;
    private final long seed;

    private CrashStates(
            RecordingDisk.Origin origin,
            List<DiskOperation> operations,
            int unitBytes,
            int exhaustiveMax,
            int statesPerPoint,
            long seed) {
        this.origin = origin;
        this.operations = operations;
        this.unitBytes = unitBytes;
        this.exhaustiveMax = exhaustiveMax;
        this.statesPerPoint = statesPerPoint;
        this.seed = seed;
    }

    /** Crashes among all that was done to a disk so far. */
    public static CrashStates of(RecordingDisk disk) {
        return new CrashStates(disk.origin(), disk.operations(), UNIT_BYTES, EXHAUSTIVE_MAX, STATES_PER_POINT, 1);
    }

    /** The same with writes that break at multiples of so many bytes: 512, say, for disks with small sectors. */
    public CrashStates withUnit(int bytes) {
        if (bytes < 1) {
            throw new IllegalArgumentException("a unit of " + bytes + " bytes");
        }
        return new CrashStates(origin, operations, bytes, exhaustiveMax, statesPerPoint, seed);
    }

    /**
     * The same with other numbers of states at each point.
     *
     * @param exhaustive up to so many combinations all are made; 256 unless told
     * @param drawn where there are more, so many are drawn; 64 unless told
     */
    public CrashStates withStatesPerPoint(int exhaustive, int drawn) {
        return new CrashStates(origin, operations, unitBytes, exhaustive, drawn, seed);
    }

    /** The same with another seed to draw by. */
    public CrashStates withSeed(long newSeed) {
        return new CrashStates(origin, operations, unitBytes, exhaustiveMax, statesPerPoint, newSeed);
    }

    /** The last point; the first is 0, before anything was done. */
    public int lastPoint() {
        return operations.size();
    }

    /** What was done before a point, in words. */
    public List<String> operations(int point) {
        return operations.subList(0, point).stream().map(Object::toString).toList();
    }

    /** Makes the states of all points, point by point. */
    public void forEach(Consumer<CrashState> consumer) {
        CrashImage image = new CrashImage(origin, unitBytes);
        for (int point = 0; point <= operations.size(); point++) {
            if (point > 0) {
                image.apply(operations.get(point - 1));
            }
            statesOf(image, point, consumer);
        }
    }

    /** Makes the states of one point. */
    public void forEach(int point, Consumer<CrashState> consumer) {
        statesOf(imageAt(point), point, consumer);
    }

    /** Makes one state again, by what {@link CrashState} says about it. */
    public CrashState state(int point, String choices) {
        CrashImage image = imageAt(point);
        int[] counts = image.answers();
        if (choices.length() != counts.length) {
            throw new IllegalArgumentException("after " + point + " operations there are " + counts.length
                    + " choices, not " + choices.length() + ": something else was done to this disk");
        }
        int[] answers = new int[counts.length];
        for (int i = 0; i < answers.length; i++) {
            answers[i] = Character.digit(choices.charAt(i), Character.MAX_RADIX);
            if (answers[i] < 0 || answers[i] >= counts[i]) {
                throw new IllegalArgumentException("choice " + i + " of '" + choices + "' has no such answer");
            }
        }
        return state(image, point, answers);
    }

    private CrashImage imageAt(int point) {
        CrashImage image = new CrashImage(origin, unitBytes);
        operations.subList(0, point).forEach(image::apply);
        return image;
    }

    private void statesOf(CrashImage image, int point, Consumer<CrashState> consumer) {
        int[] counts = image.answers();
        long combinations = 1;
        for (int count : counts) {
            combinations = Math.min(combinations * count, Long.MAX_VALUE / Character.MAX_RADIX);
        }
        Set<String> made = new HashSet<>();
        if (combinations <= exhaustiveMax) {
            for (int number = 0; number < combinations; number++) {
                make(image, point, numbered(counts, number), made, consumer);
            }
            return;
        }
        int[] newest = image.newest();
        SplittableRandom random = new SplittableRandom(seed * 1_000_003 + point);
        for (int number = 0; number < statesPerPoint; number++) {
            make(image, point, drawn(counts, newest, number, random), made, consumer);
        }
    }

    private void make(CrashImage image, int point, int[] answers, Set<String> made, Consumer<CrashState> consumer) {
        image.settle(answers);
        if (made.add(text(answers))) {
            consumer.accept(state(image, point, answers));
        }
    }

    private static int[] numbered(int[] counts, int number) {
        int[] answers = new int[counts.length];
        int left = number;
        for (int i = 0; i < answers.length; i++) {
            answers[i] = left % counts[i];
            left /= counts[i];
        }
        return answers;
    }

    /**
     * Everything and nothing first; then by turns what was done in order up to somewhere, mostly everything, mostly nothing,
     * and anything.
     */
    private static int[] drawn(int[] counts, int[] newest, int number, SplittableRandom random) {
        int[] answers = new int[counts.length];
        int until = random.nextInt(counts.length + 1);
        for (int i = 0; i < answers.length; i++) {
            int pattern = number < 2 ? number : 2 + number % 4;
            boolean newer = switch (pattern) {
                case 0 -> true;
                case 1 -> false;
                case 2 -> i < until;
                case 3 -> random.nextInt(8) != 0;
                case 4 -> random.nextInt(8) == 0;
                default -> random.nextBoolean();
            };
            boolean other = pattern > 2 && random.nextInt(3) == 0;
            answers[i] = other ? random.nextInt(counts[i]) : newer ? newest[i] : CrashImage.ABSENT;
        }
        return answers;
    }

    private CrashState state(CrashImage image, int point, int[] answers) {
        String choices = text(answers);
        String before = point == 0 ? "before any operation" : "after \"" + operations.get(point - 1) + "\"";
        return new CrashState(
                point,
                choices,
                "crash " + before + " (" + point + " of " + operations.size() + "), choices '" + choices + "'",
                image.disk(answers));
    }

    private static String text(int[] answers) {
        StringBuilder text = new StringBuilder();
        for (int answer : answers) {
            text.append(Character.forDigit(answer, Character.MAX_RADIX));
        }
        return text.toString();
    }
}
