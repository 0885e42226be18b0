package org.entrepot.core.config;

/** Where a configured value comes from. Immutable. */
public sealed interface Origin {

    /** Words for errors and for operators, such as "entrepot.conf:12". */
    String shown();

    /** A line of the configuration file. */
    record Line(String file, int number) implements Origin {
        @Override
        public String shown() {
            return file + ":" + number;
        }
    }

    /** An environment variable. */
    record Environment(String variable) implements Origin {
        @Override
        public String shown() {
            return "environment variable " + variable;
        }
    }

    /** A {@code --set} of the command line, or an option that stands for one. */
    record CommandLine(String key) implements Origin {
        @Override
        public String shown() {
            return "--set " + key;
        }
    }

    /** The key's own default, or nothing at all where the key may stay unset. */
    record Default() implements Origin {
        @Override
        public String shown() {
            return "default";
        }
    }
}
