package org.entrepot.core.boot;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.entrepot.core.config.CoreKeys;

/**
 * What the command line says of a broker: which configuration, and what of it to override. Immutable.
 *
 * @param conf the configuration file; empty for the installation's
 * @param overrides {@code KEY=VALUE}
 */
record StartOptions(Optional<Path> conf, List<String> overrides) {
    private static final String CONF = "--conf";
    private static final String DATA = "--data";
    private static final String SET = "--set";

    StartOptions {
        overrides = List.copyOf(overrides);
    }

    /** From the options' values, null where one is not given. */
    static StartOptions of(Optional<Path> conf, Optional<Path> data, List<String> sets) {
        List<String> overrides = new ArrayList<>(sets);
        data.ifPresent(directory -> overrides.add(CoreKeys.DATA_DIRECTORY + "=" + directory));
        return new StartOptions(conf, overrides);
    }

    /**
     * Reads {@code start} and its options without picocli, which takes 60 to 90 ms of a start of about 400. Empty for
     * anything but a plain start: picocli then says what is wrong, or helps.
     */
    static Optional<StartOptions> ofPlainStart(List<String> arguments) {
        if (arguments.isEmpty() || !arguments.get(0).equals("start")) {
            return Optional.empty();
        }
        Optional<Path> conf = Optional.empty();
        Optional<Path> data = Optional.empty();
        List<String> sets = new ArrayList<>();
        for (int i = 1; i < arguments.size(); i++) {
            String option = arguments.get(i);
            String value;
            int equals = option.indexOf('=');
            if (equals >= 0) {
                value = option.substring(equals + 1);
                option = option.substring(0, equals);
            } else if (i + 1 < arguments.size()) {
                i++;
                value = arguments.get(i);
            } else {
                return Optional.empty();
            }
            if (value.isEmpty() || value.startsWith("-")) {
                return Optional.empty();
            }
            switch (option) {
                case CONF -> conf = Optional.of(Path.of(value));
                case DATA -> data = Optional.of(Path.of(value));
                case SET -> sets.add(value);
                default -> {
                    return Optional.empty();
                }
            }
        }
        return Optional.of(of(conf, data, sets));
    }
}
