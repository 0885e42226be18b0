package org.entrepot.core.config;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.entrepot.core.config.Assignments.Assignment;
import org.entrepot.core.config.Assignments.Known;
import org.entrepot.core.config.ConfigurationException.Problem;
import org.entrepot.core.config.Value.Assigned;
import org.entrepot.spi.ConfigurationKey;
import org.entrepot.spi.ConfigurationKey.Kind;
import org.jspecify.annotations.Nullable;

/**
 * Checks the sources of a configuration against the known keys. Immutable. The command line wins over the environment,
 * that over the file, and that over the defaults. Everything that is wrong is reported at once.
 */
public final class ConfigurationLoader {

    /** Variables beginning with {@code ENTREPOT_} that are the start script's and stand for no key. */
    public static final Set<String> START_SCRIPT_VARIABLES =
            Set.of("ENTREPOT_HOME", "ENTREPOT_CONF", "ENTREPOT_HEAP", "ENTREPOT_JAVA_OPTS");

    private static final Pattern KEY_NAME = Pattern.compile("[a-z][a-z0-9]*(?:[-.][a-z0-9]+)*");
    private static final String SECRET_SHOWN = "(set, not shown)";

    private final ConfigurationSources sources;

    public ConfigurationLoader(ConfigurationSources sources) {
        this.sources = sources;
    }

    /** Checks everything. */
    public Configuration load(List<KeyGroup> groups) throws ConfigurationException {
        List<Problem> problems = new ArrayList<>();
        Configuration configuration = read(groups, false, problems);
        if (!problems.isEmpty()) {
            throw new ConfigurationException(problems);
        }
        return configuration;
    }

    /**
     * Values of some keys before all keys are known, for what finds plugins. Unknown keys are passed over, and a value
     * that is wrong counts as not given: {@link #load} will report both.
     */
    public Configuration preview(List<KeyGroup> groups) {
        return read(groups, true, new ArrayList<>());
    }

    private Configuration read(List<KeyGroup> groups, boolean passOverUnknown, List<Problem> problems) {
        Map<String, Known> known = declared(groups, problems);
        Set<String> ignored = new LinkedHashSet<>();
        Assignments sorting = new Assignments(known, groups, ignored, passOverUnknown, problems);
        List<Assignment> assignments = sorting.of(sources, START_SCRIPT_VARIABLES);
        Map<String, Assignment> winners = new HashMap<>();
        for (Assignment assignment : assignments) {
            winners.put(assignment.key().name(), assignment);
        }
        Map<String, Assigned> values = new LinkedHashMap<>();
        for (Known declared : known.values()) {
            if (declared.group().enabled()) {
                values.put(declared.key().name(), byDefault(declared.key()));
            }
        }
        for (Assignment assignment : assignments) {
            if (assignment.known().group().enabled()) {
                boolean wins = assignment.equals(winners.get(assignment.key().name()));
                assigned(assignment, wins, problems)
                        .ifPresent(assigned -> values.put(assigned.key().name(), assigned));
            } else {
                ignored.add(assignment.known().group().owner());
            }
        }
        require(groups, values, winners, problems);
        List<String> warnings = new ArrayList<>();
        ignored.forEach(owner -> warnings.add(warning(owner)));
        sorting.foreignVariables().forEach(text -> warnings.add("Ignoring the " + text));
        return new Configuration(values, List.copyOf(warnings));
    }

    private static String warning(String owner) {
        return "Ignoring the configuration of " + owner + ", which is installed but disabled";
    }

    /** A key that another group declares already, or that no line could set, is a fault of a plugin: it is named. */
    private Map<String, Known> declared(List<KeyGroup> groups, List<Problem> problems) {
        Map<String, Known> known = new LinkedHashMap<>();
        Map<String, Known> byVariable = new HashMap<>();
        for (KeyGroup group : groups) {
            for (ConfigurationKey key : group.keys()) {
                String fault = fault(key, group, byVariable.get(Assignments.variable(key.name())));
                if (fault.isEmpty()) {
                    Known declared = new Known(key, group);
                    known.put(key.name(), declared);
                    byVariable.put(Assignments.variable(key.name()), declared);
                } else {
                    problems.add(new Problem(group.owner(), "declares the key " + Notation.quoted(key.name()) + fault));
                }
            }
        }
        return known;
    }

    private String fault(ConfigurationKey key, KeyGroup group, @Nullable Known other) {
        if (!KEY_NAME.matcher(key.name()).matches()) {
            return "; allowed: lower-case words separated by dots or hyphens";
        }
        if (!group.mayDeclare(key.name())) {
            return "; allowed: names that begin with the plugin's id and a dot, or with listener.";
        }
        if (other != null) {
            return ", but " + other.group().owner() + " declares " + other.key().name();
        }
        return defaultFits(key) ? "" : " with a default that is not allowed; allowed: " + Notation.allowed(key);
    }

    private boolean defaultFits(ConfigurationKey key) {
        try {
            Notation.read(key, key.defaultValue().orElse(""), sources.home());
            return true;
        } catch (Notation.Unfit unfit) {
            return false;
        }
    }

    private Assigned byDefault(ConfigurationKey key) {
        String written = key.defaultValue().orElse("");
        try {
            return new Assigned(
                    key, Notation.read(key, written, sources.home()), shown(key, written), new Origin.Default());
        } catch (Notation.Unfit unfit) {
            throw new AssertionError("checked when the key was declared", unfit);
        }
    }

    /** The value, or nothing where it is wrong or where a stronger source sets the key. A secret's file is read only if it counts. */
    private Optional<Assigned> assigned(Assignment assignment, boolean wins, List<Problem> problems) {
        ConfigurationKey key = assignment.key();
        if (!wins && key.kind() == Kind.SECRET) {
            return Optional.empty();
        }
        Path base = assignment.origin() instanceof Origin.CommandLine ? sources.workingDirectory() : sources.home();
        try {
            Value value = Notation.read(key, assignment.written(), base);
            return wins
                    ? Optional.of(new Assigned(key, value, shown(key, assignment.written()), assignment.origin()))
                    : Optional.empty();
        } catch (Notation.Unfit unfit) {
            problems.add(new Problem(
                    assignment.origin().shown(),
                    subject(key, assignment.origin(), ": ") + unfit.why() + "; allowed: " + Notation.allowed(key)));
            return Optional.empty();
        }
    }

    private static String shown(ConfigurationKey key, String written) {
        return key.kind() == Kind.SECRET && !written.isEmpty() ? SECRET_SHOWN : written;
    }

    /** The key that a problem is about, where the origin does not tell it. */
    private static String subject(ConfigurationKey key, Origin origin, String then) {
        return origin instanceof Origin.CommandLine ? "" : key.name() + then;
    }

    private static void require(
            List<KeyGroup> groups,
            Map<String, Assigned> values,
            Map<String, Assignment> winners,
            List<Problem> problems) {
        for (KeyGroup group : groups) {
            for (KeyGroup.Requirement rule : group.requirements()) {
                Assigned required = values.get(rule.required());
                Assignment given = winners.get(rule.required());
                if (required == null
                        || !(required.value() instanceof Value.Unset)
                        || (given != null && !given.written().isEmpty())) {
                    continue;
                }
                for (Assigned asking : values.values()) {
                    if (rule.asks(asking.key().name())
                            && !(asking.value() instanceof Value.Unset)
                            && !asking.written().equals(rule.exceptValue())) {
                        problems.add(new Problem(
                                asking.origin().shown(),
                                subject(asking.key(), asking.origin(), " ") + "needs " + rule.required()
                                        + ", which is not set; allowed: " + Notation.allowed(required.key())));
                    }
                }
            }
        }
    }
}
