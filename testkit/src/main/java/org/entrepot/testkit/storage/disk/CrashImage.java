package org.entrepot.testkit.storage.disk;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * A disk in the middle of what was done to it: what is lasting, and what is under way and may be found after a power cut or
 * not. Used by one thread.
 *
 * <p>What is under way makes a list of <em>choices</em>, each with a number of answers from 0 on. First those of the
 * directory (0: it did not happen, 1: it did), then file by file its size (0: the lasting one, and so on, up to the newest),
 * then each unit of each write (0: not there, 1: there, 2: zeros).
 */
final class CrashImage {
    /** Sizes of one file among which a crash chooses; further ones are passed over, the oldest first. */
    private static final int SIZES_MAX = 36;

    static final int ABSENT = 0;
    static final int PRESENT = 1;
    static final int ZEROS = 2;

    private final int unitBytes;
    private final Map<String, Long> names;
    private final List<DiskOperation> underWay = new ArrayList<>();
    private final Map<Long, FileImage> files = new TreeMap<>();
    /** Null when something was done since they were found. */
    private @Nullable List<Choice> choices;

    CrashImage(RecordingDisk.Origin origin, int unitBytes) {
        this.unitBytes = unitBytes;
        this.names = new LinkedHashMap<>(origin.names());
        origin.files().forEach((number, pages) -> files.put(number, new FileImage(pages.copy())));
    }

    /** How much is certain about a write or a new size. */
    private enum Fate {
        OPEN,
        DOUBTFUL,
        LASTING
    }

    private static final class Change {
        final DiskOperation operation;
        /** The file's size after it. */
        final long size;

        final boolean resizes;
        Fate fate = Fate.OPEN;

        Change(DiskOperation operation, long size, boolean resizes) {
            this.operation = operation;
            this.size = size;
            this.resizes = resizes;
        }
    }

    private static final class FileImage {
        Pages lasting;
        long size;
        /** What is not in {@link #lasting} yet, in its order. */
        final List<Change> changes = new ArrayList<>();

        FileImage(Pages lasting) {
            this.lasting = lasting;
            this.size = lasting.size();
        }
    }

    /** One thing that a crash decides. */
    private sealed interface Choice {
        /** The answers are 0 up to, not including, this. */
        int answers();
    }

    private record NameChoice(DiskOperation operation) implements Choice {
        @Override
        public int answers() {
            return 2;
        }
    }

    /** How many of a file's changes, from the first on, count for its size: an index into the list. */
    private record SizeChoice(long file, List<Integer> changes) implements Choice {
        @Override
        public int answers() {
            return changes.size();
        }
    }

    private record UnitChoice(long file, Change change, int offset, int length) implements Choice {
        @Override
        public int answers() {
            return 3;
        }

        long at() {
            return ((DiskOperation.Write) change.operation).at() + offset;
        }
    }

    /** Does what was done next. */
    void apply(DiskOperation operation) {
        choices = null;
        if (operation instanceof DiskOperation.Create create) {
            files.put(create.file(), new FileImage(new Pages()));
            underWay.add(create);
        } else if (operation instanceof DiskOperation.Rename || operation instanceof DiskOperation.Delete) {
            underWay.add(operation);
        } else if (operation instanceof DiskOperation.SyncDirectory) {
            underWay.forEach(done -> rename(names, done));
            underWay.clear();
        } else if (operation instanceof DiskOperation.Write write) {
            FileImage file = file(write.file());
            long size = Math.max(file.size, write.at() + write.bytes().length());
            file.changes.add(new Change(write, size, size != file.size));
            file.size = size;
        } else if (operation instanceof DiskOperation.Resize resize) {
            FileImage file = file(resize.file());
            file.changes.add(new Change(resize, resize.size(), true));
            file.size = resize.size();
        } else if (operation instanceof DiskOperation.SyncFile sync) {
            sync(file(sync.file()));
        } else if (operation instanceof DiskOperation.FailedSync failed) {
            file(failed.file()).changes.stream()
                    .filter(change -> change.fate == Fate.OPEN)
                    .forEach(change -> change.fate = Fate.DOUBTFUL);
        }
    }

    private FileImage file(long number) {
        return Objects.requireNonNull(files.get(number), "a file that was never made");
    }

    private static void sync(FileImage file) {
        boolean certain = true;
        for (Change change : file.changes) {
            if (change.fate == Fate.OPEN) {
                change.fate = Fate.LASTING;
            }
            certain &= change.fate == Fate.LASTING;
        }
        if (certain) {
            file.changes.forEach(change -> write(file.lasting, change));
            file.changes.clear();
        }
    }

    private static void write(Pages pages, Change change) {
        if (change.operation instanceof DiskOperation.Write write) {
            pages.write(write.at(), write.bytes(), 0, write.bytes().length());
        } else {
            pages.resize(change.size);
        }
    }

    private static void rename(Map<String, Long> names, DiskOperation operation) {
        if (operation instanceof DiskOperation.Create create) {
            names.put(create.name(), create.file());
        } else if (operation instanceof DiskOperation.Rename rename) {
            names.put(rename.to(), Objects.requireNonNull(names.remove(rename.from())));
        } else if (operation instanceof DiskOperation.Delete delete) {
            names.remove(delete.name());
        }
    }

    private List<Choice> choices() {
        if (choices == null) {
            choices = findChoices();
        }
        return choices;
    }

    private List<Choice> findChoices() {
        List<Choice> found = new ArrayList<>();
        Set<Long> named = new TreeSet<>(names.values());
        for (DiskOperation operation : underWay) {
            found.add(new NameChoice(operation));
            if (operation instanceof DiskOperation.Create create) {
                named.add(create.file());
            }
        }
        for (long number : named) {
            addChoices(found, number, file(number));
        }
        return found;
    }

    private void addChoices(List<Choice> choices, long number, FileImage file) {
        List<Integer> sizes = sizes(file);
        if (sizes.size() > 1) {
            choices.add(new SizeChoice(number, sizes));
        }
        for (Change change : file.changes) {
            if (change.fate != Fate.LASTING && change.operation instanceof DiskOperation.Write write) {
                int length = write.bytes().length();
                for (int offset = 0; offset < length; ) {
                    int part = (int) Math.min(length - offset, unitBytes - (write.at() + offset) % unitBytes);
                    choices.add(new UnitChoice(number, change, offset, part));
                    offset += part;
                }
            }
        }
    }

    /** Counts of changes after which the file may have been left, as far as its size is concerned. */
    private static List<Integer> sizes(FileImage file) {
        List<Integer> sizes = new ArrayList<>();
        sizes.add(0);
        for (int i = 0; i < file.changes.size(); i++) {
            Change change = file.changes.get(i);
            if (change.fate == Fate.LASTING) {
                sizes.clear();
                sizes.add(i + 1);
            } else if (change.resizes) {
                sizes.add(i + 1);
            }
        }
        while (sizes.size() > SIZES_MAX) {
            sizes.remove(1);
        }
        return sizes;
    }

    /** How many answers each choice has. */
    int[] answers() {
        return choices().stream().mapToInt(Choice::answers).toArray();
    }

    /** The answers by which everything happened. */
    int[] newest() {
        return choices().stream()
                .mapToInt(choice -> choice instanceof SizeChoice ? choice.answers() - 1 : PRESENT)
                .toArray();
    }

    /**
     * Takes back answers that others make pointless or impossible: nothing happens to a name before what had to happen to
     * it first, and what is behind the end of its file is not there.
     */
    void settle(int[] answers) {
        List<Choice> asked = choices();
        Set<String> untouched = new TreeSet<>();
        Map<Long, Long> sizes = new TreeMap<>();
        for (int i = 0; i < answers.length; i++) {
            Choice choice = asked.get(i);
            if (choice instanceof NameChoice name) {
                List<String> touched = namesOf(name.operation());
                if (touched.stream().anyMatch(untouched::contains)) {
                    answers[i] = ABSENT;
                }
                if (answers[i] == ABSENT) {
                    untouched.addAll(touched);
                }
            } else if (choice instanceof SizeChoice size) {
                sizes.put(size.file(), size(file(size.file()), size.changes().get(answers[i])));
            } else if (choice instanceof UnitChoice unit) {
                long size = sizes.getOrDefault(unit.file(), file(unit.file()).size);
                if (unit.at() >= size) {
                    answers[i] = ABSENT;
                }
            }
        }
    }

    private static List<String> namesOf(DiskOperation operation) {
        if (operation instanceof DiskOperation.Rename rename) {
            return List.of(rename.from(), rename.to());
        }
        return List.of(
                operation instanceof DiskOperation.Create create
                        ? create.name()
                        : ((DiskOperation.Delete) operation).name());
    }

    private static long size(FileImage file, int changes) {
        return changes == 0 ? file.lasting.size() : file.changes.get(changes - 1).size;
    }

    /** The disk that is found after a crash that gave these answers. */
    RecordingDisk disk(int[] answers) {
        List<Choice> asked = choices();
        Map<String, Long> found = new LinkedHashMap<>(names);
        Map<Change, List<UnitChoice>> units = new LinkedHashMap<>();
        Map<UnitChoice, Integer> fates = new LinkedHashMap<>();
        Map<Long, Integer> sizes = new TreeMap<>();
        for (int i = 0; i < answers.length; i++) {
            Choice choice = asked.get(i);
            if (choice instanceof NameChoice name && answers[i] == PRESENT) {
                rename(found, name.operation());
            } else if (choice instanceof SizeChoice size) {
                sizes.put(size.file(), size.changes().get(answers[i]));
            } else if (choice instanceof UnitChoice unit) {
                units.computeIfAbsent(unit.change(), change -> new ArrayList<>())
                        .add(unit);
                fates.put(unit, answers[i]);
            }
        }
        Map<String, Pages> contents = new TreeMap<>();
        found.forEach((name, number) -> contents.put(
                name,
                content(
                        file(number),
                        sizes.getOrDefault(number, file(number).changes.size()),
                        units,
                        fates)));
        return new RecordingDisk(contents);
    }

    private static Pages content(
            FileImage file, int counted, Map<Change, List<UnitChoice>> units, Map<UnitChoice, Integer> fates) {
        Pages content = file.lasting.copy();
        for (int i = 0; i < file.changes.size(); i++) {
            Change change = file.changes.get(i);
            List<UnitChoice> parts = units.get(change);
            if (parts != null) {
                parts.forEach(unit -> write(content, unit, Objects.requireNonNull(fates.get(unit))));
            } else if (change.fate == Fate.LASTING || i < counted) {
                write(content, change);
            }
        }
        content.resize(size(file, counted));
        return content;
    }

    private static void write(Pages content, UnitChoice unit, int fate) {
        if (fate == PRESENT) {
            DiskOperation.Write write = (DiskOperation.Write) unit.change().operation;
            content.write(unit.at(), write.bytes(), unit.offset(), unit.length());
        } else if (fate == ZEROS) {
            content.zero(unit.at(), unit.length());
        }
    }
}
